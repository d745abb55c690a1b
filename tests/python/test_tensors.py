"""What Rust says of a tensor is what Python says."""

import pytest
import torch

from test_example_layouts import DTYPES, LAYOUTS, base_of

ops = torch.ops.test_ops


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes_have_torchs_numbers(dtype):
    name = ops.dtype_name(torch.empty(2, dtype=dtype))
    assert name == str(dtype).removeprefix("torch.")


def test_every_dtype_of_torch_has_its_name():
    names = ops.dtype_names()
    assert len(names) == len(set(names))
    known = {str(v).removeprefix("torch.") for v in vars(torch).values() if isinstance(v, torch.dtype)}
    newer = {"bcomplex32"}
    assert known <= set(names) and set(names) - known <= newer


def test_kinds_of_dtypes():
    dtypes = {v for v in vars(torch).values() if isinstance(v, torch.dtype)}
    assert len(dtypes) > 40
    for dtype in dtypes:
        assert ops.kind_of_dtype(str(dtype)) == (dtype.is_floating_point, dtype.is_complex), dtype
    with pytest.raises(ValueError, match="there is no dtype `float31`"):
        ops.kind_of_dtype("float31")


def test_devices_by_their_names():
    for name in ("cpu", "meta", "cuda", "cuda:0", "cuda:7", "cpu:0"):
        assert ops.device_of_name(name) == torch.device(name)
    for name in ("gpu", "cuda:", "cuda:-1", "cuda:01", ""):
        with pytest.raises(RuntimeError):
            torch.device(name)
        with pytest.raises(ValueError, match="there is no device"):
            ops.device_of_name(name)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_geometry(layout):
    x = LAYOUTS[layout](base_of(torch.float32))
    span = 0 if x.numel() == 0 else 1 + sum((n - 1) * s for n, s in zip(x.shape, x.stride(), strict=True))
    assert ops.geometry(x) == (list(x.shape), list(x.stride()), x.storage_offset(), x.dim(), x.numel(), span)


def test_a_span_too_long_for_a_number_is_an_error():
    x = torch.empty(1, device="meta").as_strided((3, 3), (2**62, 2**62))
    with pytest.raises(ValueError, match=r"span more than 2\*\*63 elements"):
        ops.geometry(x)


def test_state():
    assert ops.state_of(torch.ones(2, 3)) == (True, False, "cpu")
    assert ops.state_of(torch.ones(2, 3).t()) == (False, False, "cpu")
    assert ops.state_of(torch.ones(2, requires_grad=True))[1]
    assert ops.state_of(torch.ones(2, device="meta"))[2] == "meta"
    assert ops.describe(torch.ones(2, 3, dtype=torch.float16)) == "Tensor[2, 3] float16 cpu"
    assert ops.describe(torch.ones((), dtype=torch.int64)) == "Tensor[] int64 cpu"


def test_size_counts_from_the_end_and_refuses_what_is_not_there():
    x = torch.ones(4, 5)
    assert [ops.size_at(x, d) for d in (0, 1, -1, -2)] == [4, 5, 5, 4]
    for dim in (2, -3, 2**62, -(2**63)):
        with pytest.raises(IndexError, match=rf"dimension out of range: expected {dim} to be in -2\.\.2"):
            ops.size_at(x, dim)


def told(x):
    """Everything that Rust reads of a tensor."""
    dims = range(-x.dim(), x.dim())
    sizes, strides, offset, dim, numel, _ = ops.geometry(x)
    return (
        (sizes, [ops.size_at(x, d) for d in dims]),
        (strides, [ops.stride_at(x, d) for d in dims]),
        (offset, dim, numel, *ops.state_of(x), ops.dtype_name(x)),
        ops.dims_of(x),
    )


def right(x):
    """The same, as Python says it."""
    return (
        (list(x.shape), list(x.shape) * 2),
        (list(x.stride()), list(x.stride()) * 2),
        (x.storage_offset(), x.dim(), x.numel(), x.is_contiguous(), x.requires_grad, str(x.device), str(x.dtype).removeprefix("torch.")),
        (list(x.shape), list(x.stride())),
    )


