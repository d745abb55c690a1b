"""A panic is a `RuntimeError` that names the function and the place; the process lives and the next call works."""

import gc
import re
import threading

import pytest
import torch

from conftest import compiles, raised

ops = torch.ops.test_ops
Panicking = torch.classes.test_ops.Panicking
PLACE = r"tests/ops/src/panics\.rs:\d+"


def expect(call, name, text):
    kind, message = raised(call)
    assert kind == "RuntimeError"
    assert re.fullmatch(rf"{name} panicked at {PLACE}: {text}", message), message


def works():
    x = torch.ones(2, requires_grad=True)
    y = ops.panic_at(x, "")
    y.sum().backward()
    assert torch.equal(y.detach(), torch.full((2,), 2.0)) and torch.equal(x.grad, torch.full((2,), 2.0))


def test_kernel():
    for grad in (False, True):
        x = torch.ones(2, requires_grad=grad)
        expect(lambda: ops.panic_at(x, "kernel"), "test_ops::panic_at", "no kernel today")
        works()


def test_fake():
    expect(lambda: ops.panic_at(torch.ones(2, device="meta"), "fake"), r"test_ops::panic_at \(fake\)", "no fake today")
    works()


BACKWARD = rf"test_ops::panic_at backward \({PLACE}\)"


def test_backward():
    y = ops.panic_at(torch.ones(2, requires_grad=True), "backward")
    expect(lambda: y.sum().backward(), BACKWARD, "no backward today")
    works()


def test_backward_in_another_thread():
    y = ops.panic_at(torch.ones(2, requires_grad=True), "backward")
    seen = []
    thread = threading.Thread(target=lambda: seen.append(raised(lambda: y.sum().backward())))
    thread.start()
    thread.join()
    assert re.fullmatch(rf"{BACKWARD} panicked at {PLACE}: no backward today", seen[0][1])
    works()


def test_composite():
    expect(lambda: ops.panic_composite(torch.ones(2)), "test_ops::panic_composite", "no parts today")


@pytest.mark.parametrize("how, text", [
    ("unwrap", "called `Option::unwrap\\(\\)` on a `None` value"),
    ("index", "index out of bounds: the len is 1 but the index is 5"),
    ("number", "\\(no text\\)"),
    ("bomb", "\\(no text\\)"),
    ("thread", "called `Result::unwrap\\(\\)` on an `Err` value: .*"),
])
def test_every_way_to_panic(how, text):
    expect(lambda: ops.panic_how(torch.ones(2), how), "test_ops::panic_how", text)
    works()


def test_panic_of_an_operator_called_from_rust_is_its_error():
    expect(lambda: ops.panic_how(torch.ones(2), "nested"), "test_ops::panic_at", "no kernel today")


def test_rethrown_panic_has_no_wrong_place():
    kind, text = raised(lambda: ops.panic_how(torch.ones(2), "rethrown"))
    assert (kind, text) == ("RuntimeError", "test_ops::panic_how panicked: thrown without a place")


def test_class():
    expect(lambda: Panicking("constructor"), r"test_ops::Panicking\.new", "no object today")
    x = torch.ones(2)
    expect(lambda: Panicking("method").method(x), r"test_ops::Panicking\.method", "no method today")
    expect(lambda: Panicking("getter").getter, r"test_ops::Panicking\.getter", "no getter today")
    fine = Panicking("")
    assert fine.getter == 7 and torch.equal(fine.method(x), 2 * x)


def test_drop_is_told_on_stderr(capfd):
    object = Panicking("drop")
    assert object.getter == 7
    del object
    gc.collect()
    assert re.search(rf"torchop: Drop of test_ops::Panicking panicked at {PLACE}: no drop today", capfd.readouterr().err)
    works()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled(backend):
    x = torch.ones(2)
    fn, _ = compiles(lambda x, place: ops.panic_at(x + 1, place), backend, fullgraph=True)
    assert torch.equal(fn(x, ""), torch.full((2,), 4.0))
    expect(lambda: fn(x, "kernel"), "test_ops::panic_at", "no kernel today")
    assert torch.equal(fn(x, ""), torch.full((2,), 4.0))
    with pytest.raises(Exception, match=rf"panic_at \(fake\) panicked at {PLACE}: no fake today"):
        fn(x, "fake")
    y = x.clone().requires_grad_()
    with pytest.raises(Exception, match=rf"panicked at {PLACE}: no backward today"):
        fn(y, "backward").sum().backward()
    fn(y, "").sum().backward()
    assert torch.equal(y.grad, torch.full((2,), 2.0))


def test_method_in_a_compiled_graph():
    x = torch.ones(2)
    for place, error in (("", None), ("method", "no method today"), ("fake", "no fake method today"), ("", None)):
        object = Panicking(place)
        fn, _ = compiles(lambda x: object.method(x) + 1, fullgraph=True)
        if error is None:
            assert torch.equal(fn(x), 2 * x + 1)
        else:
            with pytest.raises(Exception, match=error):
                fn(x)


def test_panics_in_many_threads():
    seen = []

    def run():
        for _ in range(50):
            seen.append(raised(lambda: ops.panic_at(torch.ones(2), "kernel"))[1])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 200 and len(set(seen)) == 1 and "no kernel today" in seen[0]
    works()
