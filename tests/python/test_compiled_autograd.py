"""Compiled autograd: one graph for a whole backward, with the same gradients as eager; and torch.compile of training."""

import pytest
import torch

from conftest import compiles

ops = torch.ops.test_ops
identity = torch.ops.my_ops.identity_conv_op


class Compiled:
    """Backward passes compiled by one compiler, whose graphs are counted; equal situations share a graph."""

    def __init__(self, backend="aot_eager"):
        self.graphs = 0
        inner = torch._dynamo.lookup_backend(backend)

        def counting(graph, inputs):
            self.graphs += 1
            return inner(graph, inputs)

        self.compiler = torch.compile(backend=counting, fullgraph=True, dynamic=True)

    def grads(self, fn, *inputs):
        inputs = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
        with torch._dynamo.compiled_autograd._enable(self.compiler):
            fn(*inputs).backward()
        return [x.grad for x in inputs]


def eager(fn, *inputs):
    inputs = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
    fn(*inputs).backward()
    return [x.grad for x in inputs]


def same(compiled, fn, *inputs):
    for ours, theirs in zip(compiled.grads(fn, *inputs), eager(fn, *inputs), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs)


def wants(*shape):
    return torch.rand(shape, requires_grad=True)


CASES = {
    "two ops in one graph": lambda x: ops.exponential(ops.product(x, identity(x) * 2)).sum(),
    "optional left out": lambda x: ops.affine(x, None, 2.0).sum(),
    "optional given": lambda x: ops.affine(x, x * 2, 2.0).sum(),
    "one of two results": lambda x: ops.two_results(x)[1].sum(),
    "one of two results, lazily": lambda x: ops.two_results_lazily(x)[0].sum(),
    "saved result": lambda x: ops.exponential(x).sum(),
    "list": lambda x: ops.sum_list([x, x * 2], [1.0, 3.0]).sum(),
    "list of optionals": lambda x: ops.sum_optional_list([None, x, x * 2]).sum(),
    "constants": lambda x: ops.keyed(x, "negative", [1, 2], True, None).sum(),
    "no gradient": lambda x: ops.narrowed(x, torch.ones_like(x)).sum(),
    "symbolic size": lambda x: ops.rows(x, 3).sum(),
}


@pytest.mark.parametrize("case", CASES)
def test_equal_to_eager(case):
    compiled = Compiled()
    for n in (3, 5, 7):
        same(compiled, CASES[case], wants(n))
    assert compiled.graphs <= 2


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_other_backends(backend):
    same(Compiled(backend), CASES["two ops in one graph"], wants(4))


def test_two_ops_of_one_form_keep_apart():
    compiled = Compiled()
    x = wants(4)
    same(compiled, lambda x: identity(x).sum(), x)
    same(compiled, lambda x: ops.affine(x, None, 1.0, 1).sum(), x)
    same(compiled, lambda x: ops.two_results(x)[0].sum(), x)
    same(compiled, lambda x: ops.two_results_lazily(x)[0].sum(), x)


def test_constants_are_not_taken_from_another_call():
    compiled = Compiled()
    x = wants(4)
    for scale in (2.0, 3.0, 2.5):
        for power in (1, 2):
            same(compiled, lambda x: ops.affine(x, None, scale, power).sum(), x)
    for mode in ("a", "negative"):
        for k in ([1], [1, 2], []):
            for on in (False, True):
                for f in (None, 2.0):
                    same(compiled, lambda x: ops.keyed(x, mode, k, on, f).sum(), x)


def test_which_optional_is_given_is_not_taken_from_another_call():
    compiled = Compiled()
    x, w = wants(4), torch.rand(4)
    for a, b in ((w, None), (None, w), (w, w), (None, None), (None, w), (w, None)):
        same(compiled, lambda x: ops.two_optional(x, a, b).sum(), x)


def test_how_lists_are_parted_is_not_taken_from_another_call():
    compiled = Compiled()
    inputs = [wants(4) for _ in range(3)]
    same(compiled, lambda a, b, c: ops.sum_lists([a], [b, c]).sum(), *inputs)
    same(compiled, lambda a, b, c: ops.sum_lists([a, b], [c]).sum(), *inputs)
    same(compiled, lambda a, b, c: ops.sum_lists([], [a, b, c]).sum(), *inputs)


def test_which_element_of_a_list_is_none_is_not_taken_from_another_call():
    compiled = Compiled()
    for order in ("a-b", "-ab", "ab-", "-ba"):
        def fn(a, b):
            values = {"a": a, "b": b, "-": None}
            return (ops.sum_optional_list([values[letter] for letter in order]) * a).sum()

        same(compiled, fn, wants(4), wants(4))


def test_only_one_input_wants_a_gradient():
    compiled = Compiled()
    for gx, gy in ((True, False), (False, True), (True, True)):
        x, y = torch.rand(4, requires_grad=gx), torch.rand(4, requires_grad=gy)
        same(compiled, lambda x, y: ops.product(x, y).sum(), x, y)


def test_accumulation_and_hooks():
    x = wants(4)
    seen = []

    def fn(x):
        y = ops.product(x, x)
        y.register_hook(lambda g: g * 2)
        return ops.exponential(y).sum()

    same(Compiled(), fn, x)


def test_no_backward_is_an_error():
    with pytest.raises(Exception, match="test_ops::no_backward.*has no backward"):
        Compiled().grads(lambda x: ops.no_backward(x).sum(), wants(3))


def test_error_in_a_backward_has_its_text():
    with pytest.raises(Exception, match="in the backward"):
        Compiled().grads(lambda x: ops.fail_at(x, "backward", "ValueError", "in the backward").sum(), wants(3))
    same(Compiled(), lambda x: ops.fail_at(x, "", "", "").sum(), wants(3))


TRAINING = {
    "product": lambda x: ops.product(x, identity(x) + 1),
    "affine": lambda x: ops.affine(x, x * 2, 2.0, 3),
    "first result": lambda x: ops.two_results(x)[0],
    "second result": lambda x: ops.two_results_lazily(x)[1],
    "exponential": ops.exponential,
    "lists": lambda x: ops.sum_lists([x], [x + 1, x * 2]) + ops.sum_optional_list([None, x]),
    "constants": lambda x: ops.keyed(x, "negative", [1, 2], True, 0.25),
    "composite": lambda x: ops.composite_cube(x),
    "symbolic size": lambda x: ops.rows(x, x.shape[0]),
}


@pytest.mark.parametrize("case", TRAINING)
def test_training_compiled_once_for_five_sizes(case):
    fn, graphs = compiles(lambda x: (TRAINING[case](x * 2) ** 2).sum(), fullgraph=True, dynamic=True)
    for n in (3, 4, 5, 6, 7):
        same_training(fn, TRAINING[case], wants(n, n + 20))
    assert len(graphs) == 1


def same_training(fn, reference, x):
    (ours,) = torch.autograd.grad(fn(x), x)
    (theirs,) = torch.autograd.grad((reference(x * 2) ** 2).sum(), x)
    torch.testing.assert_close(ours, theirs)


def test_training_with_inductor():
    case = TRAINING["product"]
    fn, graphs = compiles(lambda x: (case(x * 2) ** 2).sum(), "inductor", fullgraph=True, dynamic=True)
    for n in (3, 5):
        same_training(fn, case, wants(n, n + 20))
    assert len(graphs) == 1
