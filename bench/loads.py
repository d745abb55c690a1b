"""Time of torch.ops.load_library in a fresh process, after `import torch`."""

import statistics

SCRIPT = """
import sys, time
import torch
start = time.perf_counter()
torch.ops.load_library(sys.argv[1])
print((time.perf_counter() - start) * 1e3)
"""


def measure(run, rust, cpp, quick):
    """Milliseconds: {"rust": {"min": ms, "median": ms}, "typed": …}. The two take turns."""
    times = {"rust": [], "typed": []}
    for number in range(4 if quick else 15):
        print(f"load: process {number + 1}", flush=True)
        for name, library in (("rust", rust), ("typed", cpp / "libtyped.so")):
            times[name].append(float(run(["-c", SCRIPT, str(library)]).split()[-1]))
    return {name: {"min": min(ms), "median": statistics.median(ms)} for name, ms in times.items()}
