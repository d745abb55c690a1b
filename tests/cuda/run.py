"""All that needs a GPU, from libraries that were built elsewhere: `cargo xtask cuda` puts this together with them.

    python3 run.py LIBRARIES OUT [--only tests,sanitizers,measure]

LIBRARIES holds the libraries. Needs torch (the minor release that they were built with) and pytest; compute-sanitizer and
nvcc where they are there. Prints a table last; everything is under OUT.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAMES = {"EXAMPLE": "identity_conv_ops", "TESTS": "torchop_test_ops", "TO_CONTIGUOUS": "to_contiguous_ops",
         "RMS_NORM": "rms_norm_ops", "DLPACK": "torchop_test_dlpack"}


class Step:
    """A command whose output goes to a file."""

    def __init__(self, name, command, out, limit, **variables):
        self.name, self.log, self.start, self.limit = name, out / f"{name}.log", time.time(), limit
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **variables})

    def wait(self):
        try:
            code = self.process.wait(max(1, self.limit - (time.time() - self.start)))
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "no end"
        text = self.log.read_text(errors="replace").strip().splitlines() or [""]
        return self.name, code, time.time() - self.start, text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("libraries", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="tests,sanitizers,measure")
    parser.add_argument("--pytest", default="", help="more options for pytest")
    options = parser.parse_args()
    only, out = options.only.split(","), options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    libraries = {name: str((options.libraries / f"lib{file}.so").resolve()) for name, file in NAMES.items()}
    os.environ |= {f"TORCHOP_LIB_{name}": path for name, path in libraries.items()}
    python, counterpart = sys.executable, out.parent / f"{out.name}-cpp"
    measure = [python, str(ROOT / "bench/cuda/measure.py"), "--example", libraries["EXAMPLE"], "--to-contiguous", libraries["TO_CONTIGUOUS"],
               "--rms-norm", libraries["RMS_NORM"]]

    beside = []
    if "measure" in only:
        beside.append(Step("build-cpp", [*measure, "--out", str(counterpart), "--build"], out, 400))
    if "sanitizers" in only:
        # That there is no further parameter, the driver says by an error; memcheck would report it.
        for tool in ("memcheck", "racecheck") if shutil.which("compute-sanitizer") else ():
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", *(["--report-api-errors", "no"] if tool == "memcheck" else []), python, str(HERE / "sanitized.py")]
            beside.append(Step(tool, command, out, 500, PYTORCH_NO_CUDA_MEMORY_CACHING="1", TORCHOP_CACHE_DIR=""))
    done = []
    if "tests" in only:
        command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(HERE), *options.pytest.split()]
        done.append(Step("tests", command, out, 540, TORCHOP_CACHE_DIR=str(out.parent / f"{out.name}-cache")).wait())
    done += [step.wait() for step in beside]
    if "measure" in only:
        shutil.copytree(counterpart, out.parent / f"{out.name}-measured", dirs_exist_ok=True)
        done.append(Step("measure", [*measure, "--out", str(out.parent / f"{out.name}-measured")], out, 300).wait())
        for name in ("cuda.json", "cuda.txt"):
            if (file := out.parent / f"{out.name}-measured" / name).is_file():
                shutil.copy(file, out)
    for name, code, spent, text in done:
        if code != 0:
            print(f"--- {name}", *text[-60:], sep="\n")
    for name, code, spent, text in done:
        shown = "" if name == "measure" else ": " + text[-1]
        print(f"{'ok    ' if code == 0 else 'FAILED'} {name} ({spent:.0f} s){shown}")
    if (out / "cuda.txt").is_file():
        print((out / "cuda.txt").read_text())
    return any(code != 0 for _, code, _, _ in done)


if __name__ == "__main__":
    sys.exit(main())
