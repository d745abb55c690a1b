"""Tensors inside of operators: metadata in loops and elements reached, against C++; element-wise functions against torch's own
operators; a compute-bound loop on one and two threads. All sides take turns in one process."""

import json
import statistics
import sys
import time
from pathlib import Path

import torch

import counterparts

LOOPS = {
    "sizes_kept": "sizes, strides: asked once, read in a loop",
    "dims": "dims() in a loop, against sizes(), strides()",
    "sizes_at_once": "sizes(), strides() in a loop, a copy",
    "sizes_by_index": "size(i), stride(i) in a loop",
    "facts": "dim, numel, offset, dtype, contiguity",
    "device": "device",
    "requires_grad": "requires_grad",
    "first_element": "a slice, made and dropped",
    "accessor": "a view of 2 dimensions, made and dropped",
}
AGAINST = {"dims": "sizes_at_once"}
# Read without a copy.
METADATA = ("dims", "sizes_by_index", "facts", "device", "requires_grad")
TURNS = 20_000
COUNT = 16 << 20


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def take_turns(calls, rounds):
    """{name: [seconds, …]}; the order turns with the round."""
    names = list(calls)
    times = {name: [] for name in names}
    for name in names:
        calls[name]()
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            times[name].append(seconds(calls[name]))
    return {name: {"min": min(t), "median": statistics.median(t)} for name, t in times.items()}


def in_this_process(rust, cpp, quick):
    torch.ops.load_library(rust)
    torch.ops.load_library(counterparts.built(cpp)["tensors"])
    ours, theirs = torch.ops.bench_tensors_rust, torch.ops.bench_tensors_cpp
    rounds = 10 if quick else 40
    x = torch.rand(3, 4)
    result = {"loops": {}, "elementwise": {}, "threads": {}}
    for name in LOOPS:
        pair = {"rust": getattr(ours, name), "cpp": getattr(theirs, AGAINST.get(name, name))}
        if pair["rust"](x, 100) != pair["cpp"](x, 100):
            raise RuntimeError(f"{name}: Rust and C++ disagree")
        times = take_turns({side: lambda op=op: op(x, TURNS) for side, op in pair.items()}, rounds)
        result["loops"][name] = {side: {k: t / TURNS * 1e9 for k, t in both.items()} for side, both in times.items()}
    x, y = torch.randn(COUNT), torch.randn(COUNT)
    silu = torch.nn.functional.silu
    torch.testing.assert_close(ours.silu_mul(x, y), silu(x) * y)
    for threads in (1, 2):
        torch.set_num_threads(threads)
        pairs = {
            "silu(x) * y": {"rust": lambda: ours.silu_mul(x, y), "torch": lambda: silu(x) * y},
            "x + y": {"rust": lambda: ours.add(x, y), "torch": lambda: x + y},
        }
        for name, calls in pairs.items():
            times = take_turns(calls, rounds)
            result["elementwise"][f"{name}, {threads} threads"] = {
                side: {k: t * 1e3 for k, t in both.items()} for side, both in times.items()
            }
        times = take_turns({"compute": lambda: ours.compute(512, 20_000)}, rounds)
        result["threads"][str(threads)] = {k: t * 1e3 for k, t in times["compute"].items()}
    return result


def measure(run, rust, cpp, quick):
    output = run([__file__, str(rust), str(cpp), "quick" if quick else "full"])
    return json.loads(output.splitlines()[-1])


def lines(results):
    """The readable table."""
    text = ["Tensors in an operator: ns per turn, smallest (median)          torchop            C++   ratio"]
    for name, title in LOOPS.items():
        rust, cpp = (results["loops"][name][side] for side in ("rust", "cpp"))
        text.append(f"  {title:<52} {rust['min']:>8.2f} ({rust['median']:.2f}) {cpp['min']:>8.2f} ({cpp['median']:.2f})  {rust['min'] / cpp['min']:.2f}")
    text += ["", "Element-wise, 16 M float32: ms, smallest (median)               torchop          torch   speed"]
    for name, sides in results["elementwise"].items():
        rust, other = sides["rust"], sides["torch"]
        text.append(f"  {name:<52} {rust['min']:>8.1f} ({rust['median']:.1f}) {other['min']:>8.1f} ({other['median']:.1f})  {other['min'] / rust['min']:.2f}")
    one, two = results["threads"]["1"], results["threads"]["2"]
    text += ["", f"A compute-bound loop, 1 and 2 threads: {one['min']:.1f} ms, {two['min']:.1f} ms: {one['min'] / two['min']:.2f} times as fast"]
    return text


if __name__ == "__main__":
    rust, cpp, speed = sys.argv[1:]
    print(json.dumps(in_this_process(rust, Path(cpp), speed == "quick")))