@pytest.mark.parametrize("rank", range(9))
def test_metadata_of_every_rank(rank):
    # Torch keeps up to five sizes in the tensor, and more elsewhere.
    dense = torch.arange(2**rank * 3.0)[1 : 2**rank + 1].reshape([2] * rank)
    for x in (dense, dense.permute(tuple(reversed(range(rank)))), dense.to(torch.int8), dense[..., :1] if rank else dense):
        assert told(x) == right(x)


def test_metadata_follow_a_tensor_that_is_resized():
    x = torch.zeros(2, 3)
    for sizes in ([4], [1, 2, 3, 1, 2, 3, 1], [], [2] * 5, [2] * 6, [0, 3]):
        x.resize_(sizes)
        assert told(x) == right(x)


@pytest.mark.parametrize("sizes", [[7, 8, 9], [7], [], [1] * 6, [2] * 9])
def test_dims_that_are_read_while_the_tensor_is_resized_are_numbers(sizes):
    x = torch.zeros(2, 3, 4)
    read = ops.dims_while_resized(x, sizes)
    assert x.shape == torch.Size(sizes)
    assert len(read) == 3 and read[0] == 2
    if len(sizes) == 3:
        assert read == [2, 8, 9]


def test_metadata_are_read_where_they_lie():
    """On every torch that is supported: were their places not found when the library was built, all would be asked, and cost a call."""
    plain = torch.zeros(2, 3)
    for x in (plain, plain.t(), plain.to("meta"), torch.nn.Parameter(plain), plain.reshape([1] * 6 + [6]), plain.cfloat().conj(), torch.zeros([])):
        assert ops.reads_in_place(x) == (True, True)
    assert ops.reads_in_place(torch.eye(3).to_sparse()) == (False, True)


class Answers(torch.Tensor):
    """A tensor whose metadata are other than those that torch keeps for it."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(cls, (1, 1), dispatch_sizes_strides_policy="sizes", dispatch_device=True, device="cpu")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        aten = torch.ops.aten
        given = {
            aten.dim.default: 3,
            torch.ops.prim.device.default: torch.device("meta"),
            **dict.fromkeys((aten.size.default, aten.sym_size.default), (4, 5, 6)),
            **dict.fromkeys((aten.stride.default, aten.sym_stride.default), (30, 6, 1)),
            **dict.fromkeys((aten.numel.default, aten.sym_numel.default), 120),
        }
        return given[func] if func in given else func.decompose(*args)


def test_python_is_asked_for_what_it_answers_for():
    assert ops.reads_in_place(Answers()) == (False, False)
    assert ops.seen_through_python(Answers()) == ([4, 5, 6], [30, 6, 1], "meta")


def test_metadata_of_tensors_that_others_answer_for():
    class Sub(torch.Tensor):
        pass

    plain = torch.zeros(2, 3)
    for x in (plain.to("meta"), plain.as_subclass(Sub), torch.nn.Parameter(plain), plain.to(torch.cfloat).conj()):
        assert told(x) == right(x)
    assert ops.size_at(torch.eye(3).to_sparse(), 1) == 3


@pytest.mark.filterwarnings("ignore")
def test_sparse_tensors_are_described_as_torch_does():
    x = torch.randn(3, 4).to_sparse()
    assert ops.geometry(x)[:2] == ([3, 4], list(x.stride()))
    assert ops.describe(x) == "Tensor[3, 4] float32 cpu"


@pytest.mark.parametrize("call, argument", [
    (lambda a, m: ops.product(a, m), "x"),
    (lambda a, m: ops.product(m, a), "y"),
    (lambda a, m: ops.affine(a, m, 2.0), "x"),
    (lambda a, m: ops.sum_list([m, a], [1.0, 1.0]), "xs"),
    (lambda a, m: torch.ops.test_types.add_and_copy(a, m), "x"),
    (lambda a, m: torch.ops.test_types.swap_(a, m), "x"),
], ids=["first", "second", "optional", "list", "written", "written-nothing-returned"])
def test_numbers_beside_a_meta_tensor_are_refused(call, argument):
    """A result without memory would pass for numbers."""
    a, m = torch.ones(3), torch.ones(3, device="meta")
    with pytest.raises(RuntimeError, match=f"argument '{argument}' is on cpu and another one on meta"):
        call(a, m)
    assert torch.equal(a, torch.ones(3))


def test_a_number_goes_with_a_meta_tensor():
    y = ops.product(torch.ones(3, device="meta"), torch.tensor(2.0))
    assert y.is_meta and y.shape == (3,)
