"""Elements of tensors in the GPU's memory are not reached by Rust on the CPU, whatever the tensor says of itself."""

import pytest
import torch

ops = torch.ops.test_views

pytestmark = pytest.mark.gpu


def read(x):
    """By the function itself, with the tensor as it is."""
    return ops.outside.default._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, x)


def subclass(x, device):
    """A tensor with the dispatch keys of another device than its memory's."""
    return torch.Tensor._make_subclass(torch.Tensor, x, device_for_backend_keys=torch.device(device))


def test_gpu_memory_is_refused():
    with pytest.raises(ValueError, match="expected a tensor in the CPU's memory, got one on `cuda:0`"):
        read(torch.arange(6.0, device="cuda"))


def test_gpu_memory_with_the_cpus_keys_is_refused():
    x = torch.arange(6.0, device="cuda")
    for part in (x, x[::2], x.expand(2, 6)):
        with pytest.raises(RuntimeError, match="no data to be read"):
            read(subclass(part, "cpu"))
    assert x.sum().item() == 15.0


def test_cpu_memory_with_the_gpus_keys_is_read():
    assert read(subclass(torch.arange(6.0), "cuda")) == 15.0


def test_pinned_memory_is_read():
    assert read(torch.arange(6.0).pin_memory()) == 15.0
