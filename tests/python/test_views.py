"""Elements of tensors from Rust: every dtype, every layout; what cannot be reached says why; memory is never aliased."""

import math
import threading

import pytest
import torch

from conftest import TORCH, raised
from test_example_layouts import LAYOUTS

ops = torch.ops.test_views

REAL = [
    torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool,
    torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz,
]  # fmt: skip
COMPLEX = [torch.complex32, torch.complex64, torch.complex128]
FLOAT8 = REAL[-4:]


def base_of(dtype):
    """Small numbers, which every dtype has."""
    return (torch.arange(240) % 7).reshape(2, 4, 5, 6).to(torch.float32).to(dtype)


def numbers(x):
    real, imaginary = ops.numbers(x)
    return [complex(*pair) for pair in zip(real, imaginary, strict=True)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", REAL + COMPLEX, ids=str)
def test_elements_are_torchs(layout, dtype):
    base = base_of(dtype)
    try:
        x = LAYOUTS[layout](base)
    except (RuntimeError, NotImplementedError) as error:
        pytest.skip(f"torch has no such layout of this dtype: {error}")
    wide = torch.complex128 if dtype.is_complex else torch.float64
    expected = (x.to(torch.float32).to(wide) if dtype in FLOAT8 else x.to(wide)).reshape(-1).tolist()
    assert numbers(x) == [complex(value) for value in expected]


@pytest.mark.parametrize("dtype", FLOAT8, ids=str)
def test_every_float8_value(dtype):
    x = torch.arange(256, dtype=torch.int16).to(torch.uint8).view(dtype)
    got, expected = ops.numbers(x)[0], x.to(torch.float32).tolist()
    assert len(got) == 256
    for a, b in zip(got, expected, strict=True):
        assert a == b and math.copysign(1, a) == math.copysign(1, b) or math.isnan(a) and math.isnan(b)


def test_every_scale_value():
    x = torch.arange(256, dtype=torch.int16).to(torch.uint8).view(torch.float8_e8m0fnu)
    got, expected = ops.numbers(x)[0], x.to(torch.float32).tolist()
    assert got[:255] == expected[:255] and math.isnan(got[255]) and math.isnan(expected[255])


def test_pairs_of_float4_are_bits():
    bits = torch.arange(256, dtype=torch.int16).to(torch.uint8).reshape(16, 16)
    for part in (lambda x: x, lambda x: x.t(), lambda x: x[1::3, ::2], lambda x: x[3:3]):
        assert ops.pairs_of_float4(part(bits.view(torch.float4_e2m1fn_x2))) == part(bits).reshape(-1).tolist()
    kind, text = raised(lambda: ops.pairs_of_float4(bits))
    assert kind == "TypeError" and "expected float4_e2m1fn_x2 elements, got uint8" in text


@pytest.mark.parametrize("which", range(4), ids=[str(dtype) for dtype in FLOAT8])
def test_float8_from_float32_is_torchs(which):
    # Every float16 value, and neighbours of each float8 value and of each middle between two.
    halves = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16).to(torch.float32)
    values = torch.arange(256, dtype=torch.int16).to(torch.uint8).view(FLOAT8[which]).to(torch.float32)
    values = values[values.isfinite()].sort().values
    middles = (values[1:] + values[:-1]) / 2
    inf = torch.tensor(math.inf)
    near = [f(v) for v in (values, middles) for f in (lambda v: v, lambda v: v.nextafter(inf), lambda v: v.nextafter(-inf))]
    x = torch.cat([halves, *near, torch.tensor([1e30, -1e30, math.inf, -math.inf])])
    x = x[~x.isnan()].contiguous()
    got = torch.tensor(ops.to_float8(x, which), dtype=torch.uint8)
    expected = x.to(FLOAT8[which]).view(torch.uint8)
    wrong = got != expected
    if TORCH < (2, 15) and FLOAT8[which] == torch.float8_e4m3fn:
        wrong &= (x.abs() < 464) | (got & 0x7F != 0x7E)  # NaN there, the largest number now
    assert not wrong.any(), list(zip(x[wrong].tolist(), got[wrong].tolist(), expected[wrong].tolist(), strict=True))[:9]


