"""Operators with an effect are called as often, and in the order, as in eager mode."""

import pytest
import torch

from conftest import TORCH, compiles, raised

ops = torch.ops.test_effects
ORDERED = TORCH >= (2, 15)


@pytest.fixture(autouse=True)
def nothing_before():
    ops.taken()


def program(x):
    y = x * 2
    ops.note(y, 1)
    ops.number(2)
    a = ops.tick(y, 3)
    ops.note(x, 4)
    ops.tick(x, 5)
    ops.note(a, 6)
    ops.note_rows(x)
    return x + y


NOTES = [1, 2, 3, 4, 5, 6, 4]


def one_call(x):
    ops.note(x, 8)
    return x + 1


def outcome(call):
    """What was written down, or the error's text."""
    ops.taken()
    try:
        call()
    except Exception as error:
        return str(error)
    return ops.taken()


def test_eager():
    program(torch.rand(4))
    assert ops.taken() == NOTES and ops.taken() == []


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize("grad", [True, False])
def test_compiled(backend, fullgraph, grad):
    fn, _ = compiles(program, backend, fullgraph=fullgraph)
    x = torch.rand(4, requires_grad=grad)
    found = outcome(lambda: fn(x))
    if ORDERED or not fullgraph:
        assert found == NOTES
        assert outcome(lambda: fn(x)) == NOTES
        torch.testing.assert_close(fn(x), x * 3)
    else:
        assert "test_effects::" in found and "has an effect" in found and "without fullgraph=True" in found


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_backward_that_is_compiled(backend):
    fn, _ = compiles(lambda x: ops.tick(x.sin(), 1) * 2, backend)
    x = torch.rand(4, requires_grad=True)
    (gradient,) = torch.autograd.grad(fn(x).sum(), x)
    torch.testing.assert_close(gradient, 2 * x.detach().cos())
    assert ops.taken() == [1]


@pytest.mark.parametrize("strict", [True, False])
def test_export(strict):
    class Model(torch.nn.Module):
        def forward(self, x):
            return program(x)

    exported = torch.export.export(Model(), (torch.rand(4),), strict=strict)
    ops.taken()
    for module in (exported.module(), exported.run_decompositions().module()):
        module(torch.rand(4))
        assert ops.taken() == NOTES


@pytest.mark.parametrize("body, notes", [(one_call, [8]), (program, NOTES)])
def test_packages(body, notes, tmp_path):
    class Model(torch.nn.Module):
        def forward(self, x):
            return body(x)

    exported = torch.export.export(Model(), (torch.rand(4),))
    make = lambda: torch._inductor.aoti_compile_and_package(exported, package_path=str(tmp_path / "model.pt2"))
    if ORDERED or body is one_call:
        model = torch._inductor.aoti_load_package(make())
        ops.taken()
        model(torch.rand(4))
        assert ops.taken() == notes
    else:
        text = raised(make)[1]
        assert "test_effects::" in text and "in one operator" in text


def test_a_fake_is_asked():
    with torch._subclasses.fake_tensor.FakeTensorMode():
        ops.note_rows(torch.empty(2))
        kind, text = raised(lambda: ops.note_rows(torch.empty(())))
    assert kind == "ValueError" and "expected rows" in text and ops.taken() == []


def test_a_number_is_not_kept():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + ops.count(x)

    text = raised(lambda: torch.export.export(Model(), (torch.rand(4),)))[1]
    assert "test_effects::count: returns a int" in text and "each call counts; return it as a tensor" in text


def test_meta_tensors():
    assert ops.note(torch.rand(2, device="meta"), 1) is None and ops.tick(torch.rand(2, device="meta"), 1).is_meta and ops.taken() == []


def test_opcheck():
    for op, args in ((ops.note, (torch.rand(3), 1)), (ops.tick, (torch.rand(3), 1)), (ops.note_rows, (torch.rand(3),)), (ops.number, (1,))):
        tests = torch.library.opcheck(op.default, args, raise_exception=False)
        assert set(tests.values()) == {"SUCCESS"}, (op, tests)


