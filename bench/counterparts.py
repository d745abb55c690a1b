"""The same operators and class in C++ and in Python: built, loaded and named."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent

# In the order of the tables. `rust` is what the others are held against.
COMPILED = ("rust", "typed", "autograd", "boxed", "stable")
OPS = (*COMPILED, "python")
CLASSES = ("rust", "typed")
TITLES = {
    "rust": "torchop",
    "typed": "C++ typed function",
    "autograd": "… with an autograd kernel",
    "boxed": "empty boxed C++ kernel",
    "stable": "torch's stable ABI, C++",
    "python": "Python custom_op",
}
CASES = {
    "one": "1 tensor",
    "five": "2 tensors, float, int, bool",
    "fourteen": "14 tensors",
    "method": "method, 1 tensor",
    "fresh": "1 tensor, gives a new one",
    "written": "writes to 1 of 2 tensors, overlap checked (not by the empty boxed kernel)",
}
# Where not all have the case.
SIDES = {"method": CLASSES, "written": ("rust", "typed", "boxed")}
SOURCES = ("typed", "autograd", "boxed", "stable", "arguments", "tensors", "aten", "loop")


def compiler():
    return os.environ.get("CXX") or shutil.which("g++") or "c++"


def compile_command(source, output):
    """g++ as setuptools calls it for a user of torch: optimised, without debug assertions (torch itself is built so)."""
    root = Path(torch.__path__[0])
    abi = int(torch.compiled_with_cxx11_abi())
    flags = ["-O2", "-DNDEBUG", "-fPIC", "-shared", "-std=c++20", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]
    for folder in ("include", "include/torch/csrc/api/include"):
        flags += ["-isystem", str(root / folder)]
    lib = root / "lib"
    link = [f"-L{lib}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{lib}"]
    return [compiler(), *flags, str(source), "-o", str(output), *link]


def built(folder):
    """The libraries in that folder, by name."""
    return {name: folder / f"lib{name}.so" for name in SOURCES}


def build(folder):
    """Compiles what is not compiled yet from this source with this command."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        source, output = HERE / "cpp" / f"{name}.cpp", built(folder)[name]
        command = compile_command(source, output)
        stamp = folder / f"{name}.stamp"
        wanted = "\n".join(command) + "\n" + source.read_text()
        if not (output.is_file() and stamp.is_file() and stamp.read_text() == wanted):
            print(f"compiling {source}", flush=True)
            subprocess.run(command, check=True)
            stamp.write_text(wanted)


def define_python_ops():
    """torch.library.custom_op, as torch's tutorial writes it."""
    from torch import Tensor
    from torch.library import custom_op

    @custom_op("bench_python::one", mutates_args=())
    def one(x: Tensor) -> int:
        return 0

    @custom_op("bench_python::five", mutates_args=())
    def five(x: Tensor, y: Tensor, a: float, n: int, b: bool) -> int:
        return n

    @custom_op("bench_python::fourteen", mutates_args=())
    def fourteen(
        a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor, g: Tensor,
        h: Tensor, i: Tensor, j: Tensor, k: Tensor, l: Tensor, m: Tensor, n: Tensor,
    ) -> int:  # fmt: skip
        return 0

    @custom_op("bench_python::fresh", mutates_args=())
    def fresh(x: Tensor) -> Tensor:
        return torch.empty_like(x)


def load(rust, libraries):
    """Loads everything into this process and gives the C++ loop."""
    torch.ops.load_library(str(rust))
    for name in SOURCES[:-1]:
        torch.ops.load_library(str(libraries[name]))
    define_python_ops()
    loop = ctypes.CDLL(str(libraries["loop"]))
    loop.bench_op.restype = loop.bench_method.restype = ctypes.c_double
    loop.bench_op.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    loop.bench_method.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64]
    return loop
