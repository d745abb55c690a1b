"""What stands for methods, and for operators that take objects, while torch traces: each gives eager's values."""

import copy
import io

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from conftest import TORCH, chain, compiles, raised

ops = torch.ops.test_ops
classes = torch.classes.test_ops
backends = pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])


def table(n=3, scale=1.5, name="t"):
    return classes.Table(torch.arange(float(n)), scale, name)


def saved_and_loaded(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


METHODS = {
    "like": lambda t, x: t.forward(2.0, x) + 1,
    "like by name": lambda t, x: t.forward(x=x, factor=2.0) + 1,
    "composite": lambda t, x: t.project(x) + 1,
    "composite, a list": lambda t, x: t.list(x, 3)[1] + t.list(x, 2)[1],
}


@torch.no_grad()
@backends
@pytest.mark.parametrize("what", METHODS)
def test_fakes_that_are_not_written(what, backend):
    call, t, x = METHODS[what], table(), torch.rand(4, 3).t().contiguous().t()
    fn, graphs = compiles(call, backend, fullgraph=True)
    torch.testing.assert_close(fn(t, x), call(t, x))
    assert len(graphs) == 1
    torch.testing.assert_close(fn(table(3, -2.0), x), call(table(3, -2.0), x))


@torch.no_grad()
@pytest.mark.parametrize("what", METHODS)
def test_fakes_that_are_not_written_in_export(what):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.t = table()

        def forward(self, x):
            return METHODS[what](self.t, x)

    net, x = Net(), torch.rand(4, 3)
    program = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("n", min=2)},), strict=False)
    if what.endswith("list"):
        # Torch's format has no word for a list that a method returns.
        with pytest.raises(Exception, match="Unable to serialize output"):
            saved_and_loaded(program)
        saved = ()
    else:
        saved = (saved_and_loaded(program),)
    for made in (program, *saved):
        for n in (2, 7):
            x = torch.rand(n, 3)
            torch.testing.assert_close(made.module()(x), net(x))


@torch.no_grad()
@backends
def test_several_results_are_left_to_eager_mode(backend):
    call, t, x = (lambda t, x: t.parts(x, 3)[0] + sum(t.parts(x, 3)[1])), table(), torch.rand(3)
    fn, _ = compiles(call, backend)
    torch.testing.assert_close(fn(t, x), call(t, x))
    fn, _ = compiles(call, backend, fullgraph=True)
    with pytest.raises(Exception, match="test_ops::Table.parts: PyTorch's compiled graphs take one result from a method"):
        fn(t, x)


def test_several_results_in_export():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.t = table()

        def forward(self, x):
            return self.t.parts(x, 1)[0]

    with pytest.raises(Exception, match="test_ops::Table.parts: PyTorch's compiled graphs take one result from a method"):
        torch.export.export(Net(), (torch.rand(3),), strict=False)


GETTERS = {
    "int": lambda t, x: x * t.size(),
    "float, not the field's": lambda t, x: x * t.scale(),
    "bool": lambda t, x: x + 1 if t.on() else x - 1,
    "list": lambda t, x: x * t.sizes()[0],
}


@torch.no_grad()
@backends
@pytest.mark.parametrize("what", GETTERS)
def test_methods_that_give_an_entry_of_the_state(what, backend):
    call, x = GETTERS[what], torch.rand(3)
    fn, _ = compiles(call, backend)
    for n, scale in ((3, 1.5), (5, 0.5), (3, 1.5)):
        if backend == "inductor" and what.startswith("float"):
            with pytest.raises(Exception, match="output type <class 'float'> is not supported"):
                fn(table(n, scale), x)
            return
        torch.testing.assert_close(fn(table(n, scale), x), call(table(n, scale), x))


@torch.no_grad()
@pytest.mark.parametrize("what", GETTERS)
def test_methods_that_give_an_entry_in_export(what):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.t = table()

        def forward(self, x):
            return GETTERS[what](self.t, x)

    net, x = Net(), torch.rand(3)
    program = torch.export.export(net, (x,), strict=False)
    torch.testing.assert_close(program.module()(x), net(x))


