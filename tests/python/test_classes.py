"""Objects: made, copied, saved, given to the wrong place, and gone when nobody has them."""

import copy
import io
import pickle
import threading

import pytest
import torch

from conftest import alive, raised

ops = torch.ops.test_ops
classes = torch.classes.test_ops


def everything(**changes):
    fields = dict(
        count=3, scale=1.5, on=True, name="naïve", weight=torch.arange(4.0), limit=None, bias=torch.ones(4),
        sizes=[1, 2], parts=[torch.ones(4), torch.full((4,), 2.0)], names=["a", ""],
    )
    return classes.Everything(*(fields | changes).values())


def through_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


def through_torch_save(thing):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def through_cpp_pickler(thing):
    """What AOTInductor and export use."""
    return torch._C._pickle_load_obj(torch._C._pickle_save(thing))


roads = pytest.mark.parametrize("road", [copy.deepcopy, through_pickle, through_torch_save, through_cpp_pickler])


@roads
@pytest.mark.parametrize("changes", [{}, {"limit": 7, "bias": None, "sizes": [], "parts": [], "names": [], "name": ""}])
def test_every_field_survives(road, changes):
    thing = everything(**changes)
    other = road(thing)
    assert other.describe() == thing.describe()
    x = torch.rand(4)
    assert torch.equal(other.forward(x), thing.forward(x))


@roads
def test_copies_have_memory_of_their_own(road):
    w = torch.ones(3)
    holder = classes.Holder(w)
    other = road(holder)
    w.add_(1)
    assert torch.equal(holder.weight, w) and torch.equal(other.weight, torch.ones(3))
    other.weight.zero_()
    assert torch.equal(holder.weight, w)


@pytest.mark.parametrize("road", [copy.deepcopy, through_pickle, through_torch_save])
def test_a_module_that_holds_objects(road):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = classes.Scale(2.0), everything()

        def forward(self, x):
            return self.b.forward(self.a.forward(x))

    globals()["Net"] = Net
    Net.__qualname__ = "Net"
    x = torch.rand(4)
    net = Net()
    assert torch.equal(road(net)(x), net(x))


def test_a_state_that_does_not_fit():
    scale = classes.Scale(2.0)
    state = scale._get_method("__getstate__")()
    assert state == (("factor", 2.0),)
    for wrong in ((), (("factor", 2.0), ("x", 1)), (("other", 2.0),), (("factor", "x"),), None, 3):
        fresh = torch.ScriptObject.__new__(torch.ScriptObject)
        kind, _ = raised(lambda: fresh.__setstate__((wrong, "__torch__.torch.classes.test_ops.Scale")))
        assert kind in ("RuntimeError", "ValueError", "TypeError", "IndexError")
    assert scale.factor == 2.0


def test_constructor_errors_leave_nothing():
    before = alive()
    for how in ("error", "panic") * 10:
        with pytest.raises((ValueError, RuntimeError)):
            classes.Counted(how)
    assert alive() == before
    made = classes.Counted("")
    assert alive() == before + 1
    del made
    assert alive() == before


@pytest.mark.parametrize("args, kinds", [((), "RuntimeError"), (("a", "b"), "RuntimeError"), ((3,), "RuntimeError"), ((None,), "RuntimeError")])
def test_wrong_constructor_arguments_are_torchs_errors(args, kinds):
    before = alive()
    kind, text = raised(lambda: classes.Counted(*args))
    assert kind in (kinds, "TypeError") and text
    assert alive() == before


def test_drop_runs_once():
    before, made = alive(), ops.made()
    things = [classes.Counted("") for _ in range(100)]
    held = [things[0], things[0], {"x": things[1]}]
    assert alive() == before + 100 and ops.made() == made + 100
    del things
    assert alive() == before + 2
    held.clear()
    assert alive() == before


def test_object_lives_while_a_bound_method_does():
    before = alive()
    method = classes.Counted("").forward
    assert alive() == before + 1
    assert torch.equal(method(torch.ones(2)), torch.ones(2))
    del method
    assert alive() == before


def test_an_object_is_not_initialised_again():
    scale = classes.Scale(2.0)
    for again in (lambda: scale._get_method("__init__")(3.0), lambda: scale._get_method("__setstate__")((("factor", 3.0),))):
        kind, text = raised(again)
        assert kind == "RuntimeError" and "initialised already" in text
    assert scale.factor == 2.0


def test_initialising_again_while_a_method_runs(in_python):
    """What a method borrows stays, whatever Python does meanwhile."""
    thing, before = classes.Counted(""), alive()

    def again(x):
        with pytest.raises(RuntimeError, match="initialised already"):
            thing._get_method("__init__")("")
        return x + 1

    in_python["call"] = again
    assert thing.call_out(torch.ones(1)) == before and alive() == before


def test_objects_of_another_class():
    scale, holder = classes.Scale(2.0), classes.Holder(torch.ones(1))
    assert scale.same(classes.Scale(2.0)) and not scale.same(classes.Scale(3.0))
    for wrong in (holder, classes.Counted(""), torch.classes.my_ops.IdentityConvClass(3)):
        kind, text = raised(lambda: scale.same(wrong))
        assert kind in ("TypeError", "RuntimeError") and "Scale" in text
    assert raised(lambda: scale.same(3))[0] == "RuntimeError"
    assert raised(lambda: scale.same(None))[0] == "RuntimeError"


def test_methods():
    scale = classes.Scale(2.0)
    x = torch.ones(2)
    y, n, text = scale.both(x, None, ["a", "b"])
    assert torch.equal(y, 2 * x) and (n, text) == (1, "a+b")
    assert scale.both(x, 5, [])[1:] == (5, "")
    assert scale.nothing() is None
    with pytest.raises(AttributeError):
        scale.no_such_method
    with pytest.raises((AttributeError, RuntimeError)):
        scale.factor = 3.0
    assert raised(lambda: scale.forward("x"))[0] == "RuntimeError"


def test_eager_gradient_through_a_method():
    x, w = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
    classes.Holder(w).forward(x).sum().backward()
    assert torch.equal(x.grad, w.detach()) and torch.equal(w.grad, x.detach())


def test_methods_in_many_threads():
    scale, x, wrong = classes.Scale(2.0), torch.ones(10), []

    def run():
        for _ in range(500):
            if not torch.equal(scale.forward(x), 2 * x) or scale.factor != 2.0:
                wrong.append(1)
            classes.Counted("")

    before = alive()
    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and alive() == before


def test_unknown_class():
    with pytest.raises(RuntimeError, match="does not exist"):
        classes.NoSuchClass(1)
