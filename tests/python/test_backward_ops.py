"""Backwards that are operators, since they look at numbers (backward_ops.rs)."""

import pytest
import torch
from conftest import compiles
from torch.autograd import grad, gradcheck, gradgradcheck

ops = torch.ops.test_ops


def doubles(*shapes):
    return [torch.rand(s, dtype=torch.double, requires_grad=True) for s in shapes]


def test_finite_differences():
    assert gradcheck(ops.times_sum, doubles(3))
    assert gradcheck(lambda x, w: ops.weighted(x, w, 2.5), doubles(3, 3))
    assert gradgradcheck(lambda x, w: ops.weighted(x, w, 2.5), doubles(3, 3))


def test_the_backward_is_an_operator():
    x, g = torch.rand(3), torch.rand(3)
    assert str(ops.times_sum_backward.default._schema) == "test_ops::times_sum_backward(Tensor grad_output, Tensor x) -> Tensor"
    assert torch.allclose(ops.times_sum_backward(g, x), g * x.sum() + (g * x).sum())


def test_not_twice_differentiable_says_so():
    (x,) = doubles(3)
    (g,) = grad(ops.times_sum(x).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"^test_ops::times_sum is not twice differentiable: its backward test_ops::times_sum_backward \(tests/ops/src/backward_ops\.rs:\d+\) has no backward; write one with `#\[torch_op\(backward_of = …\)\]`$"):
        g.sum().backward()


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("op", ["times_sum", "weighted"])
def test_one_graph_forward_and_one_back(op, backend):
    from torch._dynamo.backends.common import aot_autograd

    call = (lambda x, w: ops.times_sum(x) * w) if op == "times_sum" else (lambda x, w: ops.weighted(x, w, 2.0))
    graphs = []
    count = lambda graph, inputs: graphs.append(graph) or graph.forward
    for use in ([lambda f: torch.compile(f, backend=aot_autograd(fw_compiler=count, bw_compiler=count), fullgraph=True)] if backend == "aot_eager"
                else [lambda f: torch.compile(f, backend=backend, fullgraph=True)]):
        x, w = (torch.rand(4, requires_grad=True) for _ in range(2))
        expected = grad((call(x, w) ** 2).sum(), (x, w))
        got = grad((use(call)(x, w) ** 2).sum(), (x, w))
        assert all(torch.allclose(a, b) for a, b in zip(got, expected))
    if backend == "aot_eager":
        assert len(graphs) == 2 and f"{op}_backward" in graphs[1].code


def test_anomaly_mode_names_the_function():
    x = torch.full((3,), float("nan"), requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), pytest.warns(UserWarning, match=r"Error detected in test_ops::exponential backward \(tests/ops/src/autograd\.rs:\d+\)"):
        with pytest.raises(RuntimeError, match=r"Function 'test_ops::exponential backward \(tests/ops/src/autograd\.rs:\d+\)' returned nan values in its 0th output"):
            ops.exponential(x).sum().backward()


@pytest.mark.parametrize("op", ["times_sum", "weighted", "times_sum_backward", "weighted_backward"])
def test_opcheck(op):
    x = lambda: torch.rand(3, requires_grad=not op.startswith("times_sum_b"))
    args = {"times_sum": (x(),), "weighted": (x(), x(), 2.0), "times_sum_backward": (x(), x()),
            "weighted_backward": (x(), x(), x(), 2.0, True)}[op]
    assert set(torch.library.opcheck(getattr(ops, op).default, args).values()) == {"SUCCESS"}


def joint_graph(fn, *args):
    from torch._functorch.aot_autograd import aot_export_joint_simple

    return aot_export_joint_simple(fn, args, trace_joint=True)


def test_a_joint_graph_is_exported():
    fn = lambda x, w: (ops.weighted(ops.exponential(x), w, 2.0),)
    x, w, g = (torch.rand(3, requires_grad=True) for _ in range(3))
    graph = joint_graph(fn, x, w)
    assert "weighted_backward" in graph.code and "exponential" in graph.code
    with torch.no_grad():
        outputs, grads = [], []
        flat = graph(x.detach(), w.detach(), g.detach()) if False else graph([x.detach(), w.detach()], [g.detach()])
    expected = fn(x, w)[0]
    assert torch.allclose(flat[0][0], expected)
    for a, b in zip(flat[1], grad(expected, (x, w), g.detach())):
        assert torch.allclose(a, b)
