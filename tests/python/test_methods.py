"""Methods, arithmetic and numbers of tensors in Rust are torch's."""

import pytest
import torch

from conftest import compiles, raised

ops = torch.ops.test_methods

CALLS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "mul_scalar": lambda x, y: x * 3.0,
    "neg": lambda x, y: -x,
    "matmul": lambda x, y: x @ y.t(),
    "sum": lambda x, y: x.sum(),
    "sum_dims": lambda x, y: x.sum(0, keepdim=True),
    "sum_dims of none": lambda x, y: x.sum(()),
    "mean": lambda x, y: x.mean(),
    "mean_dims": lambda x, y: x.mean(-1),
    "softmax": lambda x, y: x.softmax(-1),
    "log_softmax": lambda x, y: x.log_softmax(0),
    "relu": lambda x, y: x.relu(),
    "sigmoid": lambda x, y: x.sigmoid(),
    "tanh": lambda x, y: x.tanh(),
    "exp": lambda x, y: x.exp(),
    "log": lambda x, y: x.log(),
    "sqrt": lambda x, y: x.sqrt(),
    "rsqrt": lambda x, y: x.rsqrt(),
    "sin": lambda x, y: x.sin(),
    "cos": lambda x, y: x.cos(),
    "silu": lambda x, y: torch.nn.functional.silu(x),
    "clamp": lambda x, y: x.clamp(0.25, 1),
    "max": lambda x, y: x.max(),
    "min": lambda x, y: x.min(),
    "abs": lambda x, y: x.abs(),
    "pow": lambda x, y: x**2,
    "pow by a float": lambda x, y: x**0.5,
    "t": lambda x, y: x.t(),
    "flatten": lambda x, y: x.t().flatten(),
    "flatten view": lambda x, y: x.flatten(),
    "f32": lambda x, y: x * torch.tensor(0.1).item() + 2,
    "complex": lambda x, y: x * (1 + 2j),
    "scalar": lambda x, y: x - 3,
}


@pytest.mark.parametrize("which", CALLS)
def test_a_method_is_that_of_python(which):
    # With negative numbers, so that what is undefined there is so on both sides.
    for x in (torch.randn(3, 4), torch.rand(3, 4).double() + 0.1):
        y = torch.rand(3, 4, dtype=x.dtype) + 0.5
        ours, theirs = ops.called(which, x, y), CALLS[which](x, y)
        assert (ours.dtype, ours.shape, ours.stride()) == (theirs.dtype, theirs.shape, theirs.stride())
        assert torch.equal(ours.nan_to_num(9), theirs.nan_to_num(9))
        assert (ours.data_ptr() == x.data_ptr()) == (theirs.data_ptr() == x.data_ptr())


IN_PLACE = {
    "+=": lambda x, y: x.add_(y),
    "-=": lambda x, y: x.sub_(y),
    "*=": lambda x, y: x.mul_(y),
    "/=": lambda x, y: x.div_(y),
    "+= owned": lambda x, y: x.add_(y * 2.0),
    "+= number": lambda x, y: x.add_(2),
    "-= number": lambda x, y: x.sub_(0.5),
    "*= number": lambda x, y: x.mul_(torch.tensor(0.1).item()),
    "/= number": lambda x, y: x.div_(4),
    "zero_": lambda x, y: x.zero_(),
}


@pytest.mark.parametrize("which", IN_PLACE)
def test_arithmetic_in_place(which):
    base = torch.rand(3, 8) + 0.1
    y = torch.rand(3, 1) + 0.1
    for part in (lambda b: b, lambda b: b[:, 1::2], lambda b: b.t()[:3, :3]):
        ours, theirs = base.clone(), base.clone()
        version = ours._version
        ops.in_place(which, part(ours), y)
        IN_PLACE[which](part(theirs), y)
        assert torch.equal(ours, theirs) and not torch.equal(ours, base)
        assert ours._version == version + 1


def test_arithmetic_in_place_has_gradients():
    def both(call):
        x, y = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
        z = x * 1
        call(z, y)
        return x.detach(), y.detach(), torch.autograd.grad((z**2).sum(), (x, y))

    torch.manual_seed(1)
    x, y, ours = both(lambda z, y: ops.in_place("*=", z, y))
    torch.manual_seed(1)
    _, _, theirs = both(lambda z, y: z.mul_(y))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)
    compiled, graphs = compiles(lambda x, y: ops.in_place("+=", x, y), fullgraph=True)
    got = x.clone()
    compiled(got, y)
    assert torch.equal(got, x + y) and len(graphs) == 1


def test_arithmetic_in_place_fails_as_torch_does():
    x, y = torch.rand(3), torch.rand(2, 3)
    for which, call in (("+=", lambda: x.add_(y)), ("*=", lambda: x.mul_(y))):
        assert raised(lambda which=which: ops.in_place(which, x, y)) == raised(call)
    whole = torch.arange(3)
    assert raised(lambda: ops.in_place("/= number", whole, y)) == raised(lambda: whole.div_(4))
    assert whole.tolist() == [0, 1, 2]


@pytest.mark.parametrize("value, dtype, what, expected", [
    (1.5, torch.float16, "f16", "1.5"),
    (-3.0, torch.bfloat16, "bf16", "-3"),
    (1e30, torch.float32, "f16", "inf"),
    (0.1, torch.float64, "f32", "0.1"),
    (0.1, torch.float64, "f64", "0.1"),
    (2**63 + 5, torch.uint64, "u64", str(2**63 + 5)),
    (2**64 - 1, torch.uint64, "u64", str(2**64 - 1)),
    (7, torch.uint64, "u64", "7"),
    (2**63, torch.uint64, "f64", "9223372036854776000"),  # the shortest text of that float
    (2**63 + 5, torch.uint64, "Scalar", f"UInt({2**63 + 5})"),
    (7, torch.uint64, "Scalar", "Int(7)"),
    (-(2**63), torch.int64, "i64", str(-(2**63))),
    (True, torch.bool, "bool", "true"),
    (True, torch.bool, "i8", "1"),
    (1 + 2j, torch.complex64, "Complex<f32>", "1+2i"),
    (1 + 2j, torch.complex128, "Complex64", "1+2i"),
    (4, torch.int32, "Complex<f32>", "4+0i"),
], ids=str)
def test_one_element(value, dtype, what, expected):
    assert ops.item(torch.tensor(value, dtype=dtype), what) == expected


@pytest.mark.parametrize("value, dtype, what, found", [
    (2**63 + 5, torch.uint64, "i64", f"`i64`, got UInt({2**63 + 5})"),
    (300, torch.int64, "i8", "`i8`, got Int(300)"),
    (1.0, torch.float32, "i64", "`i64`, got Float(1.0)"),
    (1, torch.int64, "bool", "`bool`, got Int(1)"),
    (1j, torch.complex64, "f64", "`f64`, got Complex"),
], ids=str)
def test_an_element_that_does_not_fit(value, dtype, what, found):
    kind, text = raised(lambda: ops.item(torch.tensor(value, dtype=dtype), what))
    assert kind == "TypeError" and "expected an element that fits" in text and found in text, text


def test_numbers_of_any_kind():
    for number in (3, -1.5, True, 2j, 2**63 - 1, -(2**63)):
        assert ops.scalar(number) == number and type(ops.scalar(number)) is type(number)
    assert ops.largest_uint64().tolist() == torch.full((2,), 2**64 - 1, dtype=torch.uint64).tolist() == [2**64 - 1] * 2
