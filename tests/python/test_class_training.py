"""Operators that take objects train: compiled, the gradients are eager's, in whole graphs."""

import copy
import gc
import io

import pytest
import torch

from conftest import chain, compiles

classes, ops = torch.classes.test_ops, torch.ops.test_ops
backends = pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])


def reference(x, factor, parts, bias=None, times=2):
    """`mix` in torch's operators."""
    first = x * factor * times * sum(parts)
    return (first if bias is None else first + bias), torch.exp(x * factor)


def leaves(bias, wanted):
    x, a, b, c = (torch.rand(3, 4, dtype=torch.float64) for _ in range(4))
    inputs = {"x": x, "a": a, "b": b, "bias": c} if bias else {"x": x, "a": a, "b": b}
    return {name: t.requires_grad_(name in wanted) for name, t in inputs.items()}


def run(mix, scale, inputs, use, times):
    """Leaves, and what is made of leaves; one or both results in use."""
    x, parts = inputs["x"].sin() if "x" in inputs else None, [inputs["a"], inputs["b"] * 2]
    outputs = mix(x, scale, parts, inputs.get("bias"), times=times)
    return sum((output * (k + 2)).square().sum() for k, output in enumerate(outputs) if k in use)


@backends
@pytest.mark.parametrize("bias, wanted, use", [
    (True, "x a b bias", (0, 1)), (True, "x", (0, 1)), (True, "a", (0,)), (True, "bias b", (0,)), (False, "x b", (1,)), (False, "x a", (0, 1)),
])
def test_every_need_of_a_backward(backend, bias, wanted, use):
    inputs, scale = leaves(bias, wanted.split()), classes.Scale(1.5)
    wanted = [inputs[name] for name in wanted.split()]

    def gradients(call):
        # Nothing to give is zeros in a graph, which is made before the backward runs.
        found = torch.autograd.grad(call(), wanted, allow_unused=True)
        return [torch.zeros(3, 4, dtype=torch.float64) if g is None else g for g in found]

    plain = lambda x, _, *rest, **named: reference(x, 1.5, *rest, **named)
    expected = gradients(lambda: run(plain, None, inputs, use, 3))
    fn, graphs = compiles(lambda scale, inputs: run(ops.mix, scale, inputs, use, 3), backend, fullgraph=True)
    for call in (lambda: fn(scale, inputs), lambda: fn(scale, inputs), lambda: run(ops.mix, scale, inputs, use, 3)):
        for ours, theirs in zip(gradients(call), expected):
            torch.testing.assert_close(ours, theirs)
    assert len(graphs) == 1


class Net(torch.nn.Module):
    def __init__(self, factor=1.5):
        super().__init__()
        self.scale, self.linear = classes.Scale(factor), torch.nn.Linear(4, 4)

    def forward(self, x):
        y, z = ops.mix(self.linear(x), self.scale, [x, self.linear(x * 2)])
        return ops.apply_scale(self.scale, y) + z


def steps(net, call):
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    for k in range(3):
        optimizer.zero_grad()
        call(torch.linspace(-1, 1, 4 * (2 + k)).reshape(-1, 4)).square().mean().backward()
        optimizer.step()
    return [p.detach().clone() for p in net.parameters()]


@backends
@pytest.mark.parametrize("dynamic", [None, True])
def test_training_steps(backend, dynamic):
    net = Net()
    other = copy.deepcopy(net)
    fn, _ = compiles(other, backend, fullgraph=True, dynamic=dynamic)
    for ours, theirs in zip(steps(other, fn), steps(net, net)):
        torch.testing.assert_close(ours, theirs)


@backends
def test_two_objects_of_one_graph(backend):
    def call(a, b, x):
        return (ops.apply_scale(a, x) * ops.apply_scale(b, ops.apply_scale(a, x))).sum()

    x = torch.rand(4, requires_grad=True)
    fn, _ = compiles(call, backend, fullgraph=True)
    for a, b in ((2.0, 3.0), (5.0, 7.0)):
        (g,) = torch.autograd.grad(fn(classes.Scale(a), classes.Scale(b), x), x)
        torch.testing.assert_close(g, (2 * a * a * b * x).detach())


@backends
def test_the_backward_finds_the_object_as_it_is_then(backend):
    x = torch.rand(4, requires_grad=True)
    fn, _ = compiles(lambda tally, x: ops.times_count(tally, x * 2).sum(), backend)
    for call in (fn, lambda tally, x: ops.times_count(tally, x * 2).sum()):
        tally = classes.Tally(3)
        y = call(tally, x)
        torch.testing.assert_close(y, (6 * x).sum())
        tally.add(2)
        (g,) = torch.autograd.grad(y, x)
        assert torch.equal(g, torch.full((4,), 10.0))


