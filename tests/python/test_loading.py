"""Loading: alone, twice, from elsewhere, beside others, and what is left after a load that failed."""

import shutil

import pytest
import torch

from conftest import EXAMPLE, TESTS

CHAIN = """
import os, sys, torch
def chain(error):
    parts = []
    while error is not None:
        parts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return "\\n".join(parts)
def failure(path):
    try:
        torch.ops.load_library(path)
    except Exception as error:
        return chain(error)
    raise SystemExit("loaded, but should have failed")
"""


@pytest.fixture
def copy(tmp_path):
    return shutil.copy(EXAMPLE, tmp_path / "copy.so")


def test_alone_and_twice(process):
    assert "3.0" in process("""
        import torch
        before = set(__import__("sys").modules)
        torch.ops.load_library(EXAMPLE)
        new = set(__import__("sys").modules) - before
        assert not new, new
        torch.ops.load_library(EXAMPLE)
        print(torch.ops.my_ops.identity_conv_op(torch.full((), 3.0)).item())
        assert torch.classes.my_ops.IdentityConvClass(3).channels == 3
    """)


def test_says_nothing(process):
    assert process("import torch; torch.ops.load_library(EXAMPLE); torch.ops.load_library(TESTS)") == ""


def test_by_relative_path_and_by_link(process, tmp_path):
    link = tmp_path / "link.so"
    link.symlink_to(EXAMPLE)
    process(f"""
        import os, torch
        os.chdir(os.path.dirname(EXAMPLE))
        torch.ops.load_library("./" + os.path.basename(EXAMPLE))
        torch.ops.load_library({str(link)!r})
        assert torch.ops.my_ops.identity_conv_op(torch.ones(2)).sum() == 2
    """)


def test_copy_at_another_path_names_both_files_and_changes_nothing(process, copy):
    out = process(CHAIN + f"""
torch.ops.load_library(EXAMPLE)
print(failure({str(copy)!r}))
x = torch.ones(2, 3, requires_grad=True)
torch.ops.my_ops.identity_conv_op(x).sum().backward()
assert torch.equal(x.grad, torch.ones(2, 3))
conv = torch.classes.my_ops.IdentityConvClass(3)
assert torch.equal(conv.forward(x.detach()), x.detach())
fn = torch.compile(lambda x: conv.forward(torch.ops.my_ops.identity_conv_op(x)) + 1, backend="aot_eager", fullgraph=True)
assert torch.equal(fn(torch.ones(2, 3)), torch.full((2, 3), 2.0))
torch.ops.load_library(TESTS)
assert torch.ops.test_ops.echo_int(4) == 4
""")
    assert "OSError" in out and "RuntimeError" in out
    assert EXAMPLE in out and str(copy) in out
    assert "my_ops::identity_conv_op" in out and "my_ops::IdentityConvClass" in out


def test_a_failed_load_fails_again_and_works_once_its_cause_is_gone(process, copy):
    """Python never closes a library, so that the loader's second opening runs no constructor."""
    out = process(CHAIN + f"""
lib = torch.library.Library("my_ops", "DEF")
lib.define("identity_conv_op(Tensor x) -> Tensor")
first = failure(EXAMPLE)
assert "already defined" in first or "identity_conv_op" in first, first
for again in (EXAMPLE, EXAMPLE, os.path.join(os.path.dirname(EXAMPLE), ".", os.path.basename(EXAMPLE))):
    second = failure(again)
    assert "my_ops::identity_conv_op" in second, second
torch.ops.load_library(TESTS)
lib._destroy()
torch.ops.load_library(EXAMPLE)
x = torch.ones(2, 3, requires_grad=True)
torch.ops.my_ops.identity_conv_op(x).sum().backward()
assert torch.equal(x.grad, torch.ones(2, 3))
conv = torch.classes.my_ops.IdentityConvClass(3)
fn = torch.compile(lambda x: conv.forward(torch.ops.my_ops.identity_conv_op(x)) + 1, backend="aot_eager", fullgraph=True)
assert torch.equal(fn(torch.ones(2, 3)), torch.full((2, 3), 2.0))
torch.ops.load_library(EXAMPLE)
for _ in range(2):
    assert {str(copy)!r} in failure({str(copy)!r})
""")
    assert out == "", out


def test_two_libraries_beside_each_other(process):
    process("""
        import torch
        torch.ops.load_library(TESTS)
        torch.ops.load_library(EXAMPLE)
        x = torch.ones(2, 3)
        assert torch.equal(torch.ops.my_ops.identity_conv_op(torch.ops.test_ops.product(x, x)), x)
        scale, conv = torch.classes.test_ops.Scale(2.0), torch.classes.my_ops.IdentityConvClass(3)
        assert torch.equal(conv.forward(scale.forward(x)), 2 * x)
        try:
            scale.same(conv)
        except (TypeError, RuntimeError) as error:
            assert "Scale" in str(error)
        else:
            raise SystemExit("took an object of another class")
    """)


@pytest.mark.parametrize("order", ["EXAMPLE, TESTS", "TESTS, EXAMPLE"])
def test_with_global_symbols(process, order):
    process(f"""
        import ctypes, torch
        for path in ({order}):
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        x = torch.ones(2, requires_grad=True)
        torch.ops.my_ops.identity_conv_op(torch.ops.test_ops.exponential(x)).sum().backward()
        assert torch.allclose(x.grad, x.exp())
        for call in (lambda: torch.ops.test_ops.panic_at(x, "kernel"), lambda: torch.classes.my_ops.IdentityConvClass(0)):
            try:
                call()
            except (RuntimeError, ValueError) as error:
                print(error)
            else:
                raise SystemExit("no error")
    """)