def every_kind(scale, x):
    """An overload, sizes that depend on data, objects, effects of a backward, operators that write between."""
    ops.note_scale(scale, x, 1)
    a = ops.tick.scaled(x, 2, 3.0)
    rows = ops.tick_rows(x, 3)
    y = x * 1
    ops.note(y, 4)
    torch.ops.test_types.add_(d := y.detach(), 1.0)
    b = ops.tick_both(ops.tick_both(x, 5), 6)
    ops.note_scale(scale, a, 7)
    return a, rows, d, b * 2


KINDS = [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("grad", [True, False])
def test_every_kind(backend, grad):
    scale, x = torch.classes.test_ops.Scale(1.5), torch.tensor([3.0, 1.0])
    fn, graphs = compiles(lambda x: every_kind(scale, x), backend, fullgraph=ORDERED)
    for run in (lambda x: every_kind(scale, x), fn, fn):
        x = x.detach().requires_grad_(grad)
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            a, rows, written, b = run(x)
        assert ops.taken() == KINDS
        torch.testing.assert_close((a, written, b), (x * 3, x + 1, x * 2), check_stride=False)
        assert rows.shape == (3, 2) and not a.requires_grad
        if grad:
            (gradient,) = torch.autograd.grad(b.sum(), x)
            assert gradient.tolist() == [2.0, 2.0] and ops.taken() == [-6, -5]
    assert not ORDERED or len(graphs) == 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_an_object_and_a_gradient(backend):
    scale, x = torch.classes.test_ops.Scale(1.5), torch.rand(4)

    def run(x):
        ops.note_scale(scale, x, 1)
        y = ops.tick_scale(scale, x, 2)
        ops.note_scale(scale, y, 3)
        return ops.tick_scale(scale, y, 4)

    fn, _ = compiles(run, backend, fullgraph=ORDERED)
    x = x.requires_grad_()
    y = fn(x)
    torch.testing.assert_close((y, torch.autograd.grad(y.sum(), x)[0]), (x * 2.25, torch.full((4,), 2.25)))
    assert ops.taken() == [1, 2, 3, 4]


@pytest.mark.skipif(not ORDERED, reason="takes one effect a package before torch 2.15")
def test_every_kind_in_a_package(tmp_path):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.classes.test_ops.Scale(1.5)

        def forward(self, x):
            return every_kind(self.scale, x)

    x = torch.tensor([3.0, 1.0])
    exported = torch.export.export(Model(), (x,))
    package = torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(exported, package_path=str(tmp_path / "model.pt2")))
    for module in (exported.module(), exported.run_decompositions().module(), package):
        ops.taken()
        results = module(x)
        assert ops.taken() == KINDS
        torch.testing.assert_close(list(results), [x * 3, torch.zeros(3, 2), x + 1, x * 2])


def in_cond(call):
    return lambda x: torch.cond(x.sum() > 0, call, lambda x: x.cos(), (x,))


def in_loop(call):
    from torch._higher_order_ops.while_loop import while_loop

    return lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, call(x)), (torch.tensor(0), x))[1]


def in_map(call):
    from torch._higher_order_ops.map import map

    return lambda x: map(call, x.reshape(2, 2))


def noted(x):
    ops.note(x, 1)
    return x.sin()


@pytest.mark.parametrize("around, name, notes", [(in_cond, "cond", [1]), (in_loop, "while_loop", [1, 1, 1]), (in_map, "map", [1, 1])])
@pytest.mark.parametrize("call", [noted, lambda x: ops.tick(x, 1)], ids=["no result", "a result"])
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_branches_and_bodies(around, name, notes, call, backend):
    """Torch leaves the effects of these out of compiled graphs, without a word if they have no result."""
    x, fn = torch.rand(4), around(call)
    if ORDERED:
        # Torch compiles these itself, in part, which before 2.15 an effect leaves.
        fn(x)
        assert ops.taken() == notes
    text = outcome(lambda: compiles(fn, backend, fullgraph=True)[0](x))
    if ORDERED:
        assert "test_effects::" in text and f"has an effect, inside `{name}`" in text and "call it outside" in text
    else:
        assert "has an effect" in text, text
