"""Many operators in one library (`scale_ops.py`): time to build, bytes and time to load, per operator, against C++.

Everything but the generated file is built before. Per operator means: 1,000 operators less none (build; for C++ that takes the headers
off), or 1,000 less 10 (bytes and load, since a library without operators has none of the runtime).
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import builds
import counterparts
import loads
import scale_ops

NONE, FEW, SOME, MANY = 0, 10, 100, 1000
# C++ that needs a tenth of a second and more per operator is measured on fewer, twice the signatures.
SLOW, HALF = 100, 50

VARIANTS = ("rust", "rust_backward", "typed", "torch_fn", "typed_backward")
COUNTS = {
    "rust": (NONE, FEW, SOME, MANY),
    "rust_backward": (FEW, SOME, MANY),
    "typed": (NONE, FEW, SOME, MANY),
    "torch_fn": (SLOW,),
    "typed_backward": (NONE, HALF, SLOW),
}


class Builder:
    def __init__(self, folder):
        self.folder, self.crate = folder / "scale", folder / "scale/crate"
        (self.crate / "src").mkdir(parents=True, exist_ok=True)
        manifest = builds.MANIFEST.format(torchop=builds.REPO / "torchop").replace("bench_user", "scale_ops")
        (self.crate / "Cargo.toml").write_text(manifest)
        shutil.copy(builds.REPO / "Cargo.lock", self.crate / "Cargo.lock")
        # The dependencies are those of the crate that the other build times are taken with.
        self.environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "user-target")}
        self.build("rust", NONE)

    def cargo(self):
        command = [self.environment.get("CARGO", "cargo"), "build", "--release", "--quiet"]
        return builds.timed(command, cwd=self.crate, env=self.environment)

    def build(self, variant, count):
        """Seconds, and where the library is."""
        output = self.folder / f"{variant}-{count}.so"
        if variant.startswith("rust"):
            source = self.crate / "src/lib.rs"
            text = scale_ops.rust(count, variant == "rust_backward") if count else "use torchop as _;\n"
            # Another text each time, or cargo has nothing to do.
            source.write_text(f"// {time.time()}\n{text}")
            seconds = self.cargo()
            shutil.copy(Path(self.environment["CARGO_TARGET_DIR"]) / "release/libscale_ops.so", output)
        else:
            source = self.folder / f"{variant}-{count}.cpp"
            source.write_text(scale_ops.cpp(count, variant == "typed_backward", variant == "torch_fn"))
            seconds = builds.timed(counterparts.compile_command(source, output))
        return seconds, output


def measure(run, folder):
    """{variant: {count: {"build": s, "bytes": n, "load": ms}}}"""
    builder = Builder(folder)
    result = {variant: {} for variant in VARIANTS}
    for variant in VARIANTS:
        for count in COUNTS[variant]:
            print(f"scale: {variant}, {count} operators", flush=True)
            tries = [builder.build(variant, count) for _ in range(1 if count == MANY or variant.endswith("backward") else 2)]
            output = tries[0][1]
            subprocess.run(["strip", str(output)], check=True)
            times = [float(run(["-c", loads.SCRIPT, str(output)]).split()[-1]) for _ in range(9)]
            result[variant][count] = {"build": min(s for s, _ in tries), "bytes": output.stat().st_size, "load": min(times)}
    return result


def per_operator(results, variant, what, high, low):
    """The same unit, per operator, between two counts."""
    rows = results[variant]
    return (rows[high][what] - rows[low][what]) / (high - low)


def summary(results):
    """What the gates compare: {name: (ours, theirs)} per operator, and our growth from few to many."""
    def per(variant, what, high=MANY, low=FEW):
        return per_operator(results, variant, what, high, low)

    headers = results["typed"][NONE]["build"]
    backward_headers = results["typed_backward"][NONE]["build"]
    return {
        "build": (per("rust", "build", MANY, NONE), per("typed", "build", MANY, NONE)),
        "build against TORCH_FN": (per("rust", "build", MANY, NONE), (results["torch_fn"][SLOW]["build"] - headers) / SLOW),
        "build with a backward": (
            (results["rust_backward"][MANY]["build"] - results["rust"][NONE]["build"]) / MANY,
            (results["typed_backward"][SLOW]["build"] - backward_headers) / SLOW,
        ),
        "clean build of 100": (results["rust"][SOME]["build"], results["typed"][SOME]["build"]),
        "bytes": (per("rust", "bytes"), per("typed", "bytes")),
        "bytes with a backward": (per("rust_backward", "bytes"), per("typed_backward", "bytes", SLOW, HALF)),
        "load": (per("rust", "load"), per("typed", "load")),
        "load with a backward": (per("rust_backward", "load"), per("typed_backward", "load", SLOW, HALF)),
        "growth": (per("rust_backward", "build"), per("rust_backward", "build", SOME, FEW)),
    }
