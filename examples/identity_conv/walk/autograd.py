"""First and second derivatives against finite differences, and torch's own check of a custom op."""

import torch

from common import OpLast, close, load, say

load()
op = torch.ops.my_ops.identity_conv_op


def inputs():
    yield "contiguous", torch.randn(2, 3, 4, dtype=torch.double)
    yield "transposed", torch.randn(4, 3, 2, dtype=torch.double).transpose(0, 2)
    yield "stepped", torch.randn(4, 6, dtype=torch.double)[::2, 1::2]
    yield "complex", torch.randn(3, 2, dtype=torch.cdouble)
    yield "0-dim", torch.randn((), dtype=torch.double)


for name, x in inputs():
    x = x.detach().requires_grad_()
    assert torch.autograd.gradcheck(op, (x,)), name
    assert torch.autograd.gradgradcheck(op, (x,)), name
say("gradcheck and gradgradcheck: contiguous, transposed, stepped, complex, 0-dim")

results = {}
for grad in (False, True):
    for name, x in inputs():
        report = torch.library.opcheck(op, (x.detach().requires_grad_(grad),))
        assert set(report.values()) == {"SUCCESS"}, f"{name}: {report}"
        results.update(report)
say(f"opcheck: {', '.join(name.removeprefix('test_') for name in results)}: all SUCCESS")

model = OpLast()
x = torch.randn(2, 3, 8, 8)
through = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
direct = torch.autograd.grad(model.conv(x).square().sum(), list(model.parameters()))
for a, b in zip(through, direct, strict=True):
    close(a, b)
say("a model with the op after its convolution: the weights' gradients are those of the convolution alone")
