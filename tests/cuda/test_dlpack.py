"""Tensors on a GPU by DLPack, against torch's own."""

import pytest
import torch

from dlpack_capsules import Given, take

pytestmark = pytest.mark.gpu
LAYOUTS = {"contiguous": lambda x: x, "transposed": lambda x: x.t(), "sliced": lambda x: x[1:, ::2], "empty": lambda x: x[:0]}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("device", [0, pytest.param(1, marks=pytest.mark.gpu(2))])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=str)
def test_both_ways(layout, device, dtype):
    x = LAYOUTS[layout](torch.arange(48, device=f"cuda:{device}").reshape(6, 8).to(dtype))
    with torch.cuda.device(device):  # torch gives tensors of the current one alone
        taken = take(x), take(x, versioned=False)
    for y in (torch.from_dlpack(Given(x)), *taken):
        assert (y.device, y.dtype, y.shape) == (x.device, x.dtype, x.shape) and torch.equal(y, x)
        assert not x.numel() or (y.data_ptr() == x.data_ptr() and y.stride() == x.stride())
    assert torch.equal(torch.ops.test_dlpack.round_trip(x), x)
