"""New tensors, views, conversions and metadata from Rust are what torch's are in Python."""

import pytest
import torch

from conftest import compiles, raised

ops = torch.ops.test_made


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.bfloat16], ids=str)
def test_creation(dtype):
    for sizes in ([2, 3], [], [0, 4]):
        empty, zeros, ones, full, arange = ops.created(sizes, 1.0, dtype)
        assert empty.shape == zeros.shape == torch.Size(sizes) and empty.dtype == dtype
        assert torch.equal(zeros, torch.zeros(sizes, dtype=dtype))
        assert torch.equal(ones, torch.ones(sizes, dtype=dtype))
        assert torch.equal(full, torch.full(sizes, 1.0, dtype=dtype))
        assert torch.equal(arange, torch.arange(0, 10, 3)) and arange.dtype == torch.int64


def test_like_forms():
    x = torch.arange(6).reshape(2, 3).t()
    empty, zeros, ones, full = ops.likes(x, torch.float64)
    assert empty.dtype == zeros.dtype == full.dtype == torch.float64 and ones.dtype == torch.int64
    assert empty.stride() == torch.empty_like(x).stride()
    assert torch.equal(zeros, torch.zeros(3, 2).double())
    assert torch.equal(ones, torch.ones_like(x)) and torch.equal(full, torch.full_like(x, 2.5, dtype=torch.float64))


def test_memory_of_rust():
    x = ops.from_vec([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])
    assert torch.equal(x, torch.arange(1.0, 7.0).double().reshape(2, 3)) and x.is_contiguous()
    x += 1
    assert x.sum() == 27
    assert ops.from_vec([], [0, 3]).shape == (0, 3)
    assert torch.equal(ops.from_slice([5], []), torch.tensor(5))
    kind, text = raised(lambda: ops.from_vec([1.0, 2.0], [3]))
    assert kind == "ValueError" and "2 elements do not make a tensor of sizes [3]" in text
    assert raised(lambda: ops.from_vec([1.0], [-1]))[0] == "ValueError"
    with pytest.raises(RuntimeError):
        x.untyped_storage().resize_(1000)
    assert torch.equal(torch.vmap(lambda y: ops.from_vec([1.0, 2.0], [2]) + y)(torch.zeros(3, 2).double()), torch.tensor([[1.0, 2.0]] * 3).double())


VIEWS = {
    "slice": ([1, 0, 4, 2], lambda x: x[:, 0:4:2]),
    "slice from": ([0, -1], lambda x: x[-1:]),
    "select": ([1, -1], lambda x: x[:, -1]),
    "narrow": ([1, 1, 2], lambda x: x.narrow(1, 1, 2)),
    "transpose": ([0, 1], lambda x: x.transpose(0, 1)),
    "permute": ([1, 2, 0], lambda x: x.permute(1, 2, 0)),
    "reshape": ([5, -1], lambda x: x.reshape(5, -1)),
    "as_strided": ([3, 2, 1, 7, 5], lambda x: x.as_strided((3, 2), (1, 7), 5)),
    "expand": ([7, -1, 5, 4], lambda x: x.expand(7, -1, 5, 4)),
    "unsqueeze": ([1], lambda x: x.unsqueeze(1)),
    "detach": ([], lambda x: x.detach()),
    "contiguous": ([], lambda x: x.contiguous()),
}


@pytest.mark.parametrize("how", VIEWS)
def test_views(how):
    numbers, expected = VIEWS[how]
    x = torch.arange(60.0).reshape(3, 5, 4)
    if how == "contiguous":
        x = x.t() if x.dim() == 2 else x.transpose(0, 2)
    got, expected = ops.viewed(x, how, numbers), expected(x)
    assert torch.equal(got, expected) and got.stride() == expected.stride()
    assert got.storage_offset() == expected.storage_offset()
    assert ops.share_storage(x, got) == (x.untyped_storage()._cdata == expected.untyped_storage()._cdata)


def test_views_with_dimensions_of_one():
    x = torch.arange(6.0).reshape(1, 2, 1, 3)
    assert torch.equal(ops.viewed(x, "squeeze", []), x.squeeze())
    assert torch.equal(ops.viewed(x, "squeeze", [2]), x.squeeze(2))
    assert ops.viewed(torch.rand(2, 3, 4, 5), "channels_last", []).is_contiguous(memory_format=torch.channels_last)


def test_views_have_gradients_and_are_traced():
    x = torch.rand(3, 5, 4, requires_grad=True)
    ops.viewed(x, "select", [1, 2]).sum().backward()
    expected = torch.zeros(3, 5, 4)
    expected[:, 2] = 1
    assert torch.equal(x.grad, expected)
    f, graphs = compiles(lambda x: ops.viewed(x, "transpose", [0, 2]) * 2, fullgraph=True)
    assert torch.equal(f(x.detach()), x.detach().transpose(0, 2) * 2) and len(graphs) == 1


def test_conversions():
    x = torch.tensor([1.5, -2.5])
    assert torch.equal(ops.to_dtype(x, torch.int32), x.int())
    assert ops.to_dtype(x, torch.float32).data_ptr() == x.data_ptr()
    meta, both = ops.to_device(x, torch.device("meta"), torch.float16)
    assert meta.device.type == both.device.type == "meta" and both.dtype == torch.float16 and meta.dtype == torch.float32


