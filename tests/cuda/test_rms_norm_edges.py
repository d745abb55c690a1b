"""examples/rms_norm on CUDA where things are odd: memory that vectors cannot be read from, sizes beside the blocks', many rows, no rows,
numbers at the ends, streams, cards, threads, graphs. Against float64."""

import threading

import pytest
import torch
import torch.nn.functional as F

from test_rms_norm import DTYPES, close

pytestmark = pytest.mark.gpu
ops = torch.ops.my_layers
rms_norm = ops.rms_norm


def reference(x, w, g, eps=1e-5):
    """Result and gradients in float64."""
    x, w = x.detach().double().requires_grad_(), None if w is None else w.detach().double().requires_grad_()
    y = F.rms_norm(x, (x.shape[-1],), w, eps)
    return y, *torch.autograd.grad(y, [x] if w is None else [x, w], g.double())


def ours(x, w, g, eps=1e-5):
    x, w = x.detach().requires_grad_(), None if w is None else w.detach().requires_grad_()
    y = rms_norm(x, w, eps)
    return y, *torch.autograd.grad(y, [x] if w is None else [x, w], g)


def check(x, w, g, eps=1e-5):
    found = ours(x, w, g, eps)
    for number, (a, b) in enumerate(zip(found, reference(x, w, g, eps))):
        close(a, b, (w if number == 2 else x).dtype, 4 if number else 1)
    return found


