"""Composite functions and backwards that ask for sizes while torch traces them (symbols.rs): as symbols they stay symbols, as numbers they
are refused, not burnt into the graph."""

import pytest
import torch

from conftest import chain, compiles

ops = torch.ops.test_ops
ASKS = ["size", "sizes", "stride", "strides", "numel", "storage_offset"]
BACKENDS = pytest.mark.parametrize("backend", ["aot_eager", "inductor"])


def gradient(fn, x):
    x = x.detach().requires_grad_()
    return torch.autograd.grad((fn(x) * torch.arange(float(x.shape[1]))).sum(), x)[0]


CALLS = {
    "composite": (ops.first_half, lambda x: x[: x.shape[0] // 2] * 1.0),
    "backward": (ops.sum_rows, lambda x: x.sum(0)),
    "backward in func.grad": (lambda x: torch.func.grad(lambda y: ops.sum_rows(y).sin().sum())(x), lambda x: x.sum(0).cos().expand_as(x)),
    "composite in func.grad": (lambda x: torch.func.grad(lambda y: ops.first_half(y).sin().sum())(x),
                               lambda x: torch.cat([x[: (n := x.shape[0] // 2)].cos(), torch.zeros_like(x[n:])])),
}


@BACKENDS
@pytest.mark.parametrize("call", CALLS)
def test_one_compile_for_all_sizes(call, backend):
    fn, reference = CALLS[call]
    compiled, graphs = compiles(fn, backend, fullgraph=True, dynamic=True)
    for rows, columns in ((4, 5), (6, 3), (7, 9), (13, 2), (20, 31)):
        x = torch.randn(rows, columns)
        # Torch cannot differentiate `func.grad` in a compiled graph again.
        for run in (lambda fn: fn(x),) if "func" in call else (lambda fn: fn(x), lambda fn: gradient(fn, x)):
            torch.testing.assert_close(run(compiled), run(reference))
    # One more for inputs that require grad.
    assert len(graphs) == (1 if "func" in call else 2)


@pytest.mark.parametrize("asks", ASKS)
def test_numbers_are_refused_where_there_are_symbols(asks):
    fn = lambda x: ops.sum_rows(x, asks)
    compiled, _ = compiles(fn, fullgraph=True, dynamic=True)
    with pytest.raises(Exception) as caught:
        gradient(compiled, torch.randn(6, 4))
    asked = "strides" if asks == "stride" else asks
    assert any(f"`{asked}()` on a tensor with symbolic sizes" in str(error) and f"take `sym_{asked}()`" in str(error) for error in chain(caught.value))


@pytest.mark.parametrize("asks", ASKS)
def test_numbers_are_there_where_there_are_none(asks):
    fn, x = lambda x: ops.sum_rows(x, asks), torch.randn(6, 4)
    expected = torch.arange(4.0).expand(6, 4)
    torch.testing.assert_close(gradient(fn, x), expected)
    torch.testing.assert_close(gradient(compiles(fn, fullgraph=True, dynamic=False)[0], x), expected)
    torch.testing.assert_close(torch.func.grad(lambda x: fn(x).sum())(x), torch.ones(6, 4))
    torch.testing.assert_close(torch.vmap(torch.func.grad(lambda x: fn(x).sum()))(x.expand(2, 6, 4)), torch.ones(2, 6, 4))


def test_a_composite_function_that_asks_for_numbers():
    x = torch.randn(6, 4)
    torch.testing.assert_close(ops.first_half(x, True), x[:3])
    for fn in (lambda x: ops.first_half(x, True), lambda x: torch.func.grad(lambda y: ops.first_half(y, True).sum())(x)):
        with pytest.raises(Exception) as caught:
            compiles(fn, fullgraph=True, dynamic=True)[0](x)
        assert any("`size()` on a tensor with symbolic sizes" in str(error) for error in chain(caught.value)), caught.value


def test_exported_sizes():
    class Model(torch.nn.Module):
        def __init__(self, *more):
            super().__init__()
            self.more = more

        def forward(self, x):
            return ops.first_half(x, *self.more)

    shapes = ({0: torch.export.Dim.DYNAMIC},)
    program = torch.export.export(Model(), (torch.randn(8, 4),), dynamic_shapes=shapes)
    for rows in (4, 9, 30):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(program.module()(x), x[: rows // 2])
    with pytest.raises(RuntimeError, match=r"`size\(\)` on a tensor with symbolic sizes"):
        torch.export.export(Model(True), (torch.randn(8, 4),), dynamic_shapes=shapes)
