"""torch.compile with inductor, forward and backward: one compile serves five sizes."""

import torch
from torch._inductor.compile_fx import compile_fx, compile_fx_inner

from common import SIZES, Net, OpLast, close, load, say

load()
torch._inductor.config.force_disable_caches = True  # a cached graph would not be counted
counts = {}


def counting_inductor(graph, example_inputs):
    """inductor, with its compiles counted: graphs that Dynamo hands over, and kernels for each direction."""

    def inner(gm, inner_inputs, **options):
        direction = "backward" if options.get("is_backward") else "forward"
        counts[direction] = counts.get(direction, 0) + 1
        return compile_fx_inner(gm, inner_inputs, **options)

    counts["graphs"] = counts.get("graphs", 0) + 1
    return compile_fx(graph, example_inputs, inner_compile=inner)


class Scale(torch.nn.Module):
    """No convolution: a product with a weight, and the op on both sides of it."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 1, 1))

    def forward(self, x):
        op = torch.ops.my_ops.identity_conv_op
        return op(op(x) * self.weight)


def run(step, model, x):
    """What one step gives: the output, and after training the gradients of all weights."""
    if step == "forward":
        with torch.no_grad():
            return [model(x)]
    model.zero_grad()
    y = model(x)
    y.square().mean().backward()
    return [y.detach(), *(p.grad.clone() for p in model.parameters())]


def one_compile(kind, step, sizes, expected):
    model = kind()
    torch._dynamo.reset()
    counts.clear()
    compiled = torch.compile(model, backend=counting_inductor, fullgraph=True, dynamic=True)
    for size in sizes:
        x = torch.randn(size)
        for ours, eager in zip(run(step, compiled, x), run(step, model, x), strict=True):
            close(ours, eager)
    assert counts == expected, f"{kind.__name__}, {step}: {counts}, expected {expected}"
    say(f"{kind.__name__}, {step}: {len(sizes)} sizes, compiles: {counts}")


# In training, torch 2.11 compiles a lone nn.Conv2d anew for each height and width: there the batch changes only.
BATCHES = [(n, 3, 8, 9) for n in (2, 4, 5, 7, 6)]
FORWARD = {"graphs": 1, "forward": 1}
TRAINING = {"graphs": 1, "forward": 1, "backward": 1}

for kind in (Net, OpLast):
    one_compile(kind, "forward", SIZES, FORWARD)
    one_compile(kind, "forward and backward", BATCHES, TRAINING)
one_compile(Scale, "forward and backward", SIZES, TRAINING)