def test_a_method_without_fake_names_what_to_add():
    t = table()
    fn, _ = compiles(lambda x: x * t.rank(), fullgraph=True)
    with pytest.raises(Exception) as caught:
        fn(torch.ones(2))
    text = "".join(str(error) for error in chain(caught.value))
    assert "test_ops::Table.rank: this method has no fake" in text
    assert "#[fake(rank)]" in text and "#[method(composite)]" in text and "#[method(fake = like(x))]" in text


@torch.no_grad()
@backends
@pytest.mark.parametrize("size", [0, 2])
def test_entries_in_entries_are_traced(size, backend):
    thing, x = classes.Compound(size, torch.ones(3)), torch.rand(3)
    fn, graphs = compiles(lambda thing, x: thing.forward(x) + 1, backend, fullgraph=True)
    torch.testing.assert_close(fn(thing, x), thing.forward(x) + 1)
    torch.testing.assert_close(fn(classes.Compound(1, torch.ones(3)), x), x + 1)


@torch.no_grad()
@backends
def test_a_state_by_functions_is_traced(backend):
    x, w = torch.rand(3), torch.rand(3)
    fn, graphs = compiles(lambda thing, x: thing.forward(x) + 1, backend, fullgraph=True)
    for text in ("", "ab", "abc"):
        torch.testing.assert_close(fn(classes.Custom(text, w), x), x * w ** len(text) + 1)
    assert len(graphs) == 3
    torch.testing.assert_close(fn(classes.Custom("xy", 2 * w), x), x * (2 * w) ** 2 + 1)


@torch.no_grad()
@backends
def test_a_class_without_entries(backend):
    x = torch.rand(3)
    fn, _ = compiles(lambda thing, x: thing.forward(x) + 1, backend, fullgraph=True)
    torch.testing.assert_close(fn(classes.Empty(), x), 3 * x + 1)


held = classes.Scale(2.0)


class Holds(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.thing, self.things, self.call = classes.Scale(2.0), [classes.Scale(3.0), classes.Scale(4.0)], call

    def forward(self, x):
        return self.call(self, x)


PLACES = {
    "attribute": lambda m, x: m.thing.forward(x) + 1,
    "in a list": lambda m, x: m.things[0].forward(x) + m.things[1].forward(x),
    "global": lambda m, x: held.forward(x) + 1,
    "operator": lambda m, x: ops.apply_scale(m.thing, x) + 1,
    "operator by name": lambda m, x: ops.apply_scale(x=x, scale=m.thing) + 1,
    "operator, two objects": lambda m, x: ops.two_scales(m.thing, x, m.things[0]),
    "operator, one object twice": lambda m, x: ops.two_scales(m.thing, x, m.thing),
}


@torch.no_grad()
@backends
@pytest.mark.parametrize("place", PLACES)
def test_objects_everywhere(place, backend):
    net, x = Holds(PLACES[place]), torch.rand(4)
    for module in (net, copy.deepcopy(net)):
        fn, graphs = compiles(module, backend, fullgraph=True)
        torch.testing.assert_close(fn(x), net(x))
        torch.testing.assert_close(fn(x), net(x))
        assert len(graphs) == 1


@torch.no_grad()
@pytest.mark.parametrize("place", PLACES)
def test_objects_everywhere_in_export(place):
    net, x = Holds(PLACES[place]), torch.rand(5, 4)
    program = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("n", min=2)}, ), strict=False)
    for made in (program, saved_and_loaded(program), program.run_decompositions()):
        for n in (2, 6):
            x = torch.rand(n, 4)
            torch.testing.assert_close(made.module()(x), net(x))


