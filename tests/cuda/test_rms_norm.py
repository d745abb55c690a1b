"""examples/rms_norm on CUDA, against float64 and torch's fused operator: layouts, dtypes, sizes, training."""

import pytest
import torch
import torch.nn.functional as F

pytestmark = pytest.mark.gpu
ops = torch.ops.my_layers
rms_norm = ops.rms_norm
DTYPES = [torch.float32, torch.float16, torch.bfloat16]
ROUNDING = {torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}

LAYOUTS = {
    "contiguous": lambda: torch.randn(4, 6, 64),
    "transposed": lambda: torch.randn(6, 4, 64).transpose(0, 1),
    "columns first": lambda: torch.randn(64, 6).t(),
    "expanded": lambda: torch.randn(6, 1).expand(6, 64),
    "rows expanded": lambda: torch.randn(64).expand(5, 64),
    "stepped": lambda: torch.randn(4, 128)[:, ::2],
    "misaligned": lambda: torch.randn(4 * 64 + 1)[1:].view(4, 64),
    "odd": lambda: torch.randn(7, 33),
    "one row": lambda: torch.randn(1024),
    "one column": lambda: torch.randn(300, 1),
    "narrow, many rows": lambda: torch.randn(100_003, 8),
    "a warp": lambda: torch.randn(300, 512),
    "between": lambda: torch.randn(300, 1536),
    "wide": lambda: torch.randn(37, 16384),
    "wider than registers": lambda: torch.randn(300, 40_960),
    "odd and wider than registers": lambda: torch.randn(5, 20_011),
    "no rows": lambda: torch.randn(0, 64),
    "no columns": lambda: torch.randn(4, 0),
}


def close(ours, expected, dtype, scale):
    assert ours.shape == expected.shape and ours.dtype == dtype
    limit = ROUNDING[dtype] * scale * max(1.0, expected.abs().max().item() if expected.numel() else 0.0)
    torch.testing.assert_close(ours.double(), expected.double(), rtol=ROUNDING[dtype], atol=limit, equal_nan=True)


def check(x, weight_dtype, weighted=True):
    dtype, columns = x.dtype, x.shape[-1]
    x = x.detach().requires_grad_()
    w = torch.randn(columns, device="cuda").to(weight_dtype).requires_grad_() if weighted else None
    y = rms_norm(x, w, 1e-5)
    x64, w64 = x.detach().double().requires_grad_(), w.detach().double().requires_grad_() if weighted else None
    expected = F.rms_norm(x64, (columns,), w64, 1e-5)
    assert y.is_contiguous()
    close(y, expected, dtype, 1)
    g = torch.randn_like(expected).to(dtype)
    pairs = [(x, x64), (w, w64)][: 1 + weighted]
    ours = torch.autograd.grad(y, [pair[0] for pair in pairs], g)
    theirs = torch.autograd.grad(expected, [pair[1] for pair in pairs], g.double())
    for gradient, reference, (argument, _) in zip(ours, theirs, pairs):
        close(gradient, reference, argument.dtype, 4)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("weighted", [True, False])
def test_values_and_gradients(layout, dtype, weighted):
    # In 16 bits as well: a slice of a tensor that was converted is not misaligned.
    check(LAYOUTS[layout]().to("cuda", dtype) if layout != "misaligned" else torch.randn(4 * 64 + 1, device="cuda").to(dtype)[1:].view(4, 64),
          dtype, weighted)


@pytest.mark.parametrize("columns", [1024, 33])
@pytest.mark.parametrize("dtype, weight", [(torch.bfloat16, torch.float32), (torch.float16, torch.float32), (torch.float32, torch.bfloat16),
                                           (torch.float16, torch.bfloat16)], ids=str)
def test_a_weight_of_another_dtype(dtype, weight, columns):
    check(torch.randn(50, columns, device="cuda").to(dtype), weight)


@pytest.mark.parametrize("columns", [64, 512, 1000, 1024, 4096, 5120, 8192, 16384])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_as_torchs_fused_operator(dtype, columns):
    x = torch.randn(1000, columns, device="cuda", dtype=dtype).requires_grad_()
    w = torch.randn(columns, device="cuda", dtype=dtype).requires_grad_()
    y, z = rms_norm(x, w, 1e-5), F.rms_norm(x, (columns,), w, 1e-5)
    torch.testing.assert_close(y, z)
    g = torch.randn_like(y)
    for a, b in zip(torch.autograd.grad(y, (x, w), g), torch.autograd.grad(z, (x, w), g)):
        torch.testing.assert_close(a, b, rtol=2e-2 if dtype != torch.float32 else 1e-4, atol=0.2 if dtype != torch.float32 else 1e-3)


def test_special_numbers_and_the_default_eps():
    x = torch.tensor([[float("nan"), 1.0], [float("inf"), 1.0], [0.0, 0.0], [3e-39, 1e-45], [1e-4, 2e-4]], device="cuda")
    # In float64 on the CPU: torch's operator for CUDA has NaN for the 1 beside the infinity.
    expected = F.rms_norm(x.cpu().double(), (2,), None, torch.finfo(torch.float32).eps)
    torch.testing.assert_close(rms_norm(x).cpu().double(), expected, rtol=1e-5, atol=1e-6, equal_nan=True)


def test_two_runs_give_the_same():
    x, w = torch.randn(5000, 768, device="cuda").requires_grad_(), torch.randn(768, device="cuda").requires_grad_()
    runs = [torch.autograd.grad(rms_norm(x, w, 1e-5).square().sum(), (x, w)) for _ in range(3)]
    assert all(torch.equal(a, b) for other in runs[1:] for a, b in zip(runs[0], other))


