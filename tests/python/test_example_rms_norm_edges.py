"""examples/rms_norm where things are odd: columns beside the vectors' width, weights and gradients of every kind, numbers at the ends,
no rows, little memory. Against float64; the CUDA kernels' are in tests/cuda/test_rms_norm_edges.py."""

import pytest
import torch
import torch.nn.functional as F

from conftest import compiles, raised
from test_example_rms_norm import DTYPES, LIBRARY, close, ops, rms_norm


def reference(x, w, g, eps=1e-5):
    """Result and gradients in float64."""
    x, w = x.detach().double().requires_grad_(), w.detach().double().requires_grad_()
    y = F.rms_norm(x, (x.shape[-1],), w, eps)
    return y, *torch.autograd.grad(y, (x, w), g.double())


def ours(x, w, g, eps=1e-5):
    x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
    y = rms_norm(x, w, eps)
    return y, *torch.autograd.grad(y, (x, w), g)


def check(x, w, g):
    # The computation is in float32 unless the input is in float64.
    kinds = [x.dtype, x.dtype, w.dtype if w.dtype != torch.float64 or x.dtype == torch.float64 else torch.float32]
    found = ours(x, w, g)
    assert found[2].dtype == w.dtype
    for number, (a, b, kind) in enumerate(zip(found, reference(x, w, g), kinds)):
        close(a, b, kind, 8 if number else 1)


@pytest.mark.parametrize("columns", [1, 2, 3, 7, 31, 32, 33, 63, 65, 1023, 4097, 65_537])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_columns(columns, dtype):
    for rows in (1, 2, 3):
        x, w, g = (torch.randn(shape) for shape in ((rows, columns), (columns,), (rows, columns)))
        # With few columns, the gradient of the input is what is left of almost equal numbers; these are small if the input is not.
        check((x + x.sign() * (columns < 4)).to(dtype), w.to(dtype), g.to(dtype))


WEIGHTS = {
    "stepped": lambda: torch.randn(67)[1::2],
    "expanded": lambda: torch.randn(1).expand(33),
    "beside": lambda: torch.randn(36)[3:],
    "a column": lambda: torch.randn(33, 3)[:, 1],
    "float64": lambda: torch.randn(33, dtype=torch.float64),
    "bfloat16": lambda: torch.randn(33).bfloat16(),
}
GRADIENTS = {
    "of a sum": lambda x: torch.ones((), dtype=x.dtype).expand(x.shape),
    "of a row": lambda x: torch.randn(x.shape[-1]).to(x.dtype).expand(x.shape),
    "transposed": lambda x: torch.randn(x.shape[::-1]).to(x.dtype).t(),
    "stepped": lambda x: torch.randn(x.shape[0], 2 * x.shape[1]).to(x.dtype)[:, ::2],
}


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_weights_and_gradients(weight, gradient, dtype):
    x = torch.randn(200)[2:].view(6, 33).to(dtype)
    check(x, WEIGHTS[weight](), GRADIENTS[gradient](x))


@pytest.mark.parametrize("weight", [torch.arange(33), torch.arange(33) % 3 == 0], ids=["integers", "booleans"])
def test_weights_without_a_gradient(weight):
    x = torch.randn(4, 33)
    close(rms_norm(x, weight, 1e-5), F.rms_norm(x.double(), (33,), weight.double(), 1e-5), torch.float32)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("eps", [None, 0.0, 1e-5, 1e-30, -1e-3, -10.0, float("nan"), float("inf")])
def test_numbers_at_the_ends(dtype, eps):
    info = torch.finfo(dtype)
    for value in (300.0, info.max, info.max / 4, info.tiny, info.smallest_normal / 4, 0.0, -0.0, float("inf"), float("nan")):
        x = torch.full((2, 40), value, dtype=dtype)
        x[1, ::3] = 1
        torch.testing.assert_close(rms_norm(x, None, eps), F.rms_norm(x, (40,), None, eps), rtol=1e-2, atol=0, equal_nan=True)


@pytest.mark.parametrize("shape", [(0, 64), (4, 0), (0, 0), (2, 0, 64), (0,)])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_nothing(shape, order):
    x, w = torch.randn(shape, dtype=torch.double, requires_grad=True), torch.randn(shape[-1], dtype=torch.double, requires_grad=True)
    value = rms_norm(x, w, 1e-5).sum()
    for _ in range(order):
        gradients = torch.autograd.grad(value, (x, w), create_graph=True)
        value = sum(gradient.sin().sum() for gradient in gradients)
    assert gradients[0].shape == shape and torch.equal(gradients[1], torch.zeros(shape[-1]).double())


def test_a_complex_weight_is_refused():
    x, w = torch.randn(3, 8), torch.randn(8, dtype=torch.complex64)
    calls = (lambda: rms_norm(x, w), lambda: ops.rms_norm_backward(x, x, w, torch.ones(3, 1), None, True), lambda: rms_norm(x.to("meta"), w.to("meta")))
    for call in calls:
        kind, text = raised(call)
        assert kind == "TypeError" and "found a weight of complex64, expected real numbers" in text


def test_no_rows_of_very_many_columns():
    """Sizes cost nothing where there is nothing."""
    x, w = torch.empty(0, 2**40, requires_grad=True), torch.ones(1).expand(2**40)
    y = rms_norm(x, w)
    assert y.shape == (0, 2**40) and torch.autograd.grad(y.sum(), x)[0].shape == (0, 2**40)
    # The gradient of the weight has as many numbers as the weight.
    w = w.detach().requires_grad_()
    kind, text = raised(lambda: torch.autograd.grad(rms_norm(x.detach(), w).sum(), w))
    assert kind == "RuntimeError" and "memory" in text


def test_little_memory_is_an_error(process):
    said = process(f"""
        import resource, torch
        torch.ops.load_library({LIBRARY!r})
        torch.set_num_threads(1)
        x = torch.ones(1, 2**27, dtype=torch.float16)
        torch.ops.my_layers.rms_norm(x[:, :100_000])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**28 + 2**26, -1))  # for the result, and little more
        try:
            torch.ops.my_layers.rms_norm(x)
        except RuntimeError as error:
            print("memory" in str(error))
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        print(torch.ops.my_layers.rms_norm(x, None, 0.0).eq(1).all().item())
    """)
    assert said.split() == ["True", "True"]


def test_compiled_with_a_weight_of_another_dtype():
    fn, graphs = compiles(lambda x, w: rms_norm(x * 2, w, 1e-5), "inductor", fullgraph=True, dynamic=True)
    for columns in (5, 33, 1024):
        x, w = torch.randn(4, columns).bfloat16().requires_grad_(), torch.randn(columns).requires_grad_()
        y, expected = fn(x, w), rms_norm(x * 2, w, 1e-5)
        torch.testing.assert_close((y, *torch.autograd.grad(y.sum(), (x, w))), (expected, *torch.autograd.grad(expected.sum(), (x, w))))
    assert len(graphs) == 1
