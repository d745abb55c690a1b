"""Torch's operators called from Rust on a small tensor, against the same calls in C++, in one process.

In inference mode, where nothing but the kernels stands behind the calls: both sides go straight to them."""

import json
import sys
from pathlib import Path

import torch

import counterparts
from tensors import take_turns

TURNS = 2_000
CASES = {
    "add": "aten::add(x, y)",
    "mul_number": "aten::mul(x, 2.0)",
    "relu": "aten::relu(x)",
    "softmax": "aten::softmax(x, -1)",
    "matmul": "aten::matmul(x, y.t())",
    "sum_dim": "aten::sum(x, [1])",
    "layer_norm": "aten::layer_norm(x, [4])",
    "max_dim": "aten::max(x, 1)",
    "cat": "aten::cat([x, y])",
    "stack": "aten::stack([x, y])",
    "transpose": "aten::transpose(x, 0, 1)",
    "select": "aten::select(x, 0, 1)",
    "view": "aten::view(x, [12])",
    "permute": "aten::permute(x, [1, 0])",
    "slice": "aten::slice(x, 0, 1, 3)",
    "empty": "aten::empty([3, 4])",
    "zeros": "aten::zeros([3, 4])",
    "detach": "aten::detach(x)",
    "gather": "aten::index(x, [rows])",
    "std_dim": "aten::std(x, [1])",
    "clamp": "aten::clamp(x, 0.1, 0.9)",
    "chunk": "aten::chunk(x, 3)",
    "reshape": "aten::reshape(x, [12])",
    "unsqueeze": "aten::unsqueeze(x, 0)",
    "index_select": "aten::index_select(x, 0, rows)",
    "argmax": "aten::argmax(x, 1)",
    "full": "aten::full([3, 4], 2.0)",
    "topk": "aten::topk(x, 2)",
    "linear": "aten::linear(x, y)",
    "choose": "aten::where(mask, x, y)",
    "add_in_place": "aten::add_(x, y)",
    "item": "aten::item(x)",
}


def in_this_process(rust, cpp, quick):
    torch.ops.load_library(rust)
    torch.ops.load_library(counterparts.built(cpp)["aten"])
    torch.set_num_threads(1)
    with torch.inference_mode():
        return times_of(torch.ops.bench_aten_rust, torch.ops.bench_aten_cpp, quick)


def times_of(ours, theirs, quick):
    x, y, rows = torch.rand(3, 4), torch.rand(3, 4), torch.tensor([2, 0])
    result = {}
    for name in CASES:
        pair = {"rust": getattr(ours, name), "cpp": getattr(theirs, name)}
        if pair["rust"](x, y, rows, 100) != pair["cpp"](x, y, rows, 100):
            raise RuntimeError(f"{name}: Rust and C++ disagree")
        times = take_turns({side: lambda op=op: op(x, y, rows, TURNS) for side, op in pair.items()}, 12 if quick else 60)
        result[name] = {side: {k: t / TURNS * 1e9 for k, t in both.items()} for side, both in times.items()}
    return result


def measure(run, rust, cpp, quick):
    output = run([__file__, str(rust), str(cpp), "quick" if quick else "full"])
    return json.loads(output.splitlines()[-1])


def lines(results):
    """The readable table."""
    text = ["Torch's operators on a tensor of 3 x 4: ns, smallest (median)   torchop            C++   ratio"]
    for name, title in CASES.items():
        rust, cpp = (results[name][side] for side in ("rust", "cpp"))
        text.append(f"  {title:<52} {rust['min']:>8.0f} ({rust['median']:.0f}) {cpp['min']:>8.0f} ({cpp['median']:.0f})  {rust['min'] / cpp['min']:.2f}")
    return text


if __name__ == "__main__":
    rust, cpp, speed = sys.argv[1:]
    print(json.dumps(in_this_process(rust, Path(cpp), speed == "quick")))
