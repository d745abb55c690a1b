"""Rules for autocast (autocast.rs)."""

import pytest
import torch
from conftest import compiles

ops = torch.ops.test_ops
A, B = torch.rand(3, 4), torch.rand(4, 5)
HALF, BRAIN, SINGLE, DOUBLE = torch.float16, torch.bfloat16, torch.float32, torch.float64

# The dtype of the result in a region of `region`, of float32 arguments.
RULES = [
    (ops.mm_low, BRAIN, BRAIN), (ops.mm_low, HALF, BRAIN), (ops.mm_region, BRAIN, BRAIN), (ops.mm_region, HALF, HALF),
    (ops.mm_high, BRAIN, SINGLE), (ops.mm_plain, BRAIN, SINGLE),
]


def expected(dtype):
    return torch.mm(A.to(dtype), B.to(dtype))


@pytest.mark.parametrize("op, region, dtype", RULES)
def test_eager(op, region, dtype):
    assert op(A, B).dtype == SINGLE
    product = expected(dtype)
    with torch.autocast("cpu", dtype=region):
        assert torch.equal(op(A, B), product)
        with torch.autocast("cpu", enabled=False):
            assert op(A, B).dtype == SINGLE
        assert op(A.double(), B.double()).dtype == DOUBLE
    assert op(A, B).dtype == SINGLE


def test_a_wide_rule_widens():
    with torch.autocast("cpu", dtype=BRAIN):
        assert ops.mm_high(A.bfloat16(), B).dtype == SINGLE
        with pytest.raises(TypeError, match="expected one dtype"):
            ops.mm_plain(A.bfloat16(), B)


def test_lists_and_optionals():
    with torch.autocast("cpu", dtype=BRAIN):
        assert ops.dtypes_under([A, A.double(), A.int()], B, [None, A]) == ["bfloat16", "float64", "int32", "bfloat16", "bfloat16"]


@pytest.mark.parametrize("op, region, dtype", RULES)
def test_gradients_have_the_dtype_of_the_arguments(op, region, dtype):
    a, b = A.clone().requires_grad_(), B.clone().requires_grad_()
    with torch.autocast("cpu", dtype=region):
        y = op(a, b)
    y.sum().backward()
    x, z = A.clone().to(dtype).requires_grad_(), B.clone().to(dtype).requires_grad_()
    torch.mm(x, z).sum().backward()
    assert a.grad.dtype == b.grad.dtype == SINGLE
    assert torch.equal(a.grad, x.grad.float()) and torch.equal(b.grad, z.grad.float())


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("op, region, dtype", RULES)
def test_compiled(op, region, dtype, backend, inside):
    def fn(a, b):
        if not inside:
            return op(a, b)
        with torch.autocast("cpu", dtype=region):
            return op(a, b)

    compiled, graphs = compiles(fn, backend, fullgraph=True)
    # The cache on disk of torch 2.11 takes another region's dtype, for torch.mm as well.
    uncached = torch._inductor.config.patch(force_disable_caches=True)
    with uncached, torch.autocast("cpu", dtype=region, enabled=not inside):
        got = compiled(A, B)
    assert got.dtype == dtype and torch.equal(got, expected(dtype)) and len(graphs) == 1


class Model(torch.nn.Module):
    def forward(self, a, b):
        with torch.autocast("cpu", dtype=BRAIN):
            return ops.mm_low(a, b), ops.mm_high(a, b), ops.mm_region(a, b), ops.mm_plain(a, b)


@pytest.mark.parametrize("strict", [False, True])
def test_exported(strict):
    program = torch.export.export(Model(), (A, B), strict=strict)
    for got, dtype in zip(program.module()(A, B), (BRAIN, SINGLE, BRAIN, SINGLE)):
        assert got.dtype == dtype and torch.equal(got, expected(dtype))


def test_a_package(tmp_path):
    program = torch.export.export(Model(), (A, B))
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "m.pt2"))
    for got, dtype in zip(torch._inductor.aoti_load_package(path)(A, B), (BRAIN, SINGLE, BRAIN, SINGLE)):
        assert got.dtype == dtype and torch.equal(got, expected(dtype))


def test_the_rules_are_registered_for_other_devices_too():
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    assert all(has("test_ops::mm_high", key) for key in ("AutocastCPU", "AutocastCUDA", "AutocastXPU"))
    assert has("test_ops::mm_low", "AutocastCUDA") and not has("test_ops::mm_low", "AutocastXPU")
    assert not has("test_ops::mm_plain", "AutocastCPU")
