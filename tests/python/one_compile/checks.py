"""What is asserted of a case: one compile for all sizes, of training as well, and a program that torch.export makes for all of them."""

import dataclasses

import pytest
import torch

from conftest import compiles
from one_compile.case import SIZES, assert_same, outcome


def compiled_codes(call):
    """How often Dynamo has compiled a function. It may call the backend twice for one compile: when it finds that it takes a number from
    outside for a symbol in vain, it begins anew."""
    return len(torch._dynamo.eval_frame._debug_get_cache_entry_list(call.__code__))


def is_in(graph, name):
    """Whether an operator is called in a graph."""
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), packet)
    return any(node.target in (packet, getattr(packet, overload or "default")) for node in graph.graph.nodes)


def compiled_once(case, outcome, backend="aot_eager"):
    """Runs a case for all sizes, compiled and not, and gives the graphs."""

    def call(*args):
        return case.run(*args)

    compiled, graphs = compiles(call, backend, fullgraph=not case.breaks, dynamic=True)
    counts = []
    for n in SIZES:
        assert_same(outcome(case, compiled, n), outcome(case, call, n))
        counts.append(len(graphs))
    assert counts == counts[:1] * len(SIZES) and compiled_codes(call) == 1
    return graphs


def breaks_a_graph(case, outcome, backend="aot_eager"):
    compiled, _ = compiles(lambda *args: case.run(*args), backend, fullgraph=True, dynamic=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match=case.breaks):
        outcome(case, compiled, SIZES[0])


def one_compile(name, case, backend="aot_eager"):
    """`name` is the operator's, which is then in a graph."""
    if case.breaks:
        breaks_a_graph(case, outcome, backend)
    graphs = compiled_once(case, outcome, backend)
    assert case.breaks or not name or any(is_in(graph, name) for graph in graphs)


def gradients(case, call, n):
    torch.manual_seed(n)
    args = case.inputs(n)
    leaves = [arg.requires_grad_() for arg in args if isinstance(arg, torch.Tensor) and arg.is_floating_point()]
    results = call(*args)
    results = [results] if isinstance(results, torch.Tensor) else results
    total = sum((result * result).sum() for result in results if isinstance(result, torch.Tensor) and result.requires_grad)
    return torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True)


def one_compile_with_gradients(case):
    case = dataclasses.replace(case, breaks=case.breaks or case.breaks_with_gradients)
    if case.breaks:
        breaks_a_graph(case, gradients)
    compiled_once(case, gradients)


class Model(torch.nn.Module):
    def __init__(self, run):
        super().__init__()
        self.run = run

    def forward(self, *args):
        return self.run(*args)


def exported_for_all_sizes(case):
    def export():
        return torch.export.export(Model(case.run), tuple(a for a, _ in pairs), dynamic_shapes=(shapes,), strict=False)

    pairs = list(zip(case.inputs(8), case.inputs(9)))
    shapes = tuple({i: torch.export.Dim.DYNAMIC for i, (s, t) in enumerate(zip(a.shape, b.shape)) if s != t} if isinstance(a, torch.Tensor) else None
                   for a, b in pairs)
    if case.no_export:
        with pytest.raises(Exception, match=case.no_export):
            export()
        return
    program = export()
    for n in SIZES:
        assert_same(outcome(case, program.module(), n), outcome(case, case.run, n))
