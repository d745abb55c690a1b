"""What a view holds: its claim, a reference to the storage, and the storage's size. All of it is given back, on any path."""

import ctypes
import random
import threading

import pytest
import torch

from conftest import library, raised

ops = torch.ops.test_views
FOREIGN = library("TORCHOP_LIB_FOREIGN")


def live():
    """How many claims the process has: the registry's first field points to the number."""
    (schema,) = (s for s in torch._C._jit_get_all_schemas() if s.name.startswith("_torchop::borrows"))
    registry = schema.arguments[0].default_value
    return ctypes.c_size_t.from_address(ctypes.c_size_t.from_address(registry).value).value


def references(x):
    return torch._C._storage_Use_Count(x.untyped_storage()._cdata)


@pytest.fixture(autouse=True)
def nothing_is_left():
    ops.as_f32(torch.ones(1))  # from now on there is a registry
    assert live() == 0
    yield
    assert live() == 0


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "on other threads"])
@pytest.mark.parametrize("seed", range(3))
def test_views_are_dropped_in_any_order(in_python, seed, elsewhere):
    """A storage can be resized as soon as the last of its views is gone, and not before."""
    chance = random.Random(seed)
    shared, apart = torch.arange(10.0), [torch.full((2,), float(n)) for n in range(5)]
    numpy = torch.from_numpy(torch.ones(4).numpy())
    reads = [shared, shared[:3], shared[2:7:2], apart[0], shared.view(2, 5).t(), apart[0], numpy, apart[1][:0]]
    writes = [apart[2], apart[3][:1], apart[3][1:], apart[4], apart[1]]
    order = list(range(len(reads) + len(writes)))
    chance.shuffle(order)
    of = reads + writes
    counts = [references(x) for x in of]
    steps = []

    def looks(y):
        gone = order[: len(of) - y.numel()]
        left = [n for n in range(len(of)) if n not in gone and of[n].numel() > 0]
        assert live() == len(left)
        for x, count in zip(of, counts, strict=True):
            storage = x.untyped_storage()
            held = [n for n in left if of[n].untyped_storage()._cdata == storage._cdata]
            assert storage.resizable() == (not held and x is not numpy), (gone, x)
            assert references(x) == count + len(held)
        steps.append(y.numel())
        return y + 0

    in_python["call"] = looks
    got = ops.holds(reads, writes, order, elsewhere)
    assert got == sum(float(x.reshape(-1)[0]) for x in of if x.numel() > 0)
    assert steps == list(range(len(of), -1, -1))
    assert [references(x) for x in of] == counts
    assert not numpy.untyped_storage().resizable() and shared.untyped_storage().resizable()
    shared.resize_(1000)


def test_hundreds_of_views(in_python):
    x = torch.zeros(600)
    seen = []

    def looks(y):
        if y.numel() in (600, 300, 1):
            seen.append((y.numel(), live(), raised(lambda: ops.add_(x, 1.0))[0], x.untyped_storage().resizable()))
        return y + 0

    in_python["call"] = looks
    parts = [part for n in range(300) for part in x[2 * n : 2 * n + 2].chunk(2)]
    order = list(range(600))
    random.Random(1).shuffle(order)
    ops.holds(parts[::2], parts[1::2], order)
    assert seen == [(n, n, "RuntimeError", False) for n in (600, 300, 1)]
    ops.add_(x, 1.0)
    assert x.sum() == 600 and x.untyped_storage().resizable()


def test_views_of_many_threads(in_python):
    """Each thread holds views of one common storage and of its own."""
    common = torch.arange(64.0)
    in_python["call"] = lambda y: y + 0
    failed = []

    def work(seed):
        chance, own = random.Random(seed), torch.zeros(8)
        try:
            for _ in range(150):
                first, last = sorted(chance.sample(range(65), 2))
                order = [0, 1, 2]
                chance.shuffle(order)
                got = ops.holds([common[first:last], common[first:last:3]], [own], order, bool(chance.getrandbits(1)))
                assert got == 2 * first + own[0]
                ops.add_(own, 1.0)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failed, failed
    assert common.untyped_storage().resizable() and torch.equal(common, torch.arange(64.0))


def bools(strided):
    x = torch.tensor([1, 0, 2, 0], dtype=torch.uint8).view(torch.bool)
    return x[::2] if strided else x


def shrunk():
    x = torch.ones(10)
    x.untyped_storage().resize_(8)
    return x


