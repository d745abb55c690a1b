"""Kernels of every kind: dtypes, templates, macros, arrays, PTX, scratch memory, gradients."""

import pytest
import torch

pytestmark = pytest.mark.gpu
ops = torch.ops.test_ops
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.t(), lambda x: x[::2, 1:], lambda x: x[:0], lambda x: x[0, 0]],
                         ids=["contiguous", "transposed", "stepped", "zero-size", "0-dim"])
def test_views_in_float_dtypes(dtype, view):
    x = view(torch.randn(40, 30, device="cuda").to(dtype))
    assert torch.equal(ops.cuda_scale(x, 4.0), x * 4)  # a power of two is exact


def test_macros_choose_kernels():
    x, y = torch.randn(2, 1001, device="cuda")
    for each in ("1", "4"):
        assert torch.equal(ops.cuda_add(x, y, each), x + y)
    with pytest.raises(ValueError, match="test_ops::cuda_add: CUDA kernel `add`: `EACH` is declared with `1`, `4`, found `2`"):
        ops.cuda_add(x, y, "2")


def test_arrays_by_value():
    assert ops.cuda_weigh(torch.zeros(100, device="cuda")).eq(21).all()


def test_embedded_ptx():
    x = torch.randn(1000, device="cuda")
    assert torch.equal(ops.cuda_twice(x), x * 2)


@pytest.mark.skipif(torch.cuda.is_available() and torch.cuda.get_device_capability() != (9, 0), reason="machine code for sm_90")
def test_embedded_machine_code():
    x = torch.randn(1000, device="cuda")
    assert torch.equal(ops.cuda_thrice(x), 3 * x)


@pytest.mark.skipif(torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0), reason="machine code for sm_90")
def test_machine_code_of_another_card_is_told():
    with pytest.raises(RuntimeError, match="test_ops::cuda_thrice: CUDA kernel `thrice`: the driver does not load it: CUDA_ERROR_NO_BINARY"):
        ops.cuda_thrice(torch.ones(3, device="cuda"))


def test_scratch_memory_goes_back():
    x = torch.randn(1 << 20, device="cuda")
    y = ops.cuda_scale_twice(x, 2.0)
    before = torch.cuda.memory_allocated()
    for _ in range(100):
        y = ops.cuda_scale_twice(x, 2.0)
    after = torch.cuda.memory_allocated()
    assert after == before and torch.equal(y, x * 4)


def test_in_place():
    x = torch.randn(10, 7, device="cuda").t()
    before, version = x.clone(), x._version
    ops.cuda_scale_(x, 2.0)
    assert torch.equal(x, before * 2) and x._version == version + 1


@pytest.mark.parametrize("dtype", [torch.int32, torch.complex64], ids=str)
def test_dtypes_that_are_not_handled(dtype):
    with pytest.raises(TypeError, match="expected a floating dtype, found"):
        ops.cuda_scale(torch.ones(3, device="cuda", dtype=dtype), 2.0)
    with pytest.raises(TypeError, match="test_ops::cuda_add: CUDA kernel `add`, argument `y`: expected a float32 tensor, found"):
        ops.cuda_add(torch.ones(3, device="cuda"), torch.ones(3, device="cuda", dtype=dtype))


def test_more_dimensions_than_declared():
    with pytest.raises(ValueError, match="CUDA kernel `scale`, argument `x`: expected at most 8 sizes.*got 9"):
        ops.cuda_scale(torch.ones(*[1] * 9, device="cuda"), 2.0)


@pytest.mark.parametrize("x, y, found", [("cuda", "cpu", "`y`: expected a tensor on cuda:0.* found one on cpu"),
                                         ("cpu", "cuda", "`x`: expected a tensor on a CUDA device, found one on cpu")])
def test_mixed_devices(x, y, found):
    with pytest.raises(RuntimeError, match=f"test_ops::cuda_add: CUDA kernel `add`, argument {found}"):
        ops.cuda_add(torch.ones(3, device=x), torch.ones(3, device=y))


def test_backward():
    x = torch.randn(5, 3, device="cuda", dtype=torch.float64, requires_grad=True)
    identity = torch.ops.my_ops.identity_conv_op
    for fn in (lambda x: ops.cuda_scale(x, 2.0), identity, lambda x: torch.ops.my_cuda_ops.to_contiguous(x.t())):
        assert torch.autograd.gradcheck(fn, (x,)) and torch.autograd.gradgradcheck(fn, (x,))
    y = identity(x * 2).sum()
    y.backward()
    assert torch.equal(x.grad, torch.full_like(x, 2))


def test_opcheck():
    x = torch.randn(5, 3, device="cuda", requires_grad=True)
    torch.library.opcheck(torch.ops.my_ops.identity_conv_op.default, (x.t(),))
    torch.library.opcheck(ops.cuda_scale.default, (x, 2.0))
    torch.library.opcheck(torch.ops.my_cuda_ops.to_contiguous.default, (x.t(),))


def test_class_methods():
    conv = torch.classes.my_ops.IdentityConvClass(3)
    x = torch.randn(2, 3, 4, device="cuda")
    assert torch.equal(conv.forward(x), x)


def test_autocast_changes_nothing_inside():
    x = torch.randn(8, 8, device="cuda")
    linear = torch.nn.Linear(8, 8, device="cuda")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert ops.cuda_scale(x, 2.0).dtype == torch.float32
        y = ops.cuda_scale(linear(x), 2.0)
        assert y.dtype == torch.bfloat16 and torch.equal(y, linear(x) * 2)
