"""What cannot work is an error that names operator, kernel and cause; the process lives, and torch works on."""

import concurrent.futures
import os

import pytest
import torch

pytestmark = pytest.mark.gpu
broken = torch.ops.test_ops.cuda_broken

ERRORS = {
    "misspelt": (RuntimeError, r"`misspelt`: NVRTC \d+\.\d+ does not compile it for sm_\d+:\n(.|\n)*broken.cu\(5\): error.*att"),
    "headless": (RuntimeError, r"`headless`: .*\n(.|\n)*no_such_header.h(.|\n)*(headers are looked for in|no CUDA headers)"),
    "arch": (RuntimeError, r"`fine_`: NVRTC \d+\.\d+ does not compile it for sm_999"),
    "narrow": (TypeError, r"`narrow`: parameter `n` is declared with 8 bytes and compiled with 4"),
    "few": (TypeError, r"`few`: it is declared with 2 parameters and compiled with 1"),
    "bad": (RuntimeError, r"`bad`: the driver does not load it: CUDA_ERROR_INVALID_PTX.*\n.*(no|instruction)"),
    "future": (RuntimeError, r"`future`: the driver does not load it: CUDA_ERROR_"),
    "garbage": (RuntimeError, r"`garbage`: the driver does not load it: CUDA_ERROR_"),
    "no such kernel": (RuntimeError, r"`no_such_kernel`: there is no function `no_such_kernel` in it: CUDA_ERROR_NOT_FOUND"),
    "threads": (RuntimeError, r"`fine`: 4096 threads in a block, expected 1 to 1024"),
    "no threads": (RuntimeError, r"`fine`: 0 threads in a block, expected 1 to 1024"),
    "shared": (RuntimeError, r"`fine`: 10485760 bytes of shared memory in a block, the card has \d+"),
    "blocks": (RuntimeError, r"`fine`: the launch failed: CUDA_ERROR_INVALID_VALUE, invalid argument"),
}


@pytest.mark.parametrize("kernel", ERRORS)
def test_broken_kernel(kernel):
    kind, text = ERRORS[kernel]
    x = torch.ones(3, device="cuda")
    for _ in range(2):
        with pytest.raises(kind, match=f"test_ops::cuda_broken: CUDA kernel {text}"):
            broken(x, kernel)
        assert x.add(1).eq(2).all() and broken(x, "fine").eq(7).all()


def test_no_nvrtc(process):
    said = process("""
        import torch
        torch.ops.load_library(TESTS)
        x = torch.ones(3, device="cuda")
        print(torch.ops.test_ops.cuda_twice(x))  # PTX needs none
        try:
            torch.ops.test_ops.cuda_scale(x, 2.0)
        except NotImplementedError as error:
            print(error)
        print(x.add(1).sum().item())
    """, TORCHOP_NVRTC="/no/such/libnvrtc.so", TORCHOP_CACHE_DIR="")
    assert "test_ops::cuda_scale: CUDA kernel `scale<float>`: CUDA kernels from source need NVRTC" in said
    assert "tensor([2., 2., 2.]" in said and "6.0" in said


def test_a_kernel_that_traps(process):
    said = process("""
        import torch
        torch.ops.load_library(TESTS)
        x = torch.ones(3, device="cuda")
        broken = torch.ops.test_ops.cuda_broken
        broken(x, "fine")
        broken(x, "trap")
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            print("torch:", str(error).splitlines()[0])
        try:
            broken(x, "fine")
        except RuntimeError as error:
            print("torchop:", error)
        print(torch.ones(3).sum().item())
        import os
        os._exit(0)  # torch's own clean-up meets the broken context
    """)
    # CUDA has no way back from that, but whoever asks is told, and the process lives.
    assert "torch: CUDA error: unspecified launch failure" in said and "3.0" in said
    assert "torchop: " in said and "CUDA" in said.split("torchop: ")[1]


CACHE = """
    import torch
    torch.ops.load_library(TESTS)
    x = torch.ones(1000, device="cuda")
    torch.cuda.synchronize()
    y = torch.ops.test_ops.cuda_scale(x, 3.0)
    assert y.eq(3).all()
"""


def test_disk_cache_is_used_and_a_damaged_file_is_replaced(process, tmp_path):
    folder = tmp_path / "cache"
    process(CACHE, TORCHOP_CACHE_DIR=str(folder))
    (file,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777) == 0o700
    good = file.read_bytes()
    for damaged in (b"", good[: len(good) // 2], good[:100] + b"x" + good[101:]):
        file.write_bytes(damaged)
        process(CACHE, TORCHOP_CACHE_DIR=str(folder))
        assert file.read_bytes() == good and len(os.listdir(folder)) == 1
    # What was compiled would be written.
    before = file.stat().st_mtime_ns
    process(CACHE, TORCHOP_CACHE_DIR=str(folder))
    assert file.stat().st_mtime_ns == before


def test_a_cache_that_cannot_be_written_is_no_error(process, tmp_path):
    (tmp_path / "file").write_text("")
    process(CACHE, TORCHOP_CACHE_DIR=str(tmp_path / "file" / "below"))
    process(CACHE, TORCHOP_CACHE_DIR="")


def test_several_processes_fill_one_cache(process, tmp_path):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda _: process(CACHE, TORCHOP_CACHE_DIR=str(tmp_path / "c")), range(4)))
    (file,) = (tmp_path / "c").iterdir()
    assert file.suffix == ".image"
