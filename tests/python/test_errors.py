"""An `Err` in Rust is the right exception in Python, with exactly its text."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from conftest import compiles, raised

ops = torch.ops.test_ops
Failing = torch.classes.test_ops.Failing

KINDS = {
    "RuntimeError": RuntimeError,
    "ValueError": ValueError,
    "TypeError": TypeError,
    "IndexError": IndexError,
    "NotImplementedError": NotImplementedError,
    "OutOfMemoryError": torch.OutOfMemoryError,
}
kinds = pytest.mark.parametrize("kind", KINDS)
TEXT = "naïve 100 % {text}\nin two lines"


def expect(kind, call):
    with pytest.raises(Exception) as caught:
        call()
    assert type(caught.value) is KINDS[kind]
    assert str(caught.value) == TEXT


@kinds
def test_kernel(kind):
    x = torch.ones(2)
    expect(kind, lambda: ops.fail_at(x, "kernel", kind, TEXT))
    expect(kind, lambda: ops.fail_at(x.requires_grad_(), "kernel", kind, TEXT))
    assert torch.equal(ops.fail_at(x, "", "", ""), 2 * x)


@kinds
def test_fake(kind):
    x = torch.ones(2, device="meta")
    expect(kind, lambda: ops.fail_at(x, "fake", kind, TEXT))
    assert ops.fail_at(x, "", "", "").shape == (2,)


@kinds
def test_backward(kind):
    x = torch.ones(2, requires_grad=True)
    y = ops.fail_at(x, "backward", kind, TEXT)
    expect(kind, lambda: y.sum().backward())
    ops.fail_at(x, "", "", "").sum().backward()
    assert torch.equal(x.grad, torch.full((2,), 2.0))


@kinds
def test_composite(kind):
    expect(kind, lambda: ops.fail_composite(torch.ones(2), kind, TEXT))


@kinds
@pytest.mark.parametrize("place", ["constructor", "method", "getter"])
def test_class(kind, place):
    def call():
        object = Failing(place, kind, TEXT)
        return object.getter if place == "getter" else object.method()

    expect(kind, call)
    fine = Failing("", "", "")
    assert fine.method() == 7 and fine.getter == 7


@kinds
def test_vmap_and_functional_grad(kind):
    x = torch.ones(2, 3)
    expect(kind, lambda: torch.vmap(lambda x: ops.fail_at(x, "kernel", kind, TEXT))(x))
    expect(kind, lambda: torch.func.grad(lambda x: ops.fail_at(x, "backward", kind, TEXT).sum())(x))


@kinds
def test_kernel_in_a_compiled_graph(kind):
    fn, graphs = compiles(lambda x, place: ops.fail_at(x + 1, place, kind, TEXT), fullgraph=True)
    x = torch.ones(2)
    expect(kind, lambda: fn(x, "kernel"))
    assert torch.equal(fn(x, ""), 2 * (x + 1))
    assert len(graphs) == 2


def test_fake_while_tracing_names_the_text():
    fn, _ = compiles(lambda x: ops.fail_at(x, "fake", "ValueError", TEXT), fullgraph=True)
    with pytest.raises(Exception, match="naïve 100 % {text}"):
        fn(torch.ones(2))
    fn, _ = compiles(lambda x: ops.fail_at(x, "", "", ""), fullgraph=True)
    assert torch.equal(fn(torch.ones(2)), torch.full((2,), 2.0))


def test_cpp_exception_passed_on_is_the_same():
    x = torch.arange(6.0)
    ours, torchs = raised(lambda: ops.reshape_to(x, [4, 2])), raised(lambda: x.reshape(4, 2))
    assert ours == torchs and ours[0] == "RuntimeError"
    assert raised(lambda: ops.calls_missing(x))[0] == "RuntimeError"
    assert torch.equal(ops.reshape_to(x, [3, 2]), x.reshape(3, 2))


def test_cpp_exception_is_an_err_in_rust():
    x = torch.arange(6.0)
    kind, text, place = ops.reshape_failure(x, [4, 2]).split(" | ")
    assert kind == "Runtime" and text == raised(lambda: x.reshape(4, 2))[1]
    assert place.startswith("tests/ops/src/errors.rs:"), place


def test_cpp_exception_replaced_by_another():
    text = raised(lambda: torch.arange(6.0).reshape(4, 2))[1]
    assert raised(lambda: ops.reshape_reworded(torch.arange(6.0), [4, 2])) == ("ValueError", f"no room: {text}")


def test_question_mark_on_any_error():
    assert raised(lambda: ops.parse("x1")) == ("RuntimeError", "invalid digit found in string")
    assert raised(lambda: ops.fail_chained()) == ("RuntimeError", "cannot write the model: the disk is full")
    assert ops.parse("-12") == -12


class OwnError(Exception):
    """An exception class that torch does not know."""


def test_python_exception_comes_through_rust_as_itself(in_python):
    error = OwnError("from Python")

    def fail(x):
        raise error

    in_python["call"] = fail
    x = torch.ones(2)
    with pytest.raises(OwnError) as caught:
        ops.calls_python(x)
    assert caught.value is error
    assert ops.calls_python_and_tells(x).startswith("Runtime: ") and "from Python" in ops.calls_python_and_tells(x)
    in_python["call"] = lambda x: x * 5
    assert torch.equal(ops.calls_python(x), x * 5)


@pytest.mark.parametrize("cls", [KeyError, StopIteration, KeyboardInterrupt, ZeroDivisionError])
def test_python_exceptions_of_any_class(in_python, cls):
    def fail(x):
        raise cls("stop")

    in_python["call"] = fail
    with pytest.raises(cls):
        ops.calls_python(torch.ones(2))


def test_exception_of_a_dispatch_mode_comes_through_rust():
    class Refuse(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func is torch.ops.aten.mul.Tensor:
                raise OwnError(str(func))
            return func(*args, **(kwargs or {}))

    # The mode sees what a composite function calls.
    with Refuse(), pytest.raises(OwnError, match="aten.mul.Tensor"):
        ops.composite_cube(torch.ones(2))
    assert torch.equal(ops.composite_cube(torch.ones(2)), torch.ones(2))


def test_text_with_a_nul_is_whole():
    assert raised(lambda: ops.fail_at(torch.ones(1), "kernel", "ValueError", "a\0b"))[1] == "a\\0b"
