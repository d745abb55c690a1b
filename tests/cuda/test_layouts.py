"""The example's operator on CUDA: every dtype and layout of the CPU's test, and sizes that 32 bits do not hold."""

import pytest
import torch

from test_example_layouts import DTYPES, LAYOUTS, base_of, check

pytestmark = pytest.mark.gpu
op = torch.ops.my_ops.identity_conv_op


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_layout_in_dtype(dtype, layout):
    base = base_of(dtype)
    x = LAYOUTS[layout](base.cuda())
    check(x)
    # Sizes, strides and values of the same on the CPU.
    on_cpu = LAYOUTS[layout](base)
    assert x.stride() == on_cpu.stride() and x.shape == on_cpu.shape


WIDE = {
    "rows-with-gaps": lambda: torch.randn(300, 400, device="cuda")[:, :80],
    "odd-rows-with-gaps": lambda: torch.randn(300, 401, device="cuda")[:, :33],
    "columns-far-apart": lambda: torch.randn(1000, 100, device="cuda")[:, 7],
    "permuted-with-gaps": lambda: torch.randn(20, 30, 40, 50, device="cuda")[:, :, ::3, :8].permute(3, 0, 2, 1),
    "expanded-with-gaps": lambda: torch.randn(20, 1, 300, device="cuda")[:, :, :3].expand(20, 7, 3),
    "misaligned": lambda: torch.randn(100001, device="cuda")[1:],
    "odd-length-of-bytes": lambda: torch.randint(0, 255, (100003,), device="cuda", dtype=torch.uint8),
    "fifteen-bytes": lambda: torch.randint(0, 255, (15,), device="cuda", dtype=torch.uint8),
    "twelve-dimensions": lambda: torch.randn(*[3] * 12, device="cuda")[(slice(0, 2),) * 12],
    "stepped": lambda: torch.randn(100000, device="cuda")[::4],
    "stepped-far": lambda: torch.randn(100000, device="cuda")[3::40],
    "stepped-complex128": lambda: torch.randn(9000, device="cuda", dtype=torch.complex128)[::5],
}


@pytest.mark.parametrize("name", WIDE)
def test_gaps_alignments_and_tails(name):
    x = WIDE[name]()
    y = op(x)
    assert torch.equal(y, x) and y.stride() == x.stride() and y.storage_offset() == 0
    assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def memory():
    return torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else 0


@pytest.mark.parametrize("make", [
    lambda: torch.empty(2**31 + 8, dtype=torch.int8, device="cuda"),
    lambda: torch.empty(2**31 + 9, dtype=torch.int16, device="cuda"),
    lambda: torch.empty(2**16, 2**15 + 1, dtype=torch.int8, device="cuda").t(),
    lambda: torch.empty(2**27 + 3, 80, dtype=torch.int8, device="cuda")[:, 3:20],
    lambda: torch.empty(2**31 + 16, 4, dtype=torch.int8, device="cuda")[:, 1],
], ids=["bytes", "shorts", "transposed", "gaps", "stepped"])
def test_more_than_31_bits(make):
    if memory() < 40 << 30:
        pytest.skip("needs 40 GB of free GPU memory")
    x = make()
    x.random_(0, 100)
    y = op(x)
    assert y.stride() == x.stride() and y.shape == x.shape
    assert torch.equal(y, x)
    del x, y
    torch.cuda.empty_cache()


TRANSPOSED = {
    "matrix": lambda f: f(100, 70).t(),
    "square": lambda f: f(64, 64).t(),
    "batch": lambda f: f(5, 33, 65).transpose(1, 2),
    "nhwc": lambda f: f(2, 31, 17, 40).permute(0, 3, 1, 2),
    "nchw": lambda f: f(2, 40, 31, 17).permute(0, 2, 3, 1),
    "reversed": lambda f: f(3, 4, 5, 6).permute(3, 2, 1, 0),
    "sliced": lambda f: f(100, 70)[3:, 5:60].t(),
    "one-row": lambda f: f(1, 70).t(),
    "one-column": lambda f: f(70, 1).t(),
    "contiguous": lambda f: f(7, 8),
    "stepped": lambda f: f(7, 8)[:, ::2].t(),
    "expanded": lambda f: f(7, 1).expand(7, 5).t(),
    "zero-size": lambda f: f(0, 5).t(),
    "0-dim": lambda f: f(1)[0],
}


@pytest.mark.parametrize("layout", TRANSPOSED)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16, torch.float32, torch.float64, torch.complex128], ids=str)
def test_to_contiguous(dtype, layout):
    x = TRANSPOSED[layout](lambda *sizes: (torch.randn(*sizes, device="cuda") * 50).to(dtype))
    y = torch.ops.my_cuda_ops.to_contiguous(x)
    assert y.is_contiguous() and torch.equal(y.cpu(), x.cpu().contiguous())
    assert y.data_ptr() != x.data_ptr() or not x.numel()
