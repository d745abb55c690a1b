"""Measures the operators of `ops` against their counterparts; `cargo xtask bench` calls it with the torch to measure on.

    python measure.py --library target/…/libtorchop_bench_ops.so --example …/libidentity_conv_ops.so --host …/torchop-bench-host \\
        --rms-norm …/librms_norm_ops.so --out target/bench [--quick] [--only calls,objects,…: see PARTS]

Writes OUT/results.json and OUT/table.txt. What other programs do to the machine meanwhile shows: medians far above the smallest
times say so.
"""

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

import torch

import arguments
import aten
import builds
import calls
import counterparts
import layers
import loads
import objects
import packages
import report
import scale
import tensors

PARTS = ("calls", "objects", "arguments", "builds", "sizes", "loads", "scale", "tensors", "aten", "layers", "packages")


def run(arguments):
    """A fresh Python's output."""
    return subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--rms-norm", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--example", type=Path, required=True)
    parser.add_argument("--host", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    options = parser.parse_args()
    version = torch.__version__.split("+")[0]
    # A thousand operators take minutes.
    parts = options.only.split(",") if options.only else [part for part in PARTS if not (options.quick and part == "scale")]
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    work = options.out / f"torch-{version}"
    cpp = work / "cpp"
    if set(parts) != {"layers"}:
        counterparts.build(cpp)

    results = {"torch": version, "machine": processor(), "quick": options.quick}
    if "calls" in parts:
        results["calls"] = calls.measure(run, options.library, cpp, options.quick)
    if "objects" in parts:
        results["objects"] = objects.measure(run, options.library, cpp, options.quick)
        results["object threads"] = objects.speedups(run, options.library, options.quick)
    if "arguments" in parts:
        results["arguments"] = arguments.measure(run, options.library, cpp, options.quick)
    if "loads" in parts:
        results["loads"] = loads.measure(run, options.library, cpp, options.quick)
    if "sizes" in parts:
        results["sizes"] = builds.sizes(work, options.library, cpp)
    if "builds" in parts:
        results["builds"] = builds.measure(work, options.quick)
    if "scale" in parts:
        results["scale"] = scale.measure(run, work)
    if "tensors" in parts:
        results["tensors"] = tensors.measure(run, options.library, cpp, options.quick)
    if "layers" in parts:
        results["layers"] = layers.measure(run, options.rms_norm, options.quick)
    if "packages" in parts:
        results["packages"] = packages.measure(options.example.resolve(), options.host.resolve(), work, options.quick)
    if "aten" in parts:
        results["aten"] = aten.measure(run, options.library, cpp, options.quick)
    results["gates"] = report.gates(results)
    text = report.table(results)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "table.txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