def test_more_elements_than_31_bits():
    if torch.cuda.mem_get_info()[0] < 40 << 30:
        pytest.skip("needs 40 GB of free GPU memory")
    rows, columns = 2**19 + 1, 4096
    x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16).requires_grad_()
    w = torch.randn(columns, device="cuda", dtype=torch.bfloat16).requires_grad_()
    y = rms_norm(x, w, 1e-5)
    gx, gw = torch.autograd.grad(y, (x, w), torch.ones((), device="cuda", dtype=torch.bfloat16).expand(rows, columns))
    for part in (slice(0, 3), slice(rows - 3, rows)):
        x64 = x.detach()[part].double().requires_grad_()
        expected = F.rms_norm(x64, (columns,), w.double(), 1e-5)
        close(y[part], expected, torch.bfloat16, 1)
        close(gx[part], torch.autograd.grad(expected.sum(), x64)[0], torch.bfloat16, 4)
    normalised = torch.zeros(columns, device="cuda", dtype=torch.float64)
    for part in x.detach().split(1 << 16):
        normalised += F.rms_norm(part.float(), (columns,), None, 1e-5).double().sum(0)
    close(gw, normalised, torch.bfloat16, 4)


def test_opcheck_and_second_order():
    for dtype in DTYPES:
        x = torch.randn(3, 8, dtype=dtype, device="cuda", requires_grad=True)
        w = torch.randn(8, dtype=dtype, device="cuda", requires_grad=True)
        torch.library.opcheck(ops.fused_rms_norm.default, (x, w, 1e-5))

    def second(norm, x, w):
        first = torch.autograd.grad(norm(x, w).square().sum(), (x, w), create_graph=True)
        return torch.autograd.grad(first[0].square().sum() + first[1].square().sum(), (x, w))

    x, w = torch.randn(5, 64, device="cuda", requires_grad=True), torch.randn(64, device="cuda", requires_grad=True)
    x64, w64 = x.detach().double().requires_grad_(), w.detach().double().requires_grad_()
    ours = second(lambda x, w: rms_norm(x, w, 1e-3), x, w)
    for a, b in zip(ours, second(lambda x, w: F.rms_norm(x, (64,), w, 1e-3), x64, w64)):
        torch.testing.assert_close(a.double(), b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("region", [torch.float16, torch.bfloat16], ids=str)
def test_autocast_widens(dtype, region):
    x = torch.randn(5, 64, device="cuda", dtype=dtype)
    with torch.autocast("cuda", dtype=region):
        y = rms_norm(x, None, 1e-5)
    assert y.dtype == torch.float32
    torch.testing.assert_close(y, F.rms_norm(x.float(), (64,), None, 1e-5))


@pytest.mark.parametrize("call, kind, text", [
    (lambda: rms_norm(torch.randn(3, 4, device="cuda", dtype=torch.float64)), TypeError, "not implemented for float64 on CUDA"),
    (lambda: rms_norm(torch.randn(3, 4, device="cuda"), torch.randn(3, device="cuda")), ValueError, r"found a weight of size \[3\], expected \[4\]"),
    (lambda: rms_norm(torch.randn(3, 4, device="cuda"), torch.randn(4)), RuntimeError, "CUDA kernel `forward`, argument `weight`.* found one on cpu"),
    (lambda: ops.rms_norm_backward(torch.randn(3, 4, device="cuda").half(), torch.randn(3, 4, device="cuda"), None, torch.randn(3, 1, device="cuda"), None, True),
     ValueError, "found a gradient of size .* and dtype float16"),
    (lambda: ops.rms_norm_backward(torch.randn(3, 4, device="cuda"), torch.randn(3, 4, device="cuda"), None, torch.randn(2, 1, device="cuda"), None, True),
     ValueError, "found an `rstd` of size .*expected a number for each row"),
])
def test_wrong_use(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
    assert rms_norm(torch.ones(1, 4, device="cuda"), None, 0.0).eq(1).all()


def test_a_cuda_graph():
    x, w = torch.randn(64, 1024, device="cuda"), torch.randn(1024, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = rms_norm(x, w, 1e-5)
    for _ in range(3):
        x.normal_()
        graph.replay()
        torch.testing.assert_close(y, F.rms_norm(x, (1024,), w, 1e-5))


@pytest.mark.gpu(2)
def test_on_another_card():
    x, w = torch.randn(64, 1024, device="cuda:1", requires_grad=True), torch.randn(1024, device="cuda:1", requires_grad=True)
    y = rms_norm(x, w, 1e-5)
    torch.testing.assert_close(y, F.rms_norm(x, (1024,), w, 1e-5))
    for a, b in zip(torch.autograd.grad(y.square().sum(), (x, w)), torch.autograd.grad(F.rms_norm(x, (1024,), w, 1e-5).square().sum(), (x, w))):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("autocast", [False, True])
def test_a_transformer_trains_as_with_torchs_own(autocast):
    from transformer import losses, theirs

    eager = losses(rms_norm, False, autocast=autocast, device="cuda")
    limit = 2e-2 if autocast else 1e-4
    assert eager[-1] < 0.8 * eager[0]
    torch.testing.assert_close(eager, losses(theirs, False, autocast=autocast, device="cuda"), rtol=limit, atol=limit)
    torch.testing.assert_close(eager, losses(rms_norm, True, autocast=autocast, device="cuda"), rtol=limit, atol=limit)
