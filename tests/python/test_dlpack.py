"""Tensors by DLPack, against torch's and numpy's own."""

import gc
import weakref

import numpy as np
import pytest
import torch

from conftest import library, raised
from dlpack_capsules import Given, take

torch.ops.load_library(library("TORCHOP_LIB_DLPACK"))
ops = torch.ops.test_dlpack

LAYOUTS = {
    "contiguous": lambda x: x, "transposed": lambda x: x.t(), "sliced": lambda x: x[1:, 2:], "stepped": lambda x: x[::2, ::3],
    "expanded": lambda x: x[:, :1].expand(-1, 3), "empty": lambda x: x[:0], "number": lambda x: x[1, 2], "one row": lambda x: x[1:2],
}
DTYPES = [
    torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
    torch.float32, torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.float8_e5m2, torch.float8_e5m2fnuz,
    torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e8m0fnu,
]


def same(a, b):
    bits = lambda x: x.contiguous().flatten().view(torch.uint8) if x.numel() else x
    assert (a.dtype, a.shape, a.device) == (b.dtype, b.shape, b.device)
    assert torch.equal(bits(a), bits(b)) if a.numel() else True
    strides = lambda x: [stride for stride, size in zip(x.stride(), x.shape) if size > 1]
    assert strides(a) == strides(b) and (a.data_ptr() == b.data_ptr() or not a.numel())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_ways(dtype, layout):
    x = LAYOUTS[layout](torch.arange(48, dtype=torch.uint8).view(torch.uint8).reshape(6, 8).to(torch.float32).to(dtype))
    same(torch.from_dlpack(Given(x)), x)
    same(take(x), x)
    same(take(x, versioned=False), x)
    given = ops.round_trip(x)
    assert torch.equal(given.contiguous().view(torch.uint8), x.contiguous().view(torch.uint8)) if x.dim() and x.numel() else given.shape == x.shape


def test_numpy():
    x = torch.rand(3, 4)
    array = np.from_dlpack(Given(x[:, 1:]))
    assert np.array_equal(array, x[:, 1:].numpy()) and array.ctypes.data == x[:, 1:].data_ptr()
    array = np.arange(12, dtype=np.float32).reshape(3, 4).T
    y = take(array, versioned=False)
    assert y.tolist() == array.tolist() and y.data_ptr() == array.ctypes.data
    y[0, 0] = 7
    assert array[0, 0] == 7


def test_read_only_memory_is_copied():
    array = np.arange(4.0)
    array.flags.writeable = False
    if not hasattr(np, "from_dlpack") or np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("numpy before 2.1 has no versioned DLPack tensors")
    y = take(array)
    y[0] = 5
    assert array[0] == 0 and y.tolist() == [5, 1, 2, 3]


def test_the_memory_lives_as_long_as_somebody_has_it():
    x = torch.rand(1000)
    expected, gone = x.clone(), weakref.ref(x.untyped_storage())
    given = Given(x)
    del x
    gc.collect()
    y = torch.from_dlpack(given)
    assert torch.equal(y, expected)

    freed = []

    class Array(np.ndarray):
        def __del__(self):
            freed.append(1)

    array = np.arange(8.0).view(Array)
    y = take(array, versioned=False)
    z = y[2:]
    del array, y
    gc.collect()
    assert z.tolist() == [2, 3, 4, 5, 6, 7] and not freed
    del z
    gc.collect()
    assert freed == [1] and gone is not None


def test_refused():
    x = torch.rand(3, requires_grad=True)
    assert raised(lambda: ops.give(x))[0] == "ValueError" and "detach" in raised(lambda: ops.give(x))[1]
    for wrong, says in (
        (torch.rand(3, 3).to_sparse(), "not strided"),
        (torch.rand(3, device="meta"), "no memory"),
    ):
        kind, text = raised(lambda: ops.give(wrong))
        assert kind == "ValueError" and says in text, (kind, text)
    kind, text = raised(lambda: ops.give_conjugate(torch.rand(3, dtype=torch.complex64)))
    assert kind == "ValueError" and "lazily conjugated" in text
    kind, text = raised(lambda: ops.give(torch.quantize_per_tensor(torch.rand(3), 0.1, 0, torch.quint8)))
    assert kind == "NotImplementedError" and "quint8" in text
    kind, text = raised(lambda: take(np.arange(5.0)[::-1], versioned=False))
    assert kind == "ValueError" and "stride of -1" in text, text


@pytest.mark.parametrize("viewed", [False, True])
def test_memory_that_is_given_away_stays_where_it_is(viewed):
    """Torch frees the memory of a tensor that it makes larger."""
    x = torch.rand(1000)
    assert ops.resized_while_given(x, viewed) == (False, True)
    assert x.shape == (2000,)
    x, expected = torch.rand(1000), None
    given, expected = torch.from_dlpack(Given(x)), x.clone()
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(100_000)
    assert torch.equal(given, expected)


def test_memory_that_is_not_there():
    x = torch.rand(1000)
    x.untyped_storage().resize_(100)
    kind, text = raised(lambda: ops.give(x))
    assert kind == "ValueError" and "reaches beyond its storage" in text


def test_and_stays_so_in_a_forked_process(process):
    """The view of another thread, which came first and made torch refuse, is not in the child."""
    out = process(
        """
        import os, threading, torch
        torch.ops.load_library(TESTS)
        torch.ops.load_library(os.environ["TORCHOP_LIB_DLPACK"])
        lib = torch.library.Library("test_ops", "IMPL")
        inside, done = threading.Event(), threading.Event()
        def python(y):
            inside.set(); assert done.wait(60)
            return y + 0
        lib.impl("in_python", python, "CPU")
        x = torch.zeros(10)
        worker = threading.Thread(target=lambda: torch.ops.test_views.looks_while_python_works(x))
        worker.start(); assert inside.wait(60)
        address = torch.ops.test_dlpack.give(x)
        child = os.fork()
        if child == 0:
            os._exit(7 if x.untyped_storage().resizable() else 0)
        print("child:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        done.set(); worker.join()
        print("parent:", x.untyped_storage().resizable())
        torch.ops.test_dlpack.take(address, True)
        print("given back:", x.untyped_storage().resizable())
        """
    )
    assert out.split("\n")[:3] == ["child: 0", "parent: False", "given back: True"], out