@backends
def test_the_graph_keeps_the_object(backend):
    x = torch.rand(4, requires_grad=True)
    fn, _ = compiles(lambda scale, x: ops.apply_scale(scale, x * 2).sum(), backend, fullgraph=True)
    y = fn(classes.Scale(4.0), x)
    gc.collect()
    (g,) = torch.autograd.grad(y, x)
    assert torch.equal(g, torch.full((4,), 8.0))


@backends
def test_an_error_in_the_backward(backend):
    x = torch.rand(4, requires_grad=True)
    fn, _ = compiles(lambda scale, x: ops.scale_and_fail(scale, x * 2).sum(), backend, fullgraph=True)
    y = fn(classes.Scale(4.0), x)
    with pytest.raises(ValueError, match="told to fail"):
        y.backward()


@backends
def test_without_a_backward_it_is_refused(backend):
    x = torch.rand(4, requires_grad=True)
    call = lambda scale, x: ops.two_scales(scale, x * 2, scale).sum()
    fn, _ = compiles(call, backend, fullgraph=True)
    with pytest.raises(Exception, match="PyTorch drops the gradient of operators that take objects"):
        fn(classes.Scale(2.0), x)
    fn, _ = compiles(call, backend)
    with pytest.raises(NotImplementedError, match="two_scales.*has no backward"):
        fn(classes.Scale(2.0), x).backward()


def test_a_second_derivative_is_right_or_refused():
    x = torch.rand(4, requires_grad=True)
    call = lambda scale, x: ops.apply_scale(scale, x.sin() * x).sum()
    (expected,) = torch.autograd.grad(torch.autograd.grad((3 * x.sin() * x).sum(), x, create_graph=True)[0].sum(), x)
    fn, _ = compiles(call, "eager", fullgraph=True)
    (g,) = torch.autograd.grad(fn(classes.Scale(3.0), x), x, create_graph=True)
    torch.testing.assert_close(torch.autograd.grad(g.sum(), x)[0], expected)
    fn, _ = compiles(call, "aot_eager", fullgraph=True)
    with pytest.raises(RuntimeError, match="torch.compile with aot_autograd does not currently support double backward"):
        (g,) = torch.autograd.grad(fn(classes.Scale(3.0), x), x, create_graph=True)
        torch.autograd.grad(g.sum(), x)


def test_an_exported_program_keeps_the_operator_and_trains():
    net, x = Net(), torch.rand(3, 4)
    program = torch.export.export(net, (x,), strict=False)
    names = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert "test_ops.mix.default" in names and not [name for name in names if "test_ops._" in name]
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    for module in (program.module(), torch.export.load(file).module()):
        for call in (module, compiles(module, "aot_eager", fullgraph=True)[0]):
            module.zero_grad()
            net.zero_grad()
            call(x).sum().backward()
            net(x).sum().backward()
            for ours, theirs in zip(module.parameters(), net.parameters()):
                torch.testing.assert_close(ours.grad, theirs.grad)


def test_a_package_infers(tmp_path):
    net, x = Net(), torch.rand(3, 4)
    program = torch.export.export(net, (x,), strict=False)
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "model.pt2"))
    torch.testing.assert_close(torch._inductor.aoti_load_package(path)(x), net(x))


def test_forward_mode_is_right_or_refused():
    scale, x, t = classes.Scale(3.0), torch.rand(4), torch.rand(4)
    fn, _ = compiles(lambda x, t: torch.func.jvp(lambda x: ops.apply_scale(scale, x * 2), (x,), (t,))[1], "aot_eager")
    with pytest.raises(Exception) as error:
        fn(x, t)
    assert any("apply_scale" in str(e) for e in chain(error.value))


def test_a_gradient_inside_of_the_graph_is_right_or_refused():
    scale, x = classes.Scale(3.0), torch.rand(4)
    call = lambda x: torch.func.grad(lambda x: ops.apply_scale(scale, x * x).sum())(x)
    try:
        found = compiles(call, "aot_eager")[0](x)
    except Exception as error:
        assert any("apply_scale" in str(e) for e in chain(error))
    else:
        torch.testing.assert_close(found, 6 * x)


def test_what_holds_no_objects_is_refused():
    """The hidden operator that is the backward, called with what is no such tensor."""
    x = torch.rand(4)
    held = ops._held_apply_scale(classes.Scale(2.0), x)
    assert torch.equal(ops._backward_apply_scale(held, x, x), 2 * x)
    other = ops._held_times_count(classes.Tally(2), x)
    two = ops._held_mix(classes.Scale(2.0), x)
    for wrong in (x, torch.ones(1, dtype=torch.uint8), held.clone(), torch.rand(0)):
        with pytest.raises(TypeError, match="test_ops::apply_scale backward.*does not hold the operator's objects"):
            ops._backward_apply_scale(wrong, x, x)
    with pytest.raises(TypeError, match="Scale"):
        ops._backward_apply_scale(other, x, x)
    assert torch.equal(ops._backward_apply_scale(two, x, x), 2 * x), "an object of the class is one"
    del held, other, two
