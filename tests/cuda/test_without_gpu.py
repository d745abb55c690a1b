"""What holds on every machine: kernels compile, what is missing is said, nothing of CUDA is touched too early."""

import pathlib
import re

import pytest
import torch

ops = torch.ops.test_ops
HAS_NVRTC = any(pathlib.Path(torch.__file__).parent.parent.glob("nvidia/*/lib/libnvrtc.so.*"))


@pytest.mark.skipif(not HAS_NVRTC, reason="this torch brings no NVRTC")
def test_nvrtc_of_torch_is_found():
    wanted = tuple(int(part) for part in torch.version.cuda.split(".")[:2])
    assert ops.cuda_nvrtc_version() == wanted


@pytest.mark.skipif(not HAS_NVRTC, reason="this torch brings no NVRTC")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "newest"])
def test_kernels_that_do_not_compile_are_told_with_their_lines(arch):
    with pytest.raises(RuntimeError) as error:
        ops.cuda_compile_all([arch])
    text = str(error.value)
    told = re.findall(r"CUDA kernel `([^`]*)` \(\S*tests/ops/src/(\w+).rs:\d+\): ", text)
    # All others compile, in every form: with half types, macros, arrays.
    assert told == [(name, "cuda_broken") for name in ("few", "fine_", "headless", "misspelt", "narrow")]
    assert re.search(r"`misspelt`.*: NVRTC \d+\.\d+ does not compile it for (sm|compute)_\d+:\n(?s:.*)broken.cu\(5\): error.*att", text)
    assert re.search(r"cuda_broken.rs:\d+\(1\): .*cannot open source file .no_such_header.h", text)
    assert "headers are looked for in" in text
    assert "it is declared with 2 parameters and compiled with 1" in text
    assert "parameter `n` is declared with 8 bytes and compiled with 4" in text


@pytest.mark.skipif(not HAS_NVRTC, reason="this torch brings no NVRTC")
def test_an_unknown_architecture_is_told():
    with pytest.raises(RuntimeError, match="CUDA kernel `add with EACH=1`.*sm_12:\n.*gpu-architecture"):
        ops.cuda_compile_all(["sm_12"])


def test_a_missing_nvrtc_is_a_clean_error(process):
    said = process("""
        import torch
        torch.ops.load_library(TESTS)
        for call in (torch.ops.test_ops.cuda_nvrtc_version, lambda: torch.ops.test_ops.cuda_compile_all(["sm_90"])):
            try:
                call()
                print("no error")
            except NotImplementedError as error:
                print(error)
        print(torch.ones(3).sum().item())
    """, TORCHOP_NVRTC="/no/such/libnvrtc.so")
    assert said.count("no libnvrtc could be opened") == 2 and "tried /no/such/libnvrtc.so" in said and "3.0" in said


def test_a_file_that_is_no_nvrtc_is_a_clean_error(process):
    said = process("""
        import torch
        torch.ops.load_library(TESTS)
        try:
            torch.ops.test_ops.cuda_nvrtc_version()
        except NotImplementedError as error:
            print(error)
    """, TORCHOP_NVRTC="libc.so.6")
    assert "libc.so.6: " in said and "nvrtcVersion" in said


def test_nothing_of_cuda_is_opened_by_loading_and_by_cpu_calls(process):
    said = process("""
        import torch
        mapped = lambda: {line.split()[-1] for line in open("/proc/self/maps") if "/" in line}
        before = mapped()
        torch.ops.load_library(EXAMPLE)
        torch.ops.load_library(TO_CONTIGUOUS)
        x = torch.randn(3, 4).t()
        assert torch.equal(torch.ops.my_ops.identity_conv_op(x), x)
        assert torch.ops.my_cuda_ops.to_contiguous(x).is_contiguous()
        print(sorted(mapped() - before))
    """)
    assert "identity_conv_ops" in said and not re.search("libcuda|nvrtc|cudart", said)


def test_libraries_link_to_nothing_of_cuda(libraries):
    for path in libraries.values():
        content = pathlib.Path(path).read_bytes()
        for name in (b"libcuda.so\0", b"libcudart.so.", b"libtorch_cuda.so\0", b"libc10_cuda.so\0"):
            assert name not in content, (path, name)


def test_a_cpu_tensor_is_refused_by_a_launch():
    with pytest.raises(RuntimeError, match="test_ops::cuda_scale_composite: CUDA kernel `scale`, argument `x`: expected a tensor on a CUDA device, found one on cpu"):
        ops.cuda_scale_composite(torch.ones(3), 2.0)


def test_an_operator_without_a_cpu_kernel_says_so():
    with pytest.raises(NotImplementedError, match="test_ops::cuda_scale.*CPU"):
        ops.cuda_scale(torch.ones(3), 2.0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_cuda_device_without_a_gpu_is_an_error_of_torchs():
    with pytest.raises((RuntimeError, AssertionError), match="(?i)nvidia|cuda"):
        torch.ops.my_ops.identity_conv_op(torch.ones(3, device="cuda"))


@pytest.mark.parametrize("x", [
    torch.randn(5), torch.randn(4, 5).t(), torch.randn(2, 3, 4, 5).permute(0, 3, 1, 2), torch.tensor(3.0), torch.randn(0, 3),
    torch.randn(4, 6)[:, ::2].t(),
], ids=["contiguous", "transposed", "permuted", "0-dim", "zero-size", "stepped"])
def test_to_contiguous_on_the_cpu(x):
    y = torch.ops.my_cuda_ops.to_contiguous(x)
    assert torch.equal(y, x) and y.is_contiguous() and (y.data_ptr() != x.data_ptr() or not x.numel())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_launch_without_a_gpu_is_an_error_that_names_the_kernel():
    with pytest.raises(RuntimeError, match="test_ops::cuda_nothing: CUDA kernel `nothing`: .*(?i:cuda|nvidia)"):
        ops.cuda_nothing()
    assert torch.ones(3).sum() == 3
