"""`examples/rms_norm` against torch's own: the eager operator, and what `torch.compile` makes of it. All sides take turns in one
process; a copy of the same tensor says what the memory gives."""

import json
import sys

import torch
import torch.nn.functional as F

from tensors import take_turns

SHAPES = [(8192, 1024), (2048, 4096)]
DTYPES = [torch.float32, torch.float16, torch.bfloat16]
SIDES = {"rust": "torchop", "eager": "torch, eager", "compiled": "torch, compiled", "copy": "copy"}
# How often a tensor of the input's size is read or written: x, y; and of the gradients dy, x, dx.
PASSES = {"forward": 2, "forward and backward": 5}


def in_this_process(rust, quick):
    torch.ops.load_library(rust)
    ours = torch.ops.my_layers.rms_norm
    theirs = lambda x, w, eps: F.rms_norm(x, (x.shape[-1],), w, eps)
    result = {}
    for dtype in DTYPES:
        for rows, columns in SHAPES[: 1 if quick else None]:
            torch._dynamo.reset()
            norms = {"rust": ours, "eager": theirs, "compiled": torch.compile(theirs, fullgraph=True, dynamic=False)}
            x, w = torch.randn(rows, columns, dtype=dtype), torch.randn(columns, dtype=dtype)
            torch.testing.assert_close(ours(x, w, 1e-5), theirs(x, w, 1e-5))
            g, leaves = torch.randn_like(x), (x.clone().requires_grad_(), w.clone().requires_grad_())
            forward = {name: lambda norm=norm: norm(x, w, 1e-5) for name, norm in norms.items()}
            both = {name: lambda norm=norm: torch.autograd.grad(norm(*leaves, 1e-5), leaves, g) for name, norm in norms.items()}
            for what, calls in (("forward", forward), ("forward and backward", both)):
                times = take_turns(calls | {"copy": x.clone}, 5 if quick else 15)
                size = x.numel() * x.element_size()
                for side, seconds in times.items():
                    seconds["GB/s"] = (2 if side == "copy" else PASSES[what]) * size / seconds["min"] / 1e9
                result[f"{str(dtype)[6:]} {rows} x {columns}, {what}"] = times
    return result


def measure(run, rust, quick):
    return json.loads(run([__file__, str(rust), "quick" if quick else "full"]).splitlines()[-1])


def lines(results):
    """The readable table."""
    title = "rms_norm: ms, smallest (GB/s: what the algorithm must move)"
    text = [f"{title:<60}" + "".join(f"{side:>20}" for side in SIDES.values())]
    for name, times in results.items():
        row = "".join(f"{times[side]['min'] * 1e3:>12.2f} ({times[side]['GB/s']:>5.1f})" for side in SIDES)
        text.append(f"  {name:<58}{row}")
    return text


if __name__ == "__main__":
    rust, speed = sys.argv[1:]
    print(json.dumps(in_this_process(rust, speed == "quick")))
