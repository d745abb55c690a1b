"""Functions over all elements: right on every layout, dtype and broadcasting, with torch's types and strides."""

import itertools

import pytest
import torch

from conftest import raised

ops = torch.ops.test_elementwise

LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(-1, -2).contiguous().transpose(-1, -2),
    "channels_last": lambda x: x.contiguous(memory_format=torch.channels_last),
    "permuted": lambda x: x.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0),
    "stepped": lambda x: torch.stack([x, x], -1)[..., 0],
    "offset": lambda x: torch.cat([x, x])[x.shape[0] :],
    "expanded": lambda x: x[:, :1].expand(x.shape),
    "row": lambda x: x[0, 0, 0],
    "column": lambda x: x[:1, :, :1, :1],
    "number": lambda x: x[0, 0, 0, 0],
}
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8]


def base(dtype=torch.float32):
    return (torch.randint(0, 9, (2, 3, 4, 5))).to(dtype)


def common(*tensors):
    return getattr(torch, ops.common(tensors))


@pytest.mark.parametrize("a", LAYOUTS)
@pytest.mark.parametrize("b", LAYOUTS)
def test_layouts_and_broadcasting(a, b):
    x, y = LAYOUTS[a](base()), LAYOUTS[b](base())
    got, expected = ops.axpy(x, y), x + x + y
    assert torch.equal(got, expected) and got.dtype == expected.dtype
    assert got.stride() == torch.add(x, y).stride(), (x.stride(), y.stride())


@pytest.mark.parametrize("pair", itertools.product(DTYPES, DTYPES), ids=str)
def test_dtypes_are_promoted(pair):
    for shapes in ((base, base), (lambda d: base(d)[0, 0, 0, 0], base), (base, lambda d: base(d)[0])):
        x, y = shapes[0](pair[0]), shapes[1](pair[1])
        got, expected = ops.axpy(x, y), (x + x + y).to(torch.result_type(x, y))
        assert got.dtype == expected.dtype == common(x, y)
        assert torch.equal(got, expected)


def test_the_common_dtype_of_several():
    make = lambda d, n: torch.ones([1] * n, dtype=d)  # noqa: E731
    choice = [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float64, torch.complex64]
    for dtypes in itertools.product(choice, repeat=2):
        for ranks in itertools.product((0, 1), repeat=2):
            x, y = (make(d, n) for d, n in zip(dtypes, ranks, strict=True))
            assert common(x, y) == torch.result_type(x, y), (dtypes, ranks)
    x = [make(torch.int64, 1), make(torch.float16, 0), make(torch.uint8, 1), make(torch.float64, 0)]
    # int64 and uint8 with dimensions, float16 and float64 without: of a higher kind, so float64 of them decides.
    assert common(*x) == torch.float64


def test_several_types_at_once():
    which, x, y = torch.rand(4, 5) > 0.5, torch.rand(5), torch.rand(4, 1).double()
    assert torch.equal(ops.choose(which, x, y), torch.where(which, x.double(), y))
    # Integers convert to float32; float64 does too, in torch's eyes; complex does not.
    assert torch.equal(ops.choose(which, x.int(), y), torch.where(which, x.int().double(), y))
    kind, text = raised(lambda: ops.choose(which, x.to(torch.complex64), y))
    assert kind == "TypeError" and "argument 'x' (position 1): expected float32 elements, or ones that convert to it, got complex64" in text
    assert raised(lambda: ops.choose(x, x, y))[0] == "TypeError"
    assert torch.equal(ops.positive(torch.tensor([-1.0, 2.0])), torch.tensor([False, True]))


def test_six_inputs():
    tensors = [LAYOUTS[name](base(torch.float64)) for name in list(LAYOUTS)[:5]] + [torch.tensor(3)]
    expected = sum(tensors)
    assert torch.equal(ops.sum_of_six(*tensors), expected)


def test_any_number_of_inputs():
    tensors = [LAYOUTS[name](base(torch.float64)) for name in [*LAYOUTS][:8]] + [torch.tensor(3)]
    got, expected = ops.weighted(tensors), sum(tensor * n for n, tensor in enumerate(tensors, 1))
    assert torch.equal(got, expected) and got.shape == expected.shape
    large = [torch.rand(70, 1001, dtype=torch.float64).t() for _ in range(9)]
    torch.testing.assert_close(ops.weighted(large), sum(tensor * n for n, tensor in enumerate(large, 1)))
    positive, squares, number = ops.of_arrays(torch.tensor([-1, 0, 2]))
    assert positive.tolist() == [False, False, True] and squares.tolist() == [1, 0, 4]
    assert number.dtype == torch.uint8 and number.shape == () and number == 7


def test_sizes():
    for shape in ([], [0], [3, 0, 2], [1], [70_001], [1, 1, 1]):
        x = torch.rand(shape)
        assert torch.equal(ops.axpy(x, x), x * 3) or torch.allclose(ops.axpy(x, x), x * 3)
    kind, text = raised(lambda: ops.axpy(torch.ones(3), torch.ones(2, 4)))
    assert kind == "RuntimeError" and "must match the size" in text and "non-singleton dimension 1" in text


def test_large_strided_tensors_on_several_threads():
    before = torch.get_num_threads()
    try:
        for number in (1, 2, 3):
            torch.set_num_threads(number)
            x, y = torch.rand(300, 501)[:, ::2], torch.rand(251, 300).t()
            torch.testing.assert_close(ops.silu_mul(x, y), torch.nn.functional.silu(x) * y)
    finally:
        torch.set_num_threads(before)


def test_silu_is_torchs():
    x = torch.cat([torch.linspace(-120, 120, 100_001), torch.tensor([float("inf"), float("nan"), 0.0, -0.0])])
    got, expected = ops.silu_mul(x, torch.ones_like(x)), torch.nn.functional.silu(x.double()).float()
    torch.testing.assert_close(got, expected, rtol=4e-7, atol=1e-36, equal_nan=True)


def test_a_panic_is_an_error():
    kind, text = raised(lambda: ops.panics(torch.tensor([1.0, -2.0])))
    assert kind == "RuntimeError" and "-2 is not positive" in text and "elementwise.rs" in text


def test_inputs_may_be_one_tensor():
    x = torch.rand(1000)
    assert torch.allclose(ops.axpy(x, x), 3 * x)


def test_a_kernel_reads_what_requires_grad():
    """Autograd has seen the call: nothing is lost. Outside of a kernel it would be."""
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    assert ops.positive(x).tolist() == [True, False]
    with pytest.raises(RuntimeError, match="outside of a kernel, where its gradient would be lost"):
        torch.ops.test_views.outside(x)