F32, ND, SLICE, F32_MUT, ND_MUT, SLICE_MUT, BOOL, BOOL_MUT = range(8)
FAILING = {
    "dtype": (lambda: torch.ones(3, dtype=torch.int64), range(8)),
    "number of dimensions": (lambda: torch.ones(2, 2), (ND, ND_MUT)),
    "not contiguous": (lambda: torch.ones(4, 4).t(), (SLICE, SLICE_MUT)),
    "overlapping": (lambda: torch.ones(4).as_strided((3, 2), (1, 1)), (F32_MUT,)),
    "expanded": (lambda: torch.ones(()).expand(1 << 31, 1 << 31), (SLICE, F32_MUT, SLICE_MUT)),
    "misaligned": (lambda: torch.frombuffer(bytearray(41), dtype=torch.float32, offset=1, count=10), range(6)),
    "shrunk": (shrunk, range(6)),
    "bad bools": (lambda: bools(False), (BOOL, BOOL_MUT)),
    "bad bools with gaps": (lambda: bools(True), (BOOL, BOOL_MUT)),
    "requires grad": (lambda: torch.ones(3, requires_grad=True) * 1, (F32, SLICE, F32_MUT)),
    "conjugated": (lambda: torch.ones(3, dtype=torch.complex64).conj(), (F32, BOOL)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", FAILING)
def test_a_refused_view_holds_nothing(case):
    make, ways = FAILING[case]
    x = make()
    before = references(x), x.untyped_storage().resizable()
    for way in ways:
        for _ in range(20):
            kind, text = raised(lambda way=way: ops.tries(x, way))
            assert kind in ("ValueError", "RuntimeError", "TypeError"), (way, kind, text)
        assert live() == 0
        assert (references(x), x.untyped_storage().resizable()) == before, way


def test_a_view_that_is_in_the_way_keeps_what_it_holds(in_python):
    x, seen = torch.zeros(4), []

    def looks(y):
        if y.numel():
            before = references(x)
            for way in range(6):
                kind, text = raised(lambda way=way: ops.tries(x, way))
                assert "borrowed for writing at tests/ops/src/views_held.rs:" in text.replace("\\", "/"), text
                assert text.count("views_held.rs:") == 2, text
                seen.append(kind)
            assert references(x) == before and live() == 1 and not x.untyped_storage().resizable()
        return y + 0

    in_python["call"] = looks
    ops.holds([], [x], [0])
    assert seen == ["RuntimeError"] * 6 and x.untyped_storage().resizable()


def test_what_was_not_resizable_stays_so():
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(4, dtype=numpy.float32)
    given = torch.ones(4)
    given.numpy()
    for x in (torch.from_numpy(array), given, torch.frombuffer(bytearray(16), dtype=torch.float32)):
        assert not x.untyped_storage().resizable()
        ops.add_(x, 1.0)
        assert ops.as_f32(x) == 4.0 + (0.0 if x[0] == 1.0 else 4.0)
        assert not x.untyped_storage().resizable()


def test_a_storage_that_was_swapped_is_given_back(in_python):
    """Whatever Python does with the tensor: the storage that was looked at is the one that is let go."""

    def swap_data(x, other):
        x.data = other

    for swap in (torch.Tensor.set_, swap_data):
        x, other = torch.arange(4.0), torch.arange(4.0, 100.0)
        kept = x.detach()  # the old storage
        before = references(kept)

        def looks(y, swap=swap, x=x, other=other, kept=kept):
            if y.numel():
                swap(x, other)
                assert not kept.untyped_storage().resizable() and other.untyped_storage().resizable()
            return y + 0

        in_python["call"] = looks
        assert ops.holds([x], [], [0]) == 0.0
        assert kept.untyped_storage().resizable() and x[0] == 4.0
        assert references(kept) in (before, before - 1)
        ops.add_(kept, 1.0)


def test_the_last_reference_may_be_the_views(in_python):
    """The memory lives as long as the view, and is freed with it: its owner is told so once."""
    freed = []

    class Owner(bytearray):
        def __del__(self):
            freed.append(live())

    x = torch.frombuffer(Owner(16), dtype=torch.float32)
    x.fill_(3.0)

    def looks(y):
        if y.numel():
            x.set_(torch.zeros(1))
            assert not freed
        return y + 0

    in_python["call"] = looks
    assert ops.holds([x], [], [0]) == 3.0
    assert freed == [0]


LIBRARIES = """
import itertools, os, sys, torch
FOREIGN = os.environ["TORCHOP_LIB_FOREIGN"]
lib = torch.library.Library("test_foreign", "DEF")
lib.define("scale(Tensor x, float by=2., *, int[2]? size=None) -> Tensor")
lib.define("cube(Tensor x) -> Tensor")
lib.define("add_one_(Tensor(a!) x) -> ()")
x = torch.zeros(8, dtype=torch.float64)
first = {TESTS: lambda: torch.ops.test_views.add_(torch.ones(1), 1.0), FOREIGN: lambda: torch.ops.test_foreign.add_one_(x.clone()),
         EXAMPLE: lambda: torch.ops.my_ops.identity_conv_op(torch.ones(4))}
order = [[TESTS, FOREIGN, EXAMPLE][int(n)] for n in os.environ["ORDER"]]
for path in order:
    torch.ops.load_library(path)
for path in order:
    first[path]()
def python(y):
    for call in (lambda: torch.ops.test_foreign.add_one_(x), lambda: torch.ops.test_foreign.add_one_(x[::2]),
                 lambda: torch.ops.my_ops.identity_conv_op(x.view(torch.float32)), lambda: torch.ops.test_views.add_(x.view(torch.float32), 1.0)):
        if y.numel():
            try:
                call()
            except Exception as error:
                print(type(error).__name__, error)
            else:
                print("allowed")
    return y + 0
impl = torch.library.Library("test_ops", "IMPL")
impl.impl("in_python", python, "CPU")
storage = x.untyped_storage()
torch.ops.test_views.holds([], [x.view(torch.float32)], [0])
print(storage.resizable(), torch._C._storage_Use_Count(storage._cdata))
torch.ops.test_foreign.add_one_(x)
print(x.tolist() == [1.0] * 8)
print(sorted(name for name in torch._C._dispatch_get_all_op_names() if name.startswith("_torchop::")))
"""


@pytest.mark.parametrize("order", ["012", "021", "102", "120", "201", "210"])
def test_three_libraries_in_any_order(process, order):
    """Whichever comes first brings the registry. The places in messages are those of the library that has the source."""
    lines = process(LIBRARIES, ORDER=order).splitlines()
    assert len(lines) == 7, lines
    held = "borrowed for writing at tests/ops/src/views_held.rs:"
    assert lines[0].startswith("RuntimeError test_foreign::add_one_: argument 'x' (position 0): ") and held in lines[0], lines[0]
    assert "to be borrowed for writing at tests/foreign/src/lib.rs:" in lines[0], lines[0]
    assert lines[1].startswith("ValueError"), lines[1]  # not contiguous
    assert held in lines[2] and "would use it for reading at examples/identity_conv/src/lib.rs:" in lines[2], lines[2]
    assert held in lines[3] and "to be borrowed for writing at tests/ops/src/views.rs:" in lines[3], lines[3]
    assert lines[4] == "True 2" and lines[5] == "True", lines
    assert lines[6] == "['_torchop::borrows_v2']"


def test_a_forgotten_view_stays(process):
    out = process(
        """
        import torch
        torch.ops.load_library(TESTS)
        x, y = torch.zeros(4), torch.zeros(4)
        torch.ops.test_views.forgets(x[:2])
        for part in (x, x[2:], y):
            try:
                torch.ops.test_views.add_(part, 1.0)
                print("written")
            except RuntimeError as error:
                print("refused", "views_held.rs" in str(error))
        print(torch.ops.test_views.as_f32(x), x.untyped_storage().resizable(), y.untyped_storage().resizable())
        """
    )
    assert out.splitlines() == ["refused True", "written", "written", "2.0 False True"]


def test_fork_with_views_of_several_threads(process):
    """In the child its own thread's views are left, and the others' storages may be resized."""
    out = process(
        """
        import os, threading, torch
        torch.ops.load_library(TESTS)
        ops = torch.ops.test_views
        main = threading.get_ident()
        inside, done = threading.Semaphore(0), threading.Event()
        a, b, mine = torch.zeros(4), torch.zeros(4), torch.zeros(4)
        def tells(name, call):
            try:
                call()
                print(name, "done")
            except RuntimeError as error:
                print(name, "refused")
        def python(y):
            if threading.get_ident() != main:
                if y.numel() == 1:
                    inside.release(); assert done.wait(60)
                return y + 0
            if y.numel() == 2:
                child = os.fork()
                if child:
                    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
                    tells("parent a", lambda: ops.add_(a, 1.0))
                    print("parent", *[x.untyped_storage().resizable() for x in (a, b, mine)], flush=True)
                else:
                    global forked
                    forked = True
                    tells("child a", lambda: ops.add_(a, 1.0))
                    tells("child b", lambda: ops.add_(b, 1.0))
                    tells("child mine", lambda: ops.add_(mine, 1.0))
                    print("child", *[x.untyped_storage().resizable() for x in (a, b, mine)], flush=True)
            return y + 0
        forked = False
        impl = torch.library.Library("test_ops", "IMPL")
        impl.impl("in_python", python, "CPU")
        threads = [threading.Thread(target=ops.holds, args=([x], [], [0])) for x in (a, a, b, mine[:1])]
        [thread.start() for thread in threads]
        for _ in threads:
            assert inside.acquire(timeout=60)
        ops.holds([mine[1:]], [torch.zeros(1)], [1, 0])
        if forked:
            tells("child mine afterwards", lambda: ops.add_(mine, 1.0))
            print("child", mine.untyped_storage().resizable(), a.tolist(), flush=True)
            os._exit(0)
        done.set()
        [thread.join() for thread in threads]
        tells("parent afterwards", lambda: (ops.add_(a, 1.0), ops.add_(mine, 1.0)))
        print("parent", *[x.untyped_storage().resizable() for x in (a, b, mine)], a.tolist())
        """
    )
    assert out.splitlines() == [
        "child a done", "child b done", "child mine refused", "child True True False",
        "child mine afterwards done", "child True [1.0, 1.0, 1.0, 1.0]",
        "parent a refused", "parent False False False",
        "parent afterwards done", "parent True True True [1.0, 1.0, 1.0, 1.0]",
    ]  # fmt: skip
