"""Memory stays flat over many calls: the resident set of this process before and after, in a release build.

    python flat.py libidentity_conv_ops.so libtorchop_sanitize_ops.so
    python flat.py --fault leak libidentity_conv_ops.so libtorchop_sanitize_ops.so
"""

import gc
import os
import sys
import time

import torch

import cases

MILLION = ("call", "error", "panic", "object", "method", "backward")
CALLS = 1_000_000
# Of every other case.
FEWER = 50_000
# Bytes a call; no allocation is smaller than 32 in glibc. Below a mebibyte the allocator itself moves.
LIMIT = 8
MEBIBYTE = 1 << 20


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(name, case, calls):
    for _ in range(calls // 20):
        case()
    before, start = resident(), time.perf_counter()
    for _ in range(calls):
        case()
    seconds, grown = time.perf_counter() - start, resident() - before
    figures = f"{grown / MEBIBYTE:+.2f} MiB after {calls:,} calls, {before / MEBIBYTE:.0f} MiB before ({seconds / calls * 1e6:.1f} us each)"
    print(f"- {name}: {figures}", flush=True)
    assert grown <= max(MEBIBYTE, LIMIT * calls), f"{name}: memory is not flat: {figures}"


def main(*arguments):
    fault = arguments[1] if arguments[0] == "--fault" else None
    for library in arguments[2:] if fault else arguments:
        torch.ops.load_library(library)
    if fault:
        x, op = torch.ones(4), getattr(torch.ops.torchop_sanitize, fault)
        return measure(fault, lambda: op(x), 2 * FEWER)
    # A panic is told on stderr too; a million of them are not worth reading.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stderr = sys.stdout
    for name, case in cases.make().items():
        measure(name, case, CALLS if name in MILLION else FEWER)


if __name__ == "__main__":
    main(*sys.argv[1:])