def test_small_and_empty():
    assert numbers(torch.tensor(3.5)) == [3.5]
    assert numbers(torch.empty(0, 3)) == [] and ops.as_slice(torch.empty(2, 0)) == []
    assert ops.as_slice(torch.tensor(2.0)) == [2.0]
    ops.add_(torch.empty(0, 4), 1.0)
    x = torch.tensor(2.0)
    ops.add_(x, 1.5)
    assert x == 3.5
    assert numbers(torch.ones(()).expand(3, 2)) == [1.0] * 6
    assert numbers(torch.arange(24.0).reshape(1, 2, 1, 3, 1, 4, 1, 1)) == list(range(24))


def test_static_rank_and_slices():
    x = torch.arange(12.0).reshape(3, 4)
    assert ops.as_matrix(x.t(), 3, 1) == 7.0
    assert ops.as_slice(x[1:]) == x[1:].reshape(-1).tolist()
    kind, text = raised(lambda: ops.as_matrix(x[0], 0, 0))
    assert kind == "ValueError"
    assert text == "test_views::as_matrix: argument 'x' (position 0): expected a tensor of 2 dimensions, got 1; `view` and `view_mut` take any"
    kind, text = raised(lambda: ops.as_slice(x.t()))
    assert kind == "ValueError"
    assert "expected a contiguous tensor, got sizes [4, 3] and strides [1, 4]; write `.contiguous()?`" in text


def sparse():
    return torch.eye(3).to_sparse()


def fake():
    with torch._subclasses.FakeTensorMode():
        return torch.empty(3)


def shrunk():
    x = torch.ones(10)
    x.untyped_storage().resize_(8)
    return x


def freed():
    x = torch.ones(10)
    x.untyped_storage().resize_(0)
    return x


def misaligned():
    return torch.frombuffer(bytearray(17), dtype=torch.uint8)[1:].view(torch.uint8)


