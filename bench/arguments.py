"""The price of one argument, by type, in a C++ loop: operators that take a tensor and four of that type, against the empty boxed
kernel and the typed C++ function of the same schema.

    price = ((torchop - boxed) with four, less the same with none) / 4

What the loop, the dispatcher and torch's stack take for an argument is in both, and goes out.
"""

import json
import re
import sys
from pathlib import Path

import calls
import counterparts

NAMES = ("rust", "typed", "boxed")
# Held against the typed C++ function; the others against a fixed price.
COMPOUND = ("str", "optional_str", "int_list", "int_slice", "float_slice", "bool_list", "str_list", "tensor_list", "optional_tensor_list", "dict")

# Held against nothing: a reference of its own, which torch counts.
COUNTED = ("generator",)


def types():
    """The names that `cpp/arguments.cpp` lists."""
    return re.findall(r"^  X\((\w+),", (counterparts.HERE / "cpp/arguments.cpp").read_text(), re.M)


def in_this_process(rust, cpp, quick):
    """{type: {name: [ns, …]}}; the type "none" is the operator with the tensor alone."""
    loop = counterparts.load(rust, counterparts.built(cpp))
    result = {}
    for case in ("none", *types()):
        op = "one" if case == "none" else f"of_{case}"
        timers = {name: lambda calls, text=f"bench_{name}::{op}".encode(): loop.bench_op(text, calls) for name in NAMES}
        result[case] = calls.take_turns(timers, 20 if quick else 50, 10_000)
        if any(ns < 0 for times in result[case].values() for ns in times):
            raise RuntimeError(f"{case}: the C++ loop failed; its message is above")
    return result


def measure(run, rust, cpp, quick):
    """Smallest nanoseconds over all processes: {type: {name: ns}}"""
    processes = []
    for number in range(2 if quick else 4):
        print(f"arguments: process {number + 1}", flush=True)
        output = run([__file__, str(rust), str(cpp), "quick" if quick else "full"])
        processes.append(json.loads(output.splitlines()[-1]))
    return {
        case: {name: min(min(process[case][name]) for process in processes) for name in NAMES} for case in processes[0]
    }


def price(results, case, name="rust"):
    """Nanoseconds per argument beyond what the empty boxed kernel takes."""
    beyond = [results[which][name] - results[which]["boxed"] for which in (case, "none")]
    return (beyond[0] - beyond[1]) / 4


if __name__ == "__main__":
    rust, cpp, speed = sys.argv[1:]
    print(json.dumps(in_this_process(rust, Path(cpp), speed == "quick")))
