"""AOTInductor packages in a Rust and in a C++ program without Python: time to load, and to run. The two take turns."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from counterparts import HERE, compile_command

# Sizes of the input, and its declaration.
CASES = {
    "example": ("the example's model, 2×3×8×8", (2, 3, 8, 8), "x: float32[batch, 3, 8, 8]"),
    "add": ("x + 1, 16 numbers", (16,), "x: float32[16]"),
}

MAKE = """
import sys, torch
library, case, output = sys.argv[1:4]
torch.ops.load_library(library)
torch.manual_seed(0)

class Example(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.check = torch.classes.my_ops.IdentityConvClass(3)
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        return self.conv(torch.ops.my_ops.identity_conv_op(self.check.forward(x)))

class Add(torch.nn.Module):
    def forward(self, x):
        return x + 1

model, x = (Example(), torch.ones(2, 3, 8, 8)) if case == "example" else (Add(), torch.ones(16))
dynamic = {"x": {0: torch.export.Dim("batch", max=64)}} if case == "example" else None
with torch.no_grad():
    program = torch.export.export(model.eval(), (x,), dynamic_shapes=dynamic)
    torch._inductor.aoti_compile_and_package(program, package_path=output)
"""


def build_cpp(folder):
    """The C++ program."""
    program = folder / "package"
    command = [part for part in compile_command(HERE / "cpp/package.cpp", program) if part != "-shared"]
    subprocess.run([*command, "-Wl,--no-as-needed", "-ltorch", "-ldl"], check=True)
    return program


def measure(example, host, work, quick):
    """{case: {"load": {"rust": …, "cpp": …}, "run": …, "process": …}}; `load` and `process` in milliseconds, `run` in nanoseconds."""
    programs = {"rust": host, "cpp": build_cpp(work)}
    results = {}
    for case, (_, sizes, declared) in CASES.items():
        package = work / f"{case}.pt2"
        subprocess.run([sys.executable, "-c", MAKE, str(example), case, str(package)], check=True)
        times = {what: {name: [] for name in programs} for what in ("load", "run", "process")}
        for number in range(5 if quick else 20):
            print(f"package {case}: process {number + 1}", flush=True)
            # Who is first changes, since the second finds the files read.
            for name in list(programs) if number % 2 else reversed(programs):
                command = [programs[name], example, package, declared, "100", *map(str, sizes)]
                start = time.perf_counter()
                # One thread: what others do to the machine shows less.
                environment = {**os.environ, "OMP_NUM_THREADS": "1"}
                said = subprocess.run(
                    list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, env=environment
                ).stdout
                elapsed = (time.perf_counter() - start) * 1e3
                load, run = map(float, said.split())
                times["load"][name].append(load)
                times["run"][name].append(run)
                times["process"][name].append(elapsed - run * 100 * 100 / 1e6)
        results[case] = {
            what: {name: {"min": min(values), "median": statistics.median(values)} for name, values in sides.items()}
            for what, sides in times.items()
        }
    return results


def lines(results):
    text = ["Packages without Python: smallest (median)                 torchop                  C++"]
    for case, times in results.items():
        for what, unit in (("load", "ms"), ("run", "ns"), ("process", "ms")):
            title = {"load": "load", "run": "run", "process": "process, runs taken off"}[what]
            ours, theirs = (f"{times[what][name]['min']:.1f} ({times[what][name]['median']:.1f})" for name in ("rust", "cpp"))
            text.append(f"  {CASES[case][0]}: {title}, {unit:<4}".ljust(50) + f"{ours:>20} {theirs:>20}")
    return text