def test_before_torch_is_the_loaders_own_error(process):
    out = process("""
        import ctypes
        try:
            ctypes.CDLL(EXAMPLE)
        except OSError as error:
            print(error)
        import torch
        torch.ops.load_library(EXAMPLE)
        assert torch.ops.my_ops.identity_conv_op(torch.ones(1)) == 1
    """)
    assert "libtorch_cpu.so: cannot open shared object file" in out or "libc10.so: cannot open shared object file" in out


def test_name_that_python_took_first(process):
    out = process(CHAIN + """
lib = torch.library.Library("my_ops", "DEF")
lib.define("identity_conv_op(Tensor x) -> Tensor")
lib.impl("identity_conv_op", lambda x: x + 41, "CPU")
print(failure(EXAMPLE))
assert torch.ops.my_ops.identity_conv_op(torch.ones(1)) == 42
try:
    torch.classes.my_ops.IdentityConvClass(3)
except RuntimeError as error:
    assert "does not exist" in str(error), error
torch.ops.load_library(TESTS)
assert torch.ops.test_ops.echo_int(4) == 4
""")
    assert "operator `my_ops::identity_conv_op` (examples/identity_conv/src/lib.rs:" in out and ") exists already" in out
    assert EXAMPLE in out


def test_failed_load_leaves_the_names_free(process, copy):
    """The first library fails half-way: its class is free, its op is not. A copy loads once the op is gone."""
    process(CHAIN + f"""
lib = torch.library.Library("my_ops", "FRAGMENT")
lib.define("identity_conv_op(Tensor x) -> Tensor")
failure(EXAMPLE)
lib._destroy()
torch.ops.load_library({str(copy)!r})
conv = torch.classes.my_ops.IdentityConvClass(3)
x = torch.ones(2, 3)
assert conv.channels == 3 and torch.equal(conv.forward(x), x)
assert torch.equal(torch.ops.my_ops.identity_conv_op(x), x)
""")


def test_failure_in_python_takes_everything_back(process, copy):
    """The last step of a load, registering fake classes, fails: nothing of the library is left."""
    out = process(CHAIN + f"""
import torch._library.fake_class_registry as registry
right = registry.register_fake_class
def wrong(*args):
    raise KeyError("not today")
registry.register_fake_class = wrong
print(failure(EXAMPLE))
registry.register_fake_class = right
for gone in (lambda: torch.ops.my_ops.identity_conv_op, lambda: torch.classes.my_ops.IdentityConvClass(3)):
    try:
        gone()
    except (AttributeError, RuntimeError) as error:
        print(type(error).__name__)
    else:
        raise SystemExit("still there")
torch.ops.load_library({str(copy)!r})
conv = torch.classes.my_ops.IdentityConvClass(3)
x = torch.ones(2, 3)
assert conv.channels == 3 and torch.equal(conv.forward(x), x)
fn = torch.compile(lambda x: conv.forward(x) + 1, backend="aot_eager", fullgraph=True)
assert torch.equal(fn(x), x + 1)
""")
    assert "not today" in out


def test_in_a_thread_while_others_compute(process):
    process("""
        import sys, threading, torch
        stop, failures = threading.Event(), []

        def compute():
            x = torch.rand(64, 64)
            while not stop.is_set():
                y = x @ x + sum(range(50))

        def load():
            try:
                torch.ops.load_library(EXAMPLE)
                torch.ops.load_library(TESTS)
            except BaseException as error:
                failures.append(error)

        others = [threading.Thread(target=compute) for _ in range(3)]
        for thread in others:
            thread.start()
        loaders = [threading.Thread(target=load) for _ in range(3)]
        for thread in loaders:
            thread.start()
        for thread in loaders:
            thread.join(60)
            assert not thread.is_alive(), "a loader hangs"
        stop.set()
        assert not failures, failures
        x = torch.ones(2, 3)
        assert torch.equal(torch.ops.my_ops.identity_conv_op(x), x)
        conv = torch.classes.my_ops.IdentityConvClass(3)
        fn = torch.compile(lambda x: conv.forward(x) + 1, backend="aot_eager", fullgraph=True)
        assert torch.equal(fn(x), x + 1)
    """)


def test_without_the_lock(process):
    """From a thread that does not hold Python's lock: never waits, and the fake classes come a moment later."""
    process("""
        import ctypes, threading, time, torch
        libc = ctypes.CDLL(None)
        libc.dlopen.restype = ctypes.c_void_p
        libc.dlopen.argtypes = [ctypes.c_char_p, ctypes.c_int]
        assert libc.dlopen(EXAMPLE.encode(), 2)      # CDLL functions run without the lock
        time.sleep(0.1)
        conv = torch.classes.my_ops.IdentityConvClass(3)
        x = torch.ones(2, 3)
        fn = torch.compile(lambda x: conv.forward(x) + 1, backend="aot_eager", fullgraph=True)
        assert torch.equal(fn(x), x + 1)
    """)


def test_fork_and_spawn(process):
    process("""
        import os, torch
        torch.ops.load_library(EXAMPLE)
        x = torch.ones(2, 3, requires_grad=True)
        torch.ops.my_ops.identity_conv_op(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if torch.equal(torch.ops.my_ops.identity_conv_op(x), x) else 1)
        assert os.waitpid(child, 0)[1] == 0
    """)