REFUSED = {
    "dtype": (lambda: torch.ones(3, dtype=torch.int64), "TypeError", "expected float32 elements, got int64; convert (`.to_dtype(DType::Float32)?`)"),
    "meta": (lambda: torch.ones(3, device="meta"), "ValueError", "expected a tensor with data, got a meta tensor"),
    "sparse": (sparse, "ValueError", "expected a strided tensor, got layout `sparse_coo`; write `.to_dense()?`"),
    "csr": (lambda: torch.eye(3).to_sparse_csr(), "ValueError", "got layout `sparse_csr`"),
    "negated": (lambda: torch.ones(3, dtype=torch.complex64).conj().imag, "ValueError", "`.resolve_neg()?`"),
    "shrunk": (shrunk, "RuntimeError", "reaches beyond its storage"),
    "freed": (freed, "RuntimeError", "no data to be read"),
    "fake": (fake, "RuntimeError", "no data to be read"),
    "zero": (lambda: torch._efficientzerotensor((3,)), "RuntimeError", "no data to be read"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_says_why(case):
    make, kind, text = REFUSED[case]
    x = make()
    got = raised(lambda: ops.outside(x))
    assert got[0] == kind and text in got[1], got


def test_the_error_names_the_operator_and_the_argument():
    kind, text = raised(lambda: ops.both(torch.ones(2), torch.ones(2, dtype=torch.float16)))
    assert kind == "TypeError" and text.startswith("test_views::both: argument 'y' (position 1): expected float32"), text
    kind, text = raised(lambda: ops.total(torch.ones(2, dtype=torch.int32)))
    assert (kind, text) == ("TypeError", "test_views::total: not implemented for int32; expected float32, float64 or float16")
    kind, text = raised(lambda: ops.numbers_outside(torch.ones(3, dtype=torch.complex64).conj()))
    assert kind == "ValueError" and "`.resolve_conj()?`" in text


def test_misaligned_memory():
    buffer = bytearray(41)
    x = torch.frombuffer(buffer, dtype=torch.uint8, offset=1).view(torch.uint8)
    odd = torch.frombuffer(buffer, dtype=torch.float32, offset=1, count=10)
    assert odd.data_ptr() % 4 == x.data_ptr() % 4 != 0
    kind, text = raised(lambda: ops.as_f32(odd))
    assert kind == "ValueError" and "multiples of 4 bytes, these lie" in text
    assert ops.as_f32(odd.clone()) == 0.0


def test_bools_are_checked():
    good = torch.tensor([True, False, True])
    assert ops.bools(good) == [True, False, True]
    bad = torch.tensor([1, 0, 2, 1, 1, 0], dtype=torch.uint8).view(torch.bool)
    kind, text = raised(lambda: ops.bools(bad))
    assert kind == "ValueError" and "neither 0 nor 1" in text
    assert "neither" in raised(lambda: ops.bools(bad[::2]))[1]
    assert ops.bools(bad[1::2]) == [False, True, False]
    assert ops.bools(bad[:1].expand(2, 1 << 40)[:, :2]) == [True] * 4


def test_writing_follows_strides_and_leaves_the_rest():
    for layout, make in LAYOUTS.items():
        base = base_of(torch.float32)
        try:
            x = make(base)
        except (RuntimeError, NotImplementedError):
            continue
        before, version = x.clone(), x._version
        if layout in ("expanded", "broadcast") or any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
            assert "share memory" in raised(lambda x=x: ops.add_(x, 2.0))[1] or "memory location" in raised(lambda x=x: ops.add_(x, 2.0))[1]
            continue
        try:
            ops.add_(x, 2.0)
        except (RuntimeError, ValueError) as error:
            assert "overlap" in str(error) or "memory" in str(error), (layout, error)
            continue
        assert torch.equal(x, before + 2.0), layout
        assert x._version == version + 1, layout
    base = torch.zeros(6, 8)
    ops.add_(base[1::2, ::3], 1.0)
    expected = torch.zeros(6, 8)
    expected[1::2, ::3] += 1.0
    assert torch.equal(base, expected)


def test_parts_of_one_tensor_are_apart():
    base = torch.arange(48.0).reshape(6, 8)
    pairs = {
        "rows": lambda b: (b[:3], b[3:]),
        "columns": lambda b: (b[:, :4], b[:, 4:]),
        "even and odd": lambda b: (b[:, ::2], b[:, 1::2]),
        "even and odd rows": lambda b: (b[::2], b[1::2]),
        "chunks of the last": lambda b: b.view(2, 3, 8).chunk(2, -1),
    }
    for name, parts in pairs.items():
        got, expected = base.clone(), base.clone()
        x, y = parts(expected)
        kept = x.clone()
        x.copy_(y)
        y.copy_(kept)
        ops.swap_(*parts(got))
        assert torch.equal(got, expected), name


def test_one_memory_is_not_written_twice():
    x = torch.ones(4)
    assert raised(lambda: ops.swap_(x, x))[0] == "RuntimeError"
    assert raised(lambda: ops.swap_(x[:3], x[1:]))[0] == "RuntimeError"
    assert raised(lambda: ops.swap_(x, x.detach()))[0] == "RuntimeError"
    assert ops.both(x, x[:2]) == 6.0 and ops.both(x, x) == 8.0


def test_one_memory_behind_two_storages():
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(4, dtype=numpy.float32)
    x, y = torch.from_numpy(array), torch.from_numpy(array)
    assert x.untyped_storage()._cdata != y.untyped_storage()._cdata
    kind, text = raised(lambda: ops.swap_(x, y))
    assert kind == "RuntimeError"
    assert "is borrowed for writing at" in text and "is now to be borrowed for writing at" in text, text
    assert text.startswith("test_views::swap_: argument 'y' (position 1): ") and text.count("views.rs:") == 2, text
    assert (array == 1).all()
    ops.swap_(x[:2], y[2:])


def test_a_view_lives_through_what_foreign_code_does(in_python):
    """Resizing is refused by torch itself; what is replaced or dropped is kept."""
    x = torch.arange(4.0)

    def replaces(y):
        y.set_(torch.zeros(1000))
        return y + 0

    def resizes(y):
        with pytest.raises(RuntimeError, match="not resizable"):
            y.resize_(1 << 20)
        with pytest.raises(RuntimeError, match="not resizable"):
            y.untyped_storage().resize_(0)
        y.resize_(4)  # torch has set the sizes before it refused
        return y + 0

    in_python["call"] = replaces
    assert ops.looks_while_python_works(x) == 6.0
    assert x.shape == (1000,)
    x = torch.arange(4.0)
    in_python["call"] = resizes
    assert ops.looks_while_python_works(x) == 6.0
    x.resize_(8)  # as before
    assert x.untyped_storage().resizable()


def test_what_is_borrowed_is_not_borrowed_otherwise(in_python):
    x = torch.arange(4.0)
    seen = []

    def tries(call):
        def python(y):
            seen.append(raised(call))
            return y + 0

        return python

    in_python["call"] = tries(lambda: ops.add_(x, 1.0))
    assert ops.looks_while_python_works(x) == 6.0
    assert "borrowed for reading at" in seen[-1][1] and "to be borrowed for writing" in seen[-1][1]
    in_python["call"] = lambda y: torch.full_like(y, ops.as_f32(x))
    assert ops.looks_while_python_works(x) == 6.0
    in_python["call"] = tries(lambda: ops.as_f32(x))
    ops.writes_while_python_works(x, torch.ones(1))
    assert "borrowed for writing at" in seen[-1][1] and "to be borrowed for reading" in seen[-1][1]
    # The operator itself is not called with what is written to.
    kind, text = raised(lambda: ops.writes_while_python_works(x, x.view(4)))
    assert kind == "RuntimeError" and ("in use" in text or "overlap" in text or "memory location" in text), text
    ops.add_(x, 1.0)
    assert torch.equal(x, torch.full((4,), 2.0))


def test_libraries_share_their_borrows(in_python):
    """The example is another library; its kernel calls torch's operators on what this one's writes to."""
    x, seen = torch.zeros(4), []

    def python(y):
        seen.append(raised(lambda: torch.ops.my_ops.identity_conv_op(x)))
        return y + 0

    in_python["call"] = python
    ops.writes_while_python_works(x, torch.ones(1))
    assert seen[0][0] == "RuntimeError" and "is in use: it is borrowed for writing at" in seen[0][1], seen
    assert torch.equal(torch.ops.my_ops.identity_conv_op(x), torch.ones(4))
    found = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("_torchop::")]
    assert found == ["_torchop::borrows_v2"]


def test_threads_are_excluded_too(in_python):
    x = torch.zeros(1000)
    inside, done, errors = threading.Event(), threading.Event(), []

    def python(y):
        inside.set()
        assert done.wait(30)
        return y + 0

    in_python["call"] = python
    worker = threading.Thread(target=lambda: ops.looks_while_python_works(x))
    worker.start()
    assert inside.wait(30)
    errors.append(raised(lambda: ops.add_(x, 1.0)))
    assert ops.as_f32(x) == 0.0
    done.set()
    worker.join()
    assert "borrowed for reading" in errors[0][1]
    ops.add_(x, 1.0)
    assert x.sum() == 1000


def test_hammer_one_tensor_from_many_threads():
    """Each call either is alone or is refused: no update is lost, and none is seen half."""
    x = torch.zeros(64)
    count = [0] * 4

    def work(which):
        for _ in range(2000):
            try:
                ops.add_(x, 1.0)
                count[which] += 1
            except RuntimeError as error:
                assert "borrowed" in str(error)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert torch.equal(x, torch.full((64,), float(sum(count)))) and sum(count) > 0
    ops.add_(x, -1.0)


def test_gradients_are_not_lost():
    x = torch.ones(3, requires_grad=True)
    assert ops.as_f32(x.detach()) == 3.0
    kind, text = raised(lambda: ops.outside(x))
    assert kind == "RuntimeError" and "`.detach()?`" in text
    with torch.no_grad():
        assert ops.outside(x) == 3.0
    assert ops.outside(torch.ones(3)) == 3.0


def test_copy_on_write_memory_stays():
    x = torch.arange(4.0)
    y = torch._lazy_clone(x)
    assert ops.as_f32(y) == 6.0 and not torch._C._is_cow_tensor(y)
    ops.add_(y, 1.0)
    assert torch.equal(x, torch.arange(4.0)) and torch.equal(y, torch.arange(4.0) + 1)


def test_fork_while_another_thread_looks(process):
    out = process(
        """
        import os, threading, torch
        torch.ops.load_library(TESTS)
        lib = torch.library.Library("test_ops", "IMPL")
        inside, done = threading.Event(), threading.Event()
        def python(y):
            inside.set(); assert done.wait(60)
            return y + 0
        lib.impl("in_python", python, "CPU")
        x = torch.zeros(10)
        worker = threading.Thread(target=lambda: torch.ops.test_views.looks_while_python_works(x))
        worker.start(); assert inside.wait(60)
        child = os.fork()
        if child == 0:
            # The thread is not here, nor is its view.
            torch.ops.test_views.add_(x, 1.0)
            os._exit(0 if float(x.sum()) == 10.0 else 7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        try:
            torch.ops.test_views.add_(x, 1.0)
        except RuntimeError as error:
            print("refused:", "borrowed for reading" in str(error))
        done.set(); worker.join()
        torch.ops.test_views.add_(x, 1.0)
        print(float(x.sum()))
        """
    )
    assert "refused: True" in out and "10.0" in out, out