def beside(shape, dtype, offset):
    """Contiguous, and so many elements beside where vectors lie."""
    count = torch.Size(shape).numel()
    return torch.randn(count + offset, device="cuda").to(dtype)[offset:].view(shape)


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 7, 8, 31, 32, 33, 127, 128, 129, 255, 257, 511, 1023, 1025, 2047, 2049, 4095, 4097, 8191, 8193, 65_537])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_columns_beside_the_blocks(columns, dtype):
    for rows in (1, 2, 3, 5):
        x, w, g = (torch.randn(shape, device="cuda") for shape in ((rows, columns), (columns,), (rows, columns)))
        # With few columns, the gradient of the input is what is left of almost equal numbers; these are small if the input is not.
        check((x + x.sign() * (columns < 4)).to(dtype), w.to(dtype), g.to(dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("columns", [64, 72, 1024, 4096, 20_480])
def test_memory_beside_vectors(columns, dtype):
    """Each of the four tensors that are read in vectors alone, by each number of elements, then all."""
    for offset in (1, 2, 3, 4, 5, 7):
        for odd in ("x", "w", "g", "xwg"):
            place = lambda name, shape: beside(shape, dtype, offset if name in odd else 0)
            check(place("x", (3, columns)), place("w", (columns,)), place("g", (3, columns)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_a_wide_weight_beside_vectors(dtype, offset):
    for columns in (64, 1024, 20_480, 1023):
        check(torch.randn(3, columns, device="cuda").to(dtype), beside((columns,), torch.float32, offset), torch.randn(3, columns, device="cuda").to(dtype))


WEIGHTS = {
    "stepped": lambda columns: torch.randn(2 * columns + 1, device="cuda")[1::2],
    "expanded": lambda columns: torch.randn(1, device="cuda").expand(columns),
    "a column": lambda columns: torch.randn(columns, 3, device="cuda")[:, 1],
    "float64": lambda columns: torch.randn(columns, device="cuda", dtype=torch.float64),
    "integers": lambda columns: torch.arange(columns, device="cuda"),
    "booleans": lambda columns: torch.arange(columns, device="cuda") % 3 == 0,
}


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_weights(kind, dtype):
    for columns in (64, 1001):
        x, w, g = torch.randn(5, columns, device="cuda").to(dtype), WEIGHTS[kind](columns), torch.randn(5, columns, device="cuda").to(dtype)
        if not w.is_floating_point():
            close(rms_norm(x, w, 1e-5), F.rms_norm(x.double(), (columns,), w.double(), 1e-5), dtype, 1)
            continue
        y, gx, gw = ours(x, w, g)
        # The computation is in float32, whatever the weight is.
        for found, expected, kind_of in zip((y, gx, gw.float()), reference(x, w, g), (dtype, dtype, torch.float32)):
            close(found, expected, kind_of, 4)
        assert gw.dtype == w.dtype and gw.shape == w.shape


def test_a_complex_weight_is_refused():
    x = torch.randn(3, 8, device="cuda")
    with pytest.raises(TypeError, match="found a weight of complex64, expected real numbers"):
        rms_norm(x, torch.randn(8, device="cuda", dtype=torch.complex64))


GRADIENTS = {
    "of a sum": lambda x: torch.ones((), device="cuda", dtype=x.dtype).expand(x.shape),
    "of a row": lambda x: torch.randn(x.shape[-1], device="cuda").to(x.dtype).expand(x.shape),
    "transposed": lambda x: torch.randn(x.shape[::-1], device="cuda").to(x.dtype).permute(*reversed(range(x.dim()))),
    "sliced": lambda x: torch.randn(*x.shape[:-1], x.shape[-1] + 3, device="cuda").to(x.dtype)[..., 3:],
    "stepped": lambda x: torch.randn(*x.shape[:-1], 2 * x.shape[-1], device="cuda").to(x.dtype)[..., ::2],
}
INPUTS = {
    "five dimensions": lambda: torch.randn(2, 3, 1, 5, 64, device="cuda"),
    "permuted": lambda: torch.randn(64, 3, 5, 2, device="cuda").permute(3, 2, 1, 0),
    "channels_last": lambda: torch.randn(2, 3, 5, 64, device="cuda").contiguous(memory_format=torch.channels_last),
    "one row": lambda: torch.randn(1023, device="cuda"),
    "sliced": lambda: torch.randn(9, 200, device="cuda")[1::2, 3:131],
    "expanded": lambda: torch.randn(1, 7, 1, device="cuda").expand(5, 7, 66),
}


@pytest.mark.parametrize("layout", INPUTS)
@pytest.mark.parametrize("gradient", GRADIENTS)
def test_gradients_of_every_layout(layout, gradient):
    for dtype in DTYPES:
        x = INPUTS[layout]().to(dtype)
        check(x, torch.randn(x.shape[-1], device="cuda").to(dtype), GRADIENTS[gradient](x))


@pytest.mark.parametrize("needs", ["x", "w", "xw"])
@pytest.mark.parametrize("shape", [(0, 64), (4, 0), (0, 0), (2, 0, 64), (0,), (3, 64)])
def test_nothing_and_only_what_is_wanted(shape, needs):
    x, w = torch.randn(shape, device="cuda", requires_grad="x" in needs), torch.randn(shape[-1], device="cuda", requires_grad="w" in needs)
    y = rms_norm(x, w, 1e-5)
    x64, w64 = x.detach().double().requires_grad_("x" in needs), w.detach().double().requires_grad_("w" in needs)
    expected = F.rms_norm(x64, shape[-1:], w64, 1e-5)
    assert y.shape == expected.shape
    wanted = [t for t in (x, w) if t.requires_grad]
    found = torch.autograd.grad(y.sum(), wanted)
    for a, b in zip(found, torch.autograd.grad(expected.sum(), [t for t in (x64, w64) if t.requires_grad])):
        close(a, b, torch.float32, 4)
    torch.cuda.synchronize()


@pytest.mark.parametrize("rows, columns", [(65_535, 32), (65_537, 33), (1_000_003, 1), (3_000_001, 5), (70_000, 1024)])
def test_many_rows(rows, columns):
    """More than one launch has in its other dimensions, more blocks than the backward starts."""
    x, w = torch.randn(rows, columns, device="cuda"), torch.randn(columns, device="cuda")
    g = torch.randn(rows, columns, device="cuda")
    y, gx, gw = ours(x, w, g)
    expected, ex, ew = reference(x, w, g)
    close(y, expected, torch.float32, 1)
    # With one column, the gradient is what is left of two equal numbers, which are as large as its factors.
    near = max(1.0, (g.double() * w.double() * (x.double().square().mean(-1, keepdim=True) + 1e-5).rsqrt()).abs().max().item())
    torch.testing.assert_close(gx.double(), ex, rtol=1e-5, atol=4e-6 * near)
    # Of as many terms, in parts.
    torch.testing.assert_close(gw.double(), ew, rtol=1e-4, atol=1e-3 * rows**0.5)


def test_rows_that_begin_beyond_31_bits_and_lie_beside_vectors():
    if torch.cuda.mem_get_info()[0] < 40 << 30:
        pytest.skip("needs 40 GB of free GPU memory")
    columns = 1021  # odd: no vectors
    rows = 2**31 // columns + 5
    x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16).requires_grad_()
    w = torch.randn(columns, device="cuda", dtype=torch.float32).requires_grad_()
    y = rms_norm(x, w, 1e-5)
    g = torch.ones((), device="cuda", dtype=torch.bfloat16).expand(rows, columns)
    gx, _ = torch.autograd.grad(y, (x, w), g)
    for part in (slice(0, 3), slice(rows // 2, rows // 2 + 3), slice(rows - 8, rows)):
        expected, ex, _ = reference(x.detach()[part], w, g[part])
        close(y[part], expected, torch.bfloat16, 1)
        close(gx[part], ex, torch.bfloat16, 4)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("eps", [None, 0.0, 1e-5, 1e-30, 1e-300, -1e-3, -10.0, float("nan"), float("inf")])
def test_numbers_at_the_ends(dtype, eps):
    """As float32 has it: squares of large numbers are infinite there, the result is 0."""
    info = torch.finfo(dtype)
    for value in (300.0, info.max, info.max / 4, info.tiny, info.smallest_normal / 4, 0.0, -0.0, float("inf"), float("nan")):
        x = torch.full((2, 40), value, device="cuda", dtype=dtype)
        x[1, ::3] = 1
        found, x32 = rms_norm(x, None, eps), x.float()
        added = torch.tensor(torch.finfo(torch.float32).eps if eps is None else eps, device="cuda", dtype=torch.float32)
        expected = (x32 * torch.rsqrt(x32.square().mean(-1, keepdim=True) + added)).to(dtype)
        torch.testing.assert_close(found, expected, rtol=1e-5 if dtype == torch.float32 else 1e-2, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows, columns", [(5000, 64), (777, 1000), (300, 8192), (64, 40_000)])
def test_the_same_each_time(rows, columns, dtype):
    x, w, g = (torch.randn(shape, device="cuda").to(dtype) for shape in ((rows, columns), (columns,), (rows, columns)))
    first = ours(x, w, g)
    for _ in range(5):
        assert all(torch.equal(a, b) for a, b in zip(first, ours(x, w, g)))


def test_a_lazily_negated_input():
    z = torch.randn(5, 64, device="cuda", dtype=torch.complex64)
    x = z.conj().imag
    assert x.is_neg()
    close(rms_norm(x, None, 1e-5), F.rms_norm(x.double(), (64,), None, 1e-5), torch.float32, 1)


def test_a_side_stream():
    x, w, g = (torch.randn(shape, device="cuda") for shape in ((4096, 2048), (2048,), (4096, 2048)))
    expected = reference(x, w, g)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        # Work before it on this stream alone, that the kernels must wait for; memory is taken and given back between.
        late = x * 0
        for _ in range(30):
            late = late + x / 30
        found = ours(late.t().contiguous().t(), w, g)
    torch.cuda.current_stream().wait_stream(stream)
    for number, (a, b) in enumerate(zip(found, expected)):
        close(a, b, torch.float32, 40 if number else 10)


def test_several_threads_on_streams_of_their_own():
    torch.cuda.synchronize()
    wrong = []

    def work(seed):
        try:
            generator = torch.Generator("cuda").manual_seed(seed)
            with torch.cuda.stream(torch.cuda.Stream()):
                for columns in (64, 1023, 4096) * 4:
                    x, w, g = (torch.randn(shape, device="cuda", generator=generator) for shape in ((100, columns), (columns,), (100, columns)))
                    check(x, w, g)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong, wrong


def test_a_graph_of_forward_and_backward():
    x, w, g = (torch.randn(shape, device="cuda") for shape in ((64, 1000), (1000,), (64, 1000)))
    ours(x, w, g)
    torch.cuda.synchronize()
    x, w = x.requires_grad_(), w.requires_grad_()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = rms_norm(x, w, 1e-5)
        gx, gw = torch.autograd.grad(y, (x, w), g)
    for _ in range(3):
        with torch.no_grad():
            x.normal_(), w.normal_(), g.normal_()
        graph.replay()
        for number, (a, b) in enumerate(zip((y, gx, gw), reference(x, w, g))):
            close(a, b, torch.float32, 4 if number else 1)


@pytest.mark.gpu(2)
def test_a_card_that_is_not_the_current_one():
    assert torch.cuda.current_device() == 0
    x, w, g = (torch.randn(shape, device="cuda:1") for shape in ((50, 1023), (1023,), (50, 1023)))
    # The current device's work is long: a kernel on its stream would come late.
    busy = torch.randn(8000, 8000, device="cuda:0") @ torch.randn(8000, 8000, device="cuda:0")
    for number, (a, b) in enumerate(zip(ours(x, w, g), reference(x, w, g))):
        assert a.device == torch.device("cuda:1")
        close(a, b, torch.float32, 4 if number else 1)
    assert torch.cuda.current_device() == 0 and busy.device.index == 0
    with pytest.raises(RuntimeError, match="cuda:0|on cuda"):
        rms_norm(x, w.to("cuda:0"), 1e-5)


def test_higher_derivatives_and_checkpoint():
    from torch.utils.checkpoint import checkpoint

    def third(norm, x, w):
        value = norm(x, w).sin().sum()
        for _ in range(3):
            gradients = torch.autograd.grad(value, (x, w), create_graph=True)
            value = sum((gradient * gradient.detach().cos()).sum() for gradient in gradients)
        return gradients

    x, w = torch.randn(5, 33, device="cuda", requires_grad=True), torch.randn(33, device="cuda", requires_grad=True)
    x64, w64 = x.detach().double().requires_grad_(), w.detach().double().requires_grad_()
    expected = third(lambda x, w: F.rms_norm(x, (33,), w, 0.1), x64, w64)
    for norm in (lambda x, w: rms_norm(x, w, 0.1), lambda x, w: checkpoint(lambda x, w: rms_norm(x, w, 0.1), x, w, use_reentrant=False)):
        for a, b in zip(third(norm, x, w), expected):
            torch.testing.assert_close(a.double(), b, rtol=1e-3, atol=1e-3 * b.abs().max().item())


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_for_all_hidden_sizes(backend):
    fn = torch.compile(lambda x, w: rms_norm(x * 2, w, 1e-5), backend=backend, fullgraph=True, dynamic=True)
    for rows, columns in ((4, 8), (5, 9), (7, 1024), (2, 30), (300, 4097)):
        x, w = torch.randn(rows, columns, device="cuda", requires_grad=True), torch.randn(columns, device="cuda", requires_grad=True)
        g = torch.randn(rows, columns, device="cuda")
        y = fn(x, w)
        expected = reference(x * 2, w, g)
        close(y, expected[0], torch.float32, 2)
        gx, gw = torch.autograd.grad(y, (x, w), g)
        close(gx, expected[1] * 2, torch.float32, 8)
        close(gw, expected[2], torch.float32, 8)
