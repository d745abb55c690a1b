"""Every kind of tensor that Python can make: its elements are read as torch has them, or it is said why not."""

import copy

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from conftest import raised

ops = torch.ops.test_views


def composite(op, *args):
    """The function itself, as `decompose` calls it: a subclass gets to Rust as it is."""
    return op.default._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, *args)


class Plain(torch.Tensor):
    pass


class Dispatching(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise NotImplementedError(func)


def answering(policy, of, **answers):
    """A subclass over `of` that answers for its sizes and strides as it likes."""

    class Answering(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            answer = answers[str(func).split(".")[1].removeprefix("sym_")]
            return answer(args[0]) if callable(answer) else answer

    return torch.Tensor._make_subclass(Answering, of, dispatch_sizes_strides_policy=policy)


def reclassed():
    x = torch.arange(6.0)
    x.__class__ = Dispatching
    return x


def inference():
    with torch.inference_mode():
        return torch.arange(6.0)


def grown():
    x = torch.arange(6.0)
    x.untyped_storage().resize_(1000)
    return x


def shared():
    return torch.arange(6.0).share_memory_()


def swapped():
    x, y = torch.zeros(3), torch.arange(6.0)
    torch.utils.swap_tensors(x, y)
    return x


def given_data():
    x = torch.zeros(2, 2)
    x.data = torch.arange(6.0)
    return x


def set_():
    return torch.zeros(1).set_(torch.arange(-2.0, 6.0).untyped_storage(), 2, (2, 3), (3, 1))


READ = {
    "plain subclass": lambda: torch.arange(6.0).as_subclass(Plain),
    "subclass without a key": reclassed,
    "dispatching subclass": lambda: torch.Tensor._make_subclass(Dispatching, torch.arange(6.0)),
    "parameter": lambda: torch.nn.Parameter(torch.arange(6.0), requires_grad=False),
    "buffer": lambda: torch.nn.Buffer(torch.arange(6.0)),
    "deepcopied": lambda: copy.deepcopy(torch.nn.Parameter(torch.arange(6.0), requires_grad=False)),
    "inference": inference,
    "shared memory": shared,
    "grown": grown,
    "swapped": swapped,
    "data": given_data,
    "set_": set_,
    "lazy clone": lambda: torch._lazy_clone(torch.arange(6.0)),
    "keys of another device": lambda: torch.Tensor._make_subclass(torch.Tensor, torch.arange(6.0), device_for_backend_keys=torch.device("meta")),
    "wrapped number": lambda: torch.tensor(15.0),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", READ)
def test_kinds_that_are_read(kind):
    x = READ[kind]()
    storage = torch.Tensor.untyped_storage(x)
    before = storage.resizable(), torch._C._storage_Use_Count(storage._cdata)
    assert composite(ops.outside, x) == 15.0
    assert (storage.resizable(), torch._C._storage_Use_Count(storage._cdata)) == before


ANSWERS = "NotImplementedError", "a tensor subclass that says its own sizes or strides cannot be read"
NO_DATA = "RuntimeError", "no data to be read"
base = torch.arange(6.0)
REFUSED = {
    "strides of a subclass": (lambda: answering("strides", base, stride=[0], is_contiguous=True), *ANSWERS),
    "sizes of a subclass": (lambda: answering("sizes", base, size=[-1, 0], stride=[1, 1], numel=0, dim=2, storage_offset=0), *ANSWERS),
    "wrapper subclass": (lambda: torch.Tensor._make_wrapper_subclass(Dispatching, (6,)), *NO_DATA),
    "wrapper subclass with strides": (lambda: torch.Tensor._make_wrapper_subclass(Dispatching, (6,), dispatch_sizes_strides_policy="strides"), *NO_DATA),
    "wrapper subclass with sizes": (lambda: torch.Tensor._make_wrapper_subclass(Dispatching, (6,), dispatch_sizes_strides_policy="sizes"), *NO_DATA),
    "meta with the CPU's keys": (
        lambda: torch.Tensor._make_subclass(torch.Tensor, base.to("meta"), device_for_backend_keys=torch.device("cpu")), *NO_DATA),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "ValueError", "a nested one"),
    "jagged": (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged), "ValueError", "strided tensor"),
    "mkldnn": (lambda: base.to_mkldnn(), "ValueError", "expected a strided tensor, got layout `_mkldnn`"),
    "quantized": (lambda: torch.quantize_per_tensor(base, 0.1, 0, torch.qint8), "TypeError", "expected float32 elements, got qint8"),
    "csc": (lambda: torch.eye(3).to_sparse_csc(), "ValueError", "got layout `sparse_csc`"),
    "bsr": (lambda: torch.eye(4).to_sparse_bsr((2, 2)), "ValueError", "got layout `sparse_bsr`"),
    "functional": (lambda: torch._to_functional_tensor(base), *NO_DATA),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", REFUSED)
def test_kinds_that_are_refused(kind):
    make, error, text = REFUSED[kind]
    x = make()
    got = raised(lambda: composite(ops.outside, x))
    assert got[0] == error and text in got[1], got


def test_answers_that_move_are_not_followed():
    """Torch writes a subclass's next answer over the one that it gave before."""
    asked, inside = [], []

    def size(x):
        asked.append(1)
        return [6] if len(asked) == 1 else [100_000_000]

    def offset(x):
        if not inside:
            inside.append(1)
            raised(lambda: composite(ops.outside, x))
        return 0

    x = answering("sizes", torch.arange(6.0), size=size, stride=[1], numel=6, dim=1, storage_offset=offset)
    assert raised(lambda: composite(ops.outside, x))[0] == ANSWERS[0]


def test_an_operator_may_reach_all_of_what_answers_for_itself(in_python):
    """Whatever it answers: it is in use as soon as any of its memory is."""
    y, z = torch.zeros(1000), torch.zeros(1000)
    call = torch.ops.test_ops.calls_python.default
    seen = []

    def python(n):
        if n.numel() == 1:
            for of in (y, z):
                x = answering("sizes", of, size=[1], stride=[1], numel=1, dim=1, storage_offset=0, is_contiguous=True)
                try:
                    call._op_dk(torch._C.DispatchKey.CPU, x)
                except Exception as error:
                    seen.append(str(error))
        return n + 0

    in_python["call"] = python
    ops.holds([], [y[990:]], [0])
    assert "is in use: it is borrowed for writing at tests/ops/src/views_held.rs:" in seen[0], seen
    assert all("in use" not in text for text in seen[1:]), seen


@pytest.mark.parametrize("transform", ["vmap", "grad", "functionalize", "jvp"])
def test_wrappers_of_torch_func(transform):
    seen = []

    def f(x):
        seen.append(raised(lambda: composite(ops.outside, x))[1])
        return x.sum()

    x = torch.arange(6.0)
    if transform == "jvp":
        torch.func.jvp(f, (x,), (x,))
    else:
        getattr(torch.func, transform)(f)(x.reshape(2, 3) if transform == "vmap" else x)
    assert "no data to be read" in seen[0] if transform == "functionalize" else "a wrapper without memory of its own" in seen[0], seen


def test_tensors_that_need_gradients():
    x = torch.arange(6.0, requires_grad=True)
    y = x * 1
    for z in (x, y, torch.nn.Parameter(torch.arange(6.0))):
        assert "requires grad" in raised(lambda z=z: ops.outside(z))[1]
        assert "requires grad" in raised(lambda z=z: ops.tries(z, 3))[1]
        with torch.no_grad():
            assert ops.outside(z) == 15.0
        assert ops.total(z) == 15.0  # in a kernel
        assert ops.outside(z.detach()) == 15.0


def test_inference_tensors_are_not_written_outside():
    x = inference()
    for call in (lambda: ops.tries(x, 3), lambda: composite(ops.outside, x) and ops.add_(x, 1.0)):
        kind, text = raised(call)
        assert kind == "RuntimeError" and "nference" in text, text
    assert torch.equal(x, torch.arange(6.0)) and x.untyped_storage().resizable()
    with torch.inference_mode():
        ops.add_(x, 1.0)
    assert x.untyped_storage().resizable() and float(x[0]) == 1.0


def odd_shapes():
    base = torch.arange(64.0)
    huge = (1 << 62) - 1
    yield base.as_strided((1, 4, 1), (huge, 3, 7), 5)
    yield base.as_strided((1, 4, 1), (huge, 1, huge), 60)
    yield base.as_strided((1, 1), (huge, huge), 63)
    yield base.as_strided((), (), 63)
    yield base.as_strided((2, 0, 3), (huge, huge, huge), 64)
    yield base.as_strided((0,), (1,), 64)
    yield base.view((2,) * 6)
    yield base.view((2,) * 6).permute(5, 3, 1, 0, 2, 4)
    yield base.view((2,) * 6)[::2, :, 1:]
    yield base.view(1, 2, 1, 2, 1, 2, 1, 8)
    yield base[:2].expand(3, 4, 2)
    yield base[7:8].expand(5)
    yield base.as_strided((5, 5, 5), (1, 2, 3), 10)
    yield base.as_strided((3, 3), (10, 15))  # 30 twice
    yield base.view(8, 8).diagonal()
    yield base.unfold(0, 5, 2)
    yield base.view(8, 8).mT[1:5:2, ::3]
    yield torch.empty(0)
    yield torch.empty(3, 0, 1 << 40)


@pytest.mark.parametrize("x", list(odd_shapes()), ids=lambda x: f"{tuple(x.shape)} by {x.stride()}")
def test_odd_shapes(x):
    expected = x.flatten().tolist()
    assert ops.numbers(x)[0] == expected
    if x.is_contiguous():
        assert ops.as_slice(x) == expected
    else:
        assert "expected a contiguous tensor" in raised(lambda: ops.as_slice(x))[1]


@pytest.mark.parametrize("x", list(odd_shapes()), ids=lambda x: f"{tuple(x.shape)} by {x.stride()}")
def test_odd_shapes_are_written(x):
    x = x.detach()
    before, storage = x.clone(), x.new_empty(0).set_(x.untyped_storage())
    untouched = storage.clone()
    error = None
    try:
        ops.add_(x, 1.0)
    except (RuntimeError, ValueError) as found:
        error = str(found)
    distinct = torch.arange(storage.numel()).as_strided(x.shape, x.stride(), x.storage_offset()).unique().numel() if x.numel() else 0
    if distinct < x.numel():
        assert error and ("overlap" in error or "memory" in error), error
    elif error:
        assert "overlap" in error or "share memory" in error
    if error:
        assert torch.equal(storage, untouched)
        return
    assert torch.equal(x, before + 1.0)
    assert (storage != untouched).sum() == x.numel()
    ops.add_(x, -1.0)


def test_sizes_that_no_array_of_rust_may_have():
    """Beside a 0, torch takes any; it multiplies from the left."""
    x = torch.empty(0).as_strided((0, 1 << 40, 1 << 40), (1, 1, 1))
    for way in (0, 3):
        assert "more elements than an index can count" in raised(lambda way=way: ops.tries(x, way))[1]
    assert ops.as_slice(x) == []
    huge = (1 << 62) - 1
    x = torch.empty(0).as_strided((2, 0, 3), (huge, huge, huge))  # strides may be any then
    assert ops.numbers(x) == ([], []) and torch.ops.test_elementwise.positive(x).shape == x.shape


@pytest.mark.parametrize("strided", [False, True])
def test_every_bool_is_looked_at(strided):
    """A byte that is no bool is found wherever it is; those beside do no harm."""
    for bad in range(0, 24):
        bits = torch.zeros(24, dtype=torch.uint8)
        bits[bad] = 3
        x = bits.view(torch.bool).view(2, 3, 4)
        if strided:
            x = x[:, ::2, 1::2]
        inside = bad in torch.arange(24).view(2, 3, 4)[:, ::2, 1::2] if strided else True
        if inside:
            assert "neither 0 nor 1" in raised(lambda x=x: ops.bools(x))[1]
        else:
            assert ops.bools(x) == [False] * x.numel()
        assert x.untyped_storage().resizable()


def test_a_mode_that_answers_for_torch():
    """Where torch's operators are called outside of a kernel, what comes back need not be what was asked for."""

    class Small(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func is torch.ops.aten.empty_strided.default:
                return torch.full((1,) * len(args[0]), 7.0)
            return func(*args, **(kwargs or {}))

    x = torch.ones(1 << 16)
    with Small():
        kind, text = raised(lambda: composite(torch.ops.test_elementwise.doubled, x))
    assert kind == "RuntimeError" and "gave sizes [1] where [65536] were asked for" in text, text
    assert torch.equal(composite(torch.ops.test_elementwise.doubled, x), x * 2)