def test_copy_and_fill():
    x, z = torch.zeros(2, 3), torch.zeros(4)
    ops.copy_and_fill_(x.t(), torch.tensor([[1], [2], [3]]), z)
    assert torch.equal(x, torch.tensor([[1.0, 2.0, 3.0]] * 2)) and torch.equal(z, torch.full((4,), 7.0))


def test_items():
    assert ops.items(torch.tensor(3)) == (3, 3.0, "3", "3")
    value, as_float, as_int, _ = ops.items(torch.tensor([[2.5]]))
    assert value == as_float == 2.5 and as_int.startswith("expected an element that fits `i64`, got Float(2.5)")
    assert ops.items(torch.tensor(True))[2:] == ("1", "1")
    assert ops.items(torch.tensor(-1))[3].startswith("expected an element that fits `u8`")
    assert raised(lambda: ops.items(torch.ones(2)))[0] == "RuntimeError"


@torch.jit.script
def torch_prints(x: torch.Tensor):
    print(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [
    lambda: torch.tensor([[1.0, 2.0], [3.0, 4.5]]), lambda: torch.arange(3), lambda: torch.tensor([True, False]), lambda: torch.tensor(3.5),
    lambda: torch.empty(0, 3), lambda: torch.rand(2, 2).half(), lambda: torch.rand(2).bfloat16(), lambda: torch.randn(20, 30) * 1e5,
    lambda: torch.rand(2, 3, 4).transpose(0, 2), lambda: torch.tensor([1, 255], dtype=torch.uint8), lambda: torch.rand(3).to(torch.float8_e4m3fn),
    lambda: torch.rand(2, dtype=torch.complex64).conj(), lambda: torch.rand(2, dtype=torch.complex64).conj().imag,
    lambda: torch.rand(2, requires_grad=True), lambda: torch.tensor([float("nan"), float("inf"), 1]), lambda: torch.eye(3).to_sparse(),
    lambda: torch.quantize_per_tensor(torch.rand(3), 0.1, 2, torch.quint8), lambda: torch.tensor([2**63 + 5], dtype=torch.uint64),
])  # fmt: skip
def test_printing_is_that_of_torch_in_cpp(make, capfd):
    """TorchScript prints as C++ does."""
    x = make()
    text = ops.printed(x)
    capfd.readouterr()
    torch_prints(x)
    assert text + "\n" == capfd.readouterr().out and text


def test_printing_what_has_no_elements_to_show():
    assert ops.printed(torch.ones(2, device="meta")) == "Tensor[2] float32 meta"


def facts(x):
    return ops.facts(x)


@pytest.mark.parametrize(
    "x",
    [
        torch.arange(24.0).reshape(2, 3, 4)[1:, ::2],
        torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.rand(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d),
        torch.rand(3, dtype=torch.complex64).conj(),
        torch.rand(3, dtype=torch.complex64).conj().imag,
        torch.rand(2, requires_grad=True),
        torch.tensor(1),
        torch.empty(0, 3),
    ],
    ids=["strided", "channels_last", "channels_last_3d", "conj", "neg", "grad", "scalar", "empty"],
)
def test_metadata(x):
    sizes, strides, offset, layout, contiguous, state, version, pointer = facts(x)
    assert (sizes, strides, offset, layout) == (list(x.shape), list(x.stride()), x.storage_offset(), "strided")
    formats = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)
    assert contiguous == [x.is_contiguous(memory_format=f) for f in formats]
    assert state == [x.requires_grad, x.is_conj(), x.is_neg(), x.is_inference()]
    assert version == x._version and pointer == x.data_ptr()


def test_versions_and_storages():
    x = torch.zeros(3)
    before = facts(x)[6]
    x.add_(1)
    assert facts(x)[6] == before + 1 == x._version
    with torch.inference_mode():
        y = torch.zeros(2)
    assert "Inference tensors do not track version" in raised(lambda: facts(y))[1]
    assert ops.share_storage(x, x[1:]) and not ops.share_storage(x, x.clone())


@pytest.mark.parametrize("how, shape, copied", [
    ("standard", lambda x: x, False), ("permuted", lambda x: x.permute(2, 0, 1), False), ("backwards", lambda x: x.flip(1), True),
    ("sliced", lambda x: x[1:, ::2, 1:3], False), ("empty", lambda x: x[:0], False), ("one number", lambda x: x.flatten()[5], False),
])
def test_from_array(how, shape, copied):
    a, b, c = torch.meshgrid(torch.arange(2), torch.arange(3), torch.arange(4), indexing="ij")
    expected = shape((a * 100 + b * 10 + c).int())
    found, is_same = ops.from_array(how)
    assert torch.equal(found, expected) and found.dtype == torch.int32
    steps = lambda x: [stride for stride, size in zip(x.stride(), x.shape) if size > 1]
    assert how == "empty" or is_same != copied
    assert copied or how == "empty" or steps(found) == steps(expected)
