"""A short walk over all kernels, for compute-sanitizer: `compute-sanitizer --tool memcheck --error-exitcode 9 python sanitized.py`."""

import os

import torch

for name in ("EXAMPLE", "TESTS", "TO_CONTIGUOUS", "RMS_NORM"):
    torch.ops.load_library(os.environ[f"TORCHOP_LIB_{name}"])
ops = torch.ops.test_ops
identity = torch.ops.my_ops.identity_conv_op
for dtype in (torch.uint8, torch.float16, torch.float32, torch.complex64, torch.complex128):
    base = torch.ones(3, 5, 7, 11, device="cuda").to(dtype)
    for x in (base, base.permute(2, 0, 3, 1), base[:, :, ::2, 3:], base[..., :1].expand(3, 5, 7, 4), base[0, 0, 0, 0], base[:0], base.flatten()[1:100],
              base.flatten()[::13], base.flatten()[:9].unfold(0, 3, 1)):
        assert torch.equal(identity(x), x)
        assert torch.equal(torch.ops.my_cuda_ops.to_contiguous(x.movedim(0, -1)), x.movedim(0, -1))
x = torch.ones(33, 65, device="cuda")
assert ops.cuda_scale(x.t(), 2.0).eq(2).all() and ops.cuda_scale(x.half()[:, ::3], 2.0).eq(2).all()
assert ops.cuda_add(x, x).eq(2).all() and ops.cuda_add(x[0], x[1], "1").eq(2).all() and ops.cuda_twice(x).eq(2).all()
assert ops.cuda_weigh(x).eq(21).all() and ops.cuda_scale_twice(x, 2.0).eq(4).all()
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    for rows, columns in ((9, 33), (9, 64), (70, 512), (5, 1536), (3, 16384), (3, 20011), (3, 40960)):
        for weight in (None, torch.ones(columns, device="cuda", dtype=dtype), torch.ones(columns, device="cuda")):
            inputs = [t.requires_grad_() for t in (torch.ones(rows, columns, device="cuda", dtype=dtype), weight) if t is not None]
            y = torch.ops.my_layers.rms_norm(*inputs, *[None] * (2 - len(inputs)), 0.0)
            gradients = torch.autograd.grad(y, inputs, torch.ones_like(y))
            assert y.eq(1).all() and gradients[0].abs().lt(1e-2).all() and (weight is None or gradients[1].eq(rows).all())
side = torch.cuda.Stream()
assert ops.cuda_scale_on(x, 2.0, side) is not None
torch.cuda.synchronize()
print("all kernels ran")
