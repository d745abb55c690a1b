"""Time to build, and to build again after an edit, of `ops` as a user's own crate, against g++ on `cpp/typed.cpp`."""

import os
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import counterparts

REPO = counterparts.HERE.parent

MANIFEST = """[package]
name = "bench_user"
version = "0.1.0"
edition = "2024"

[lib]
name = "bench_user"
crate-type = ["cdylib"]

[dependencies]
torchop = {{ path = "{torchop}" }}

[workspace]
"""


def timed(command, **options):
    start = time.perf_counter()
    subprocess.run(command, check=True, **options)
    return time.perf_counter() - start


def edited(source, number):
    """The source with another constant in the body of `five`."""
    text, count = re.subn(r"(-> i64 \{\s+|bool b\) \{ return )n\b", rf"\g<1>n + {number}", source)
    assert count == 1, "the operator `five` is not found"
    return text


def measure(folder, quick):
    """Seconds: {"clean": s, "rust": {"min": s, "median": s}, "typed": …}. No clean build in a quick run."""
    crate, target = folder / "user", folder / "user-target"
    (crate / "src").mkdir(parents=True, exist_ok=True)
    (crate / "Cargo.toml").write_text(MANIFEST.format(torchop=REPO / "torchop"))
    # The same versions of everything; cargo leaves out what this crate does not need.
    shutil.copy(REPO / "Cargo.lock", crate / "Cargo.lock")
    rust, cpp = (REPO / "bench/ops/src/lib.rs").read_text(), (counterparts.HERE / "cpp/typed.cpp").read_text()
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    cargo = [environment.get("CARGO", "cargo"), "build", "--release", "--quiet"]

    # The modules have their counterparts elsewhere.
    rust = re.sub(r"^mod \w+;\n|^torchop::if_torch! \{\n.*\n\}\n", "", rust, flags=re.M)

    def build(number):
        (crate / "src/lib.rs").write_text(edited(rust, number))
        return timed(cargo, cwd=crate, env=environment)

    source = folder / "edited.cpp"

    def compile_cpp(number):
        source.write_text(edited(cpp, number))
        return timed(counterparts.compile_command(source, folder / "edited.so"))

    result = {}
    if not quick:
        shutil.rmtree(target, ignore_errors=True)
    print("build: clean" if not quick else "build", flush=True)
    first = build(0)
    if not quick:
        result["clean"] = first
    times = {"rust": [], "typed": []}
    for number in range(1, 2 if quick else 6):
        print(f"build: after edit {number}", flush=True)
        times["rust"].append(build(number))
        times["typed"].append(compile_cpp(number))
    for name, seconds in times.items():
        result[name] = {"min": min(seconds), "median": statistics.median(seconds)}
    return result


def sizes(folder, rust, cpp):
    """Bytes as built and stripped: {"rust": {"built": n, "stripped": n}, "typed": …}."""
    result = {}
    for name, library in (("rust", rust), ("typed", cpp / "libtyped.so")):
        stripped = folder / f"stripped-{name}.so"
        subprocess.run(["strip", "-o", str(stripped), str(library)], check=True)
        result[name] = {"built": Path(library).stat().st_size, "stripped": stripped.stat().st_size}
    return result
