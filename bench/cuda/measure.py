"""Measures the CUDA operators against torch and against CUDA C++; `cargo xtask cuda` says how it is called on a machine with a GPU.

    python measure.py --example LIB --to-contiguous LIB --rms-norm LIB --out DIR [--rounds 5]

Compiles `identity.cu` with nvcc if there is one. Writes DIR/cuda.json and DIR/cuda.txt. Bandwidth counts the bytes of the elements,
read and written, whatever lies between them.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def build_cpp(out):
    """The counterpart in CUDA C++, or None without nvcc."""
    torch_dir, library = pathlib.Path(torch.__file__).parent, out / "libbench_cuda.so"
    if library.is_file():
        return library
    includes = [torch_dir / "include", torch_dir / "include/torch/csrc/api/include", ROOT / "torchop-runtime/src/cuda",
                ROOT / "examples/identity_conv/src"]
    command = ["nvcc", "-std=c++20", "-O3", "-arch=sm_%d%d" % torch.cuda.get_device_capability(), "-shared", "-Xcompiler", "-fPIC",
               f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", *[f"-I{i}" for i in includes],
               str(HERE / "identity.cu"), "-o", f"{library}.part", f"-L{torch_dir / 'lib'}", "-lc10", "-ltorch_cpu", "-ltorch_cuda", "-lc10_cuda"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print("no counterpart in CUDA C++:", getattr(error, "stderr", error)[-3000:], flush=True)
        return None
    os.rename(f"{library}.part", library)
    return library


def seconds(calls, times=20):
    """The median time on the device of each call; they take turns."""
    spent = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    for _ in range(times):
        for name, call in calls.items():
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            call()
            end.record()
            end.synchronize()
            spent[name].append(start.elapsed_time(end) / 1e3)
    return {name: statistics.median(times) for name, times in spent.items()}


def bandwidth(cpp):
    op = torch.ops.my_ops.identity_conv_op
    n = 1 << 30
    flat = torch.randn(n, device="cuda")
    inputs = {
        "contiguous": flat,
        "dense, permuted": flat.view(1024, 256, 64, 64).permute(3, 1, 0, 2),
        "misaligned by 4 bytes": flat[1:],
        "rows of 256 bytes of 512": flat.view(-1, 128)[:, :64],
        "stepped x[::4]": flat[::4],
        "stepped x[::16]": flat[::16],
        "bfloat16": flat.view(torch.bfloat16),
    }
    rows = []
    for name, x in inputs.items():
        calls = {"op": lambda: op(x), "clone": lambda: x.clone(),
                 "copy_ to the same strides": lambda: torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="cuda").copy_(x)}
        if cpp:
            calls["cpp"] = lambda: torch.ops.bench_cuda.identity(x)
        times = seconds(calls)
        rows.append({"input": name, **{k: 2 * x.numel() * x.element_size() / t / 1e9 for k, t in times.items()}})
    del flat, inputs, x
    torch.cuda.empty_cache()
    x = torch.randn(32768, 32768, device="cuda").t()
    times = seconds({"op": lambda: torch.ops.my_cuda_ops.to_contiguous(x), "contiguous": lambda: x.contiguous()})
    transposed = {k: 2 * x.numel() * 4 / t / 1e9 for k, t in times.items()}
    return rows, transposed


def layers():
    """GB/s of what rms_norm must read and write, forward (x, y) and backward (dy, x, dx), in 1 GiB of each tensor."""
    ours = torch.ops.my_layers.rms_norm
    theirs = lambda x, w, eps: torch.nn.functional.rms_norm(x, (x.shape[-1],), w, eps)
    rows = []
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for columns in (1024, 2048, 4096, 5120, 8192, 16384):
            x = torch.randn((1 << 30) // dtype.itemsize // columns, columns, device="cuda", dtype=dtype)
            w, g = torch.randn(columns, device="cuda", dtype=dtype), torch.randn_like(x)
            size = x.numel() * x.element_size()
            times = seconds({"op": lambda: ours(x, w, 1e-5), "torch": lambda: theirs(x, w, 1e-5), "clone": lambda: x.clone()}, 10)
            row = {"dtype": str(dtype)[6:], "columns": columns, "forward": {k: 2 * size / t / 1e9 for k, t in times.items()}}
            leaves = x.requires_grad_(), w.requires_grad_()
            results = {"op": ours(*leaves, 1e-5), "torch": theirs(*leaves, 1e-5)}
            times = seconds({name: lambda y=y: torch.autograd.grad(y, leaves, g, retain_graph=True) for name, y in results.items()}, 10)
            rows.append(row | {"backward": {k: 3 * size / t / 1e9 for k, t in times.items()}})
            del x, w, g, leaves, results
            torch.cuda.empty_cache()
    return rows


def host(cpp, rounds):
    """Microseconds of a call from Python on 16 numbers, smallest and median of the rounds; the calls take turns."""
    x = torch.randn(16, device="cuda")
    calls = {"op": torch.ops.my_ops.identity_conv_op, "clone": torch.clone}
    if cpp:
        calls["cpp without gradient"] = torch.ops.bench_cuda.identity
        calls["cpp"] = torch.ops.bench_cuda.differentiable
    spent = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            for _ in range(200):
                call(x)
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(2000):
                call(x)
            spent[name].append((time.perf_counter() - start) / 2000 * 1e6)
            torch.cuda.synchronize()
    return {name: {"min": min(us), "median": statistics.median(us)} for name, us in spent.items()}


FIRST = """
import sys, time, torch
torch.ops.load_library(sys.argv[1])
x = torch.randn(1000, device="cuda")
x.clone(), torch.cuda.synchronize()
start = time.perf_counter()
torch.ops.my_ops.identity_conv_op(x)
print((time.perf_counter() - start) * 1e3)
"""


def first(library):
    """Milliseconds of the first call of a process: without the disk cache, and with it."""
    times = {"nvrtc": [], "disk": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(3):
            cache = os.path.join(folder, str(number))
            for kind in ("nvrtc", "disk", "disk"):
                done = subprocess.run([sys.executable, "-c", FIRST, library], capture_output=True, text=True, check=True,
                                      env={**os.environ, "TORCHOP_CACHE_DIR": cache})
                times[kind].append(float(done.stdout))
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--example", required=True)
    parser.add_argument("--to-contiguous", required=True)
    parser.add_argument("--rms-norm", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--build", action="store_true", help="only compile the counterpart")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.build:
        build_cpp(options.out)
        return
    torch.ops.load_library(options.example)
    torch.ops.load_library(options.to_contiguous)
    torch.ops.load_library(options.rms_norm)
    cpp = build_cpp(options.out)
    if cpp:
        torch.ops.load_library(str(cpp))
        for x in (torch.randn(5, 7, device="cuda").t(), torch.randn(100, 64, device="cuda")[:, :9], torch.randn(10, device="cuda")[1:]):
            y = torch.ops.bench_cuda.identity(x)
            assert torch.equal(y, x) and y.stride() == x.stride()

    card = torch.cuda.get_device_name()
    results = {"card": card, "torch": torch.__version__, "date": time.strftime("%Y-%m-%d")}
    results["host"] = host(cpp, options.rounds)
    results["first"] = first(options.example)
    rows, transposed = bandwidth(cpp)
    results["bandwidth"], results["transposed"] = rows, transposed

    results["layers"] = layers()

    lines = [f"{card}, torch {torch.__version__}, {results['date']}", "", "GB/s of elements, read and written (4 GiB of memory):"]
    for row in rows:
        numbers = ", ".join(f"{k} {v:.0f}" for k, v in row.items() if k != "input")
        lines.append(f"  {row['input']}: {numbers}; {row['op'] / row['clone']:.3f} of clone")
    ratio = transposed["op"] / transposed["contiguous"]
    lines.append(f"  32768 x 32768 float32, transposed: op {transposed['op']:.0f}, .contiguous() {transposed['contiguous']:.0f}; {ratio:.2f}")
    lines.append("rms_norm, GB/s of what it must read and write (1 GiB a tensor): op, torch; ratio")
    for row in results["layers"]:
        numbers = "; ".join(f"{way} {row[way]['op']:.0f}, {row[way]['torch']:.0f}, {row[way]['op'] / row[way]['torch']:.2f}" for way in ("forward", "backward"))
        lines.append(f"  {row['dtype']} {row['columns']}: {numbers}; clone {row['forward']['clone']:.0f}")
    lines.append("us of a call from Python (smallest, median): " + ", ".join(
        f"{k} {v['min']:.2f} {v['median']:.2f}" for k, v in results["host"].items()))
    if cpp:
        h = results["host"]
        for name in ("cpp", "cpp without gradient"):
            lines.append(f"  op over {name}: {h['op']['min'] / h[name]['min']:.3f} (smallest), {h['op']['median'] / h[name]['median']:.3f} (median)")
    lines.append("ms of a process's first call: " + "; ".join(
        f"{k} " + " ".join(f"{ms:.1f}" for ms in v) for k, v in results["first"].items()))
    text = "\n".join(lines) + "\n"
    (options.out / "cuda.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "cuda.txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
