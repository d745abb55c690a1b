"""Equal values, shape, dtype and strides, in memory of its own: every layout in every dtype that torch can clone."""

import torch

from common import load, say

LAYOUTS = {
    "contiguous": lambda base: base,
    "transposed": lambda base: base.transpose(1, 3),
    "permuted": lambda base: base.permute(2, 0, 3, 1),
    "channels_last": lambda base: torch.empty_strided(
        base.shape, (120, 1, 24, 4), dtype=base.dtype, device=base.device
    ).copy_(base),
    "sliced, with an offset": lambda base: base[1:, :, 2:],
    "stepped": lambda base: base[:, :, ::2, ::3],
    "expanded": lambda base: base[:, :1].expand(2, 4, 5, 6),
    "zero-size": lambda base: base[:, :, :0],
    "0-dim": lambda base: base[0, 0, 0, 0],
}


def dtypes():
    return sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype)}, key=str)


def base_of(dtype):
    """A tensor of random bytes: all values, NaNs among them, must survive. A bool has only two."""
    if dtype == torch.bool:
        return torch.randint(0, 2, (2, 4, 5, 6)).bool()
    return torch.randint(0, 256, (2, 4, 5, 6 * dtype.itemsize), dtype=torch.uint8).view(dtype)


def bytes_of(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def check(op, x, what):
    y = op(x)
    assert (y.shape, y.dtype, y.device) == (x.shape, x.dtype, x.device), what
    assert y.stride() == x.stride(), f"{what}: strides {y.stride()}, the input has {x.stride()}"
    assert y.storage_offset() == 0 and y._base is None, f"{what}: a view was returned"
    if x.device.type == "meta":
        return
    assert torch.equal(bytes_of(y), bytes_of(x)), f"{what}: values differ"
    if x.numel():
        assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr(), f"{what}: the input's memory"


load()
op = torch.ops.my_ops.identity_conv_op
cases, tried, left_out = 0, [], {}
for dtype in dtypes():
    for name, layout in LAYOUTS.items():
        try:
            x = layout(base_of(dtype))
            bytes_of(x.clone())
        except Exception as error:  # torch itself cannot make or clone such a tensor
            left_out.setdefault(str(dtype).removeprefix("torch."), str(error).splitlines()[0])
            continue
        check(op, x, f"{dtype}, {name}")
        check(op, layout(base_of(dtype).to("meta")), f"{dtype}, {name}, meta")
        cases += 1
        tried.append(dtype)
assert torch.float32 in tried and torch.bfloat16 in tried and torch.complex64 in tried and torch.bool in tried
say(f"{cases} inputs, {len(LAYOUTS)} layouts in {len(set(tried))} dtypes: the same values, shape, dtype and strides; also on meta tensors")
say(f"torch itself cannot clone some layout in: {', '.join(left_out) or 'none'}")
for dtype, reason in left_out.items():
    print(f"  {dtype}: {reason}")

model_input = torch.randn(2, 3, 8, 8)
checker = torch.classes.my_ops.IdentityConvClass(3)
for x in (model_input, model_input.to(memory_format=torch.channels_last), model_input[:, :, ::2]):
    check(checker.forward, x, "IdentityConvClass.forward")
say("IdentityConvClass(3).forward gives the same")
