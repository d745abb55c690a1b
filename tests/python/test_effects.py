"""Operators with an effect are called as often, and in the order, as in eager mode."""

import pytest
import torch

from conftest import TORCH, compiles, raised

ops = torch.ops.test_effects
ORDERED = TORCH >= (2, 15)


@pytest.fixture(autouse=True)
def nothing_before():
    ops.taken()


def program(x):
    y = x * 2
    ops.note(y, 1)
    ops.number(2)
    a = ops.tick(y, 3)
    ops.note(x, 4)
    ops.tick(x, 5)
    ops.note(a, 6)
    ops.note_rows(x)
    return x + y


NOTES = [1, 2, 3, 4, 5, 6, 4]


def one_call(x):
    ops.note(x, 8)
    return x + 1


def outcome(call):
    """What was written down, or the error's text."""
    ops.taken()
    try:
        call()
    except Exception as error:
        return str(error)
    return ops.taken()


def test_eager():
    program(torch.rand(4))
    assert ops.taken() == NOTES and ops.taken() == []


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize("grad", [True, False])
def test_compiled(backend, fullgraph, grad):
    fn, _ = compiles(program, backend, fullgraph=fullgraph)
    x = torch.rand(4, requires_grad=grad)
    found = outcome(lambda: fn(x))
    if ORDERED or not fullgraph:
        assert found == NOTES
        assert outcome(lambda: fn(x)) == NOTES
        torch.testing.assert_close(fn(x), x * 3)
    else:
        assert "test_effects::" in found and "has an effect" in found and "without fullgraph=True" in found


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_backward_that_is_compiled(backend):
    fn, _ = compiles(lambda x: ops.tick(x.sin(), 1) * 2, backend)
    x = torch.rand(4, requires_grad=True)
    (gradient,) = torch.autograd.grad(fn(x).sum(), x)
    torch.testing.assert_close(gradient, 2 * x.detach().cos())
    assert ops.taken() == [1]


@pytest.mark.parametrize("strict", [True, False])
def test_export(strict):
    class Model(torch.nn.Module):
        def forward(self, x):
            return program(x)

    exported = torch.export.export(Model(), (torch.rand(4),), strict=strict)
    ops.taken()
    for module in (exported.module(), exported.run_decompositions().module()):
        module(torch.rand(4))
        assert ops.taken() == NOTES


@pytest.mark.parametrize("body, notes", [(one_call, [8]), (program, NOTES)])
def test_packages(body, notes, tmp_path):
    class Model(torch.nn.Module):
        def forward(self, x):
            return body(x)

    exported = torch.export.export(Model(), (torch.rand(4),))
    make = lambda: torch._inductor.aoti_compile_and_package(exported, package_path=str(tmp_path / "model.pt2"))
    if ORDERED or body is one_call:
        model = torch._inductor.aoti_load_package(make())
        ops.taken()
        model(torch.rand(4))
        assert ops.taken() == notes
    else:
        text = raised(make)[1]
        assert "test_effects::" in text and "in one operator" in text


def test_a_fake_is_asked():
    with torch._subclasses.fake_tensor.FakeTensorMode():
        ops.note_rows(torch.empty(2))
        kind, text = raised(lambda: ops.note_rows(torch.empty(())))
    assert kind == "ValueError" and "expected rows" in text and ops.taken() == []


def test_a_number_is_not_kept():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + ops.count(x)

    text = raised(lambda: torch.export.export(Model(), (torch.rand(4),)))[1]
    assert "test_effects::count: returns a int" in text and "each call counts; return it as a tensor" in text


def test_meta_tensors():
    assert ops.note(torch.rand(2, device="meta"), 1) is None and ops.tick(torch.rand(2, device="meta"), 1).is_meta and ops.taken() == []


def test_opcheck():
    for op, args in ((ops.note, (torch.rand(3), 1)), (ops.tick, (torch.rand(3), 1)), (ops.note_rows, (torch.rand(3),)), (ops.number, (1,))):
        tests = torch.library.opcheck(op.default, args, raise_exception=False)
        assert set(tests.values()) == {"SUCCESS"}, (op, tests)