@torch.no_grad()
@backends
def test_the_state_says_the_size_of_a_result(backend):
    fn, _ = compiles(lambda x, t: ops.apply_table(x, t) + 1, backend, fullgraph=True)
    x = torch.rand(4)
    for n in (3, 5):
        y = fn(x, table(n))
        assert y.shape == (n, 4)
        torch.testing.assert_close(y, ops.apply_table(x, table(n)) + 1)


def test_an_operator_with_an_object_in_strict_export():
    class Takes(torch.nn.Module):
        def forward(self, x, t):
            return ops.apply_table(x, t) + 1

    x, t = torch.rand(4), table(3)
    with torch.no_grad():
        for strict in (False, True):
            program = torch.export.export(Takes(), (x, t), strict=strict)
            torch.testing.assert_close(program.module()(x, t), ops.apply_table(x, t) + 1)


def test_an_operator_with_an_object_on_meta():
    y = ops.apply_table(torch.rand(4, device="meta"), table(3))
    assert y.shape == (3, 4) and y.device.type == "meta"
    assert ops.apply_scale(held, torch.rand(4, device="meta")).shape == (4,)


@torch.no_grad()
@backends
def test_a_changed_field_is_seen_by_operators(backend):
    fn, _ = compiles(lambda scale, x: ops.apply_scale(scale, x) + 1, backend, fullgraph=True)
    x = torch.rand(2)
    for factor in (2.0, 3.0, 2.0, -1.0):
        torch.testing.assert_close(fn(classes.Scale(factor), x), factor * x + 1)


@torch.no_grad()
@backends
def test_autocast_around_and_inside(backend):
    def call(scale, x, w):
        with torch.autocast("cpu", torch.bfloat16):
            return ops.apply_scale(scale, torch.mm(x, w)) + scale.forward(x)

    x, w, scale = torch.rand(3, 3), torch.rand(3, 3), classes.Scale(2.0)
    expected = call(scale, x, w)
    fn, _ = compiles(call, backend, fullgraph=True)
    torch.testing.assert_close(fn(scale, x, w), expected)
    with torch.autocast("cpu", torch.bfloat16):
        outside = lambda scale, x, w: ops.apply_scale(scale, torch.mm(x, w))
        expected = outside(scale, x, w)
        fn, _ = compiles(outside, backend, fullgraph=True)
        result = fn(scale, x, w)
    assert result.dtype == expected.dtype
    torch.testing.assert_close(result, expected)


def test_checkpointing():
    scale, w = classes.Scale(3.0), torch.rand(4, requires_grad=True)
    for call in (lambda x: scale.forward(x * x).sin(), lambda x: ops.apply_scale(scale, x * x).sin()):
        (expected,) = torch.autograd.grad((3 * w * w).sin().sum(), w)
        for run in (call, torch.compile(lambda x: call(x), backend="aot_eager")):
            (g,) = torch.autograd.grad(checkpoint(run, w, use_reentrant=False).sum(), w)
            torch.testing.assert_close(g, expected)


@backends
def test_gradients_of_operators_with_objects(backend):
    """Training: the right gradient, never less."""
    scale, w = classes.Scale(3.0), torch.rand(4, requires_grad=True)
    expected = 3 * torch.cos(3 * w * w).detach() * 2 * w.detach()
    fn, _ = compiles(lambda scale, x: ops.apply_scale(scale, x * x).sin().sum(), backend)
    for _ in range(2):
        (g,) = torch.autograd.grad(fn(scale, w), w)
        torch.testing.assert_close(g, expected)


@pytest.mark.parametrize("call", [lambda x: ops.like_input(x), lambda x: ops.like_input(x, a=2.0)])
def test_operators_like_an_argument(call):
    with torch.no_grad():
        x = torch.rand(3, 4).t()
        fn, _ = compiles(lambda x: call(x) + 1, "inductor", fullgraph=True)
        torch.testing.assert_close(fn(x), call(x) + 1)
        assert call(x.to("meta")).stride() == call(x).stride()
    torch.library.opcheck(ops.like_input, (torch.rand(3),))
