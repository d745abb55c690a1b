"""The example's op gives equal values, shape, dtype and strides in memory of its own: any layout, any dtype."""

import warnings

import pytest
import torch

op = torch.ops.my_ops.identity_conv_op

LAYOUTS = {
    "contiguous": lambda b: b,
    "transposed": lambda b: b.transpose(1, 3),
    "permuted": lambda b: b.permute(2, 0, 3, 1),
    "channels_last": lambda b: torch.empty_strided(b.shape, (120, 1, 24, 4), dtype=b.dtype, device=b.device).copy_(b),
    "sliced-with-offset": lambda b: b[1:, :, 2:],
    "stepped": lambda b: b[:, :, ::2, ::3],
    "expanded": lambda b: b[:, :1].expand(2, 4, 5, 6),
    "expanded-from-one": lambda b: b[1, 2, 3, 4].expand(3, 2),
    "overlapping": lambda b: b.as_strided((6, 4), (2, 1), 3),
    "overlapping-backwards": lambda b: b.as_strided((4, 3), (1, 2), 5),
    "unfolded": lambda b: b.unfold(3, 3, 1),
    "diagonal": lambda b: b.diagonal(0, 1, 2),
    "zero-size": lambda b: b[:, :, :0],
    "zero-size-odd-strides": lambda b: b.as_strided((0, 3), (7, 5), 2),
    "0-dim": lambda b: b[0, 0, 0, 0],
    "0-dim-with-offset": lambda b: b[1, 1, 1, 1],
    "one-element-odd-strides": lambda b: b.as_strided((1, 1), (77, 13), 4),
    "1-dim": lambda b: b.flatten()[3:50:7],
}


def clonable(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            base = base_of(dtype)
            base.clone(), base.transpose(1, 3).clone(), base[:, :, ::2].clone()
        except Exception:
            return False
    return True


def base_of(dtype):
    """Random bytes: all values, NaNs among them, must survive. A bool has only two."""
    if dtype == torch.bool:
        return torch.randint(0, 2, (2, 4, 5, 6)).bool()
    return torch.randint(0, 256, (2, 4, 5, 6 * dtype.itemsize), dtype=torch.uint8).view(dtype)


DTYPES = sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype)}, key=str)
DTYPES = [dtype for dtype in DTYPES if clonable(dtype)]


def bytes_of(x):
    """The elements' bytes, by a copy that is not ours: through numpy-like indexing of the storage."""
    storage = torch.tensor([], dtype=torch.uint8, device=x.device).set_(x.untyped_storage())
    size = x.dtype.itemsize
    places = torch.zeros(x.shape, dtype=torch.int64) + x.storage_offset()
    for dim, (n, stride) in enumerate(zip(x.shape, x.stride(), strict=True)):
        places += (torch.arange(n) * stride).view([-1 if i == dim else 1 for i in range(x.dim())])
    return storage[(places.flatten()[:, None] * size + torch.arange(size)).flatten()]


def check(x):
    y = op(x)
    assert (y.shape, y.dtype, y.device, y.layout) == (x.shape, x.dtype, x.device, x.layout)
    assert y.stride() == x.stride()
    assert y.storage_offset() == 0 and y._base is None and not y.requires_grad
    if x.device.type == "meta":
        return
    assert torch.equal(bytes_of(y), bytes_of(x))
    if x.numel():
        assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_many_dtypes_can_be_cloned():
    names = {str(dtype).removeprefix("torch.") for dtype in DTYPES}
    assert names >= {
        "float32", "float64", "float16", "bfloat16", "complex32", "complex64", "complex128", "bool", "uint8", "int8",
        "int16", "int32", "int64", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "bits8", "bits16",
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_layout_in_dtype(dtype, layout):
    base = base_of(dtype)
    check(LAYOUTS[layout](base))
    try:
        meta = LAYOUTS[layout](base.to("meta"))
    except RuntimeError:
        # torch itself has no such view or copy on meta; an empty one does.
        x = LAYOUTS[layout](base)
        meta = torch.empty_strided(x.shape, x.stride(), dtype=dtype, device="meta")
    check(meta)


QUANTIZED = [torch.qint8, torch.quint8, torch.qint32]


def check_quantized(x):
    y = op(x)
    assert (y.shape, y.dtype, y.stride(), y.qscheme()) == (x.shape, x.dtype, x.stride(), x.qscheme())
    assert torch.equal(y.int_repr(), x.int_repr()) and torch.equal(y.dequantize(), x.dequantize())
    if x.numel():
        assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", QUANTIZED, ids=str)
def test_quantized_per_tensor(dtype, layout):
    if layout == "channels_last":
        x = torch.randn(2, 4, 5, 6).contiguous(memory_format=torch.channels_last)
        return check_quantized(torch.quantize_per_tensor(x, 0.1, 3, dtype))
    check_quantized(LAYOUTS[layout](torch.quantize_per_tensor(torch.randn(2, 4, 5, 6), 0.1, 3, dtype)))


def per_channel(dtype):
    return torch.quantize_per_channel(torch.randn(3, 4), torch.rand(3) + 0.1, torch.zeros(3, dtype=torch.int64), 0, dtype)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", QUANTIZED, ids=str)
def test_quantized_per_channel(dtype):
    x = per_channel(dtype)
    check_quantized(x)
    assert torch.equal(op(x).q_per_channel_scales(), x.q_per_channel_scales())


@pytest.mark.filterwarnings("ignore")
def test_strides_that_torch_cannot_give_a_quantized_tensor_are_torchs_error():
    with pytest.raises(RuntimeError, match="Setting strides is possible only on uniformly quantized tensor"):
        op(per_channel(torch.qint8)[:, ::2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make, backend", [
    (lambda x: x.to_sparse(), "SparseCPU"),
    (lambda x: x.to_sparse_csr(), "SparseCsrCPU"),
    (lambda x: x.to_mkldnn(), "MkldnnCPU"),
    (lambda x: torch.nested.nested_tensor([x, x[:1]]), "NestedTensorCPU"),
], ids=["sparse", "csr", "mkldnn", "nested"])
@pytest.mark.parametrize("grad", [False, True])
def test_other_layouts_are_refused_with_a_typed_error(make, backend, grad):
    x = make(torch.randn(3, 4))
    if grad:
        x = x.detach().requires_grad_()
    with pytest.raises(NotImplementedError, match=f"my_ops::identity_conv_op.*{backend}"):
        op(x)


@pytest.mark.filterwarnings("ignore")
def test_jagged_nested_is_refused():
    x = torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=torch.jagged)
    with pytest.raises(NotImplementedError):
        op(x)


@pytest.mark.parametrize("view", [
    lambda x: x.conj(), lambda x: x.conj().imag, lambda x: x.conj().t(), lambda x: x.conj().imag.t()[::2],
], ids=["conj", "neg", "conj-transposed", "neg-stepped"])
def test_conj_and_neg_views_keep_their_values(view):
    x = view(torch.randn(4, 3, dtype=torch.complex64))
    assert x.is_conj() or x.is_neg()
    assert torch.equal(op(x), x.clone())
    assert torch.equal(torch.resolve_neg(torch.resolve_conj(op(x))), torch.resolve_neg(torch.resolve_conj(x)))
