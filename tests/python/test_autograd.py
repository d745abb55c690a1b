"""Gradients beyond the example's, against torch's own and against finite differences."""

import gc
import threading
import weakref

import pytest
import torch
from torch.autograd import grad, gradcheck, gradgradcheck

ops = torch.ops.test_ops


def doubles(*shapes):
    return [torch.rand(shape, dtype=torch.double, requires_grad=True) for shape in shapes]


def double(*shape):
    return doubles(shape)[0]


CASES = {
    "two inputs": (ops.product, lambda: doubles((2, 3), (2, 3))),
    "optional given": (lambda x, b: ops.affine(x, b, 1.5, 2), lambda: doubles(3, 3)),
    "optional left out": (lambda x: ops.affine(x, None, -2.0), lambda: doubles(3)),
    "two results": (ops.two_results, lambda: doubles(3)),
    "two results, lazily": (ops.two_results_lazily, lambda: doubles(3)),
    "first result": (lambda x: ops.two_results(x)[0], lambda: doubles(3)),
    "second result": (lambda x: ops.two_results_lazily(x)[1], lambda: doubles(3)),
    "saved result": (ops.exponential, lambda: doubles((2, 2))),
    "list": (lambda x, y: ops.sum_list([x, y], [2.0, -3.0]), lambda: doubles(3, 3)),
    "two lists": (lambda x, y, z: ops.sum_lists([x], [y, z]), lambda: doubles(3, 3, 3)),
    "list of optionals": (lambda x, y: ops.sum_optional_list([x, None, y]), lambda: doubles(3, 3)),
    "constants": (lambda x: ops.keyed(x, "negative", [1, 2], True, 0.25), lambda: doubles(3)),
    "composite": (ops.composite_cube, lambda: doubles(3)),
    "symbolic size": (lambda x: ops.rows(x, 3), lambda: doubles((2, 2))),
    "one tensor twice": (lambda x: ops.product(x, x), lambda: doubles(3)),
    "transposed": (lambda x, y: ops.product(x.t(), y), lambda: doubles((2, 3), (3, 2))),
    "0-dim": (ops.product, lambda: doubles((), ())),
    "empty": (ops.product, lambda: doubles((0, 3), (0, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_finite_differences(case):
    fn, inputs = CASES[case]
    assert gradcheck(fn, inputs())
    assert gradgradcheck(fn, inputs())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ["two inputs", "saved result", "two results", "constants"])
def test_batched_gradients(case):
    fn, inputs = CASES[case]
    assert gradcheck(fn, inputs(), check_batched_grad=True)


OPCHECKS = {
    "product": lambda g: (ops.product, (torch.rand(3, requires_grad=g), torch.rand(3))),
    "affine": lambda g: (ops.affine, (torch.rand(3, requires_grad=g), None, 2.0, 2)),
    "affine with bias": lambda g: (ops.affine, (torch.rand(3), torch.rand(3, requires_grad=g), 2.0)),
    "two_results": lambda g: (ops.two_results, (torch.rand(3, requires_grad=g),)),
    "exponential": lambda g: (ops.exponential, (torch.rand(3, requires_grad=g),)),
    "sum_list": lambda g: (ops.sum_list, ([torch.rand(3, requires_grad=g), torch.rand(3)], [1.0, 2.0])),
    "sum_optional_list": lambda g: (ops.sum_optional_list, ([torch.rand(3, requires_grad=g), None],)),
    "keyed": lambda g: (ops.keyed, (torch.rand(3, requires_grad=g), "a", [1], False, 2.5)),
    "rows": lambda g: (ops.rows, (torch.rand(3, requires_grad=g), 4)),
}


@pytest.mark.parametrize("grad", [False, True], ids=["plain", "grad"])
@pytest.mark.parametrize("case", OPCHECKS)
def test_opcheck(case, grad):
    op, args = OPCHECKS[case](grad)
    assert set(torch.library.opcheck(op, args).values()) == {"SUCCESS"}


def test_needs_grad_says_what_is_wanted():
    x, y = torch.rand(3), torch.rand(3)
    for gx, gy, asked in ((True, False, 1), (False, True, 2), (True, True, 3)):
        a, b = x.clone().requires_grad_(gx), y.clone().requires_grad_(gy)
        ops.product(a, b).sum().backward()
        assert ops.asked() == asked
        assert (a.grad is not None, b.grad is not None) == (gx, gy)
    a, b = x.requires_grad_(), y.requires_grad_()
    (g,) = grad(ops.product(a, b).sum(), b)
    assert ops.asked() == 2 and torch.equal(g, x)


def test_unused_results_are_zeros_or_none():
    x = double(3)
    assert torch.equal(grad(ops.two_results(x)[0].sum(), x)[0], torch.full_like(x, 3))
    for results, seen in (([0], 1), ([1], 1), ([0, 1], 2)):
        expected = sum([torch.full_like(x, 3), 2 * x][i] for i in results)
        y = ops.two_results_lazily(x)
        assert torch.equal(grad(sum(y[i].sum() for i in results), x)[0], expected)
        assert ops.seen() == seen


def test_narrowed_gradients():
    x, w = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
    ops.narrowed(x, w).sum().backward()
    assert torch.equal(x.grad, w.detach()) and w.grad is None
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad(ops.narrowed(x, w).sum(), w)


def test_no_backward_is_an_error_that_says_what_to_do():
    x = torch.rand(3, requires_grad=True)
    y = ops.no_backward(x)
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match=r"^test_ops::no_backward \(tests/ops/src/autograd\.rs:\d+\) has no backward: write one with `#\[torch_op\(backward_of = …\)\]`, say `nondifferentiable` on the definition if its results have no gradient, or call it under torch\.no_grad\(\)$"):
        y.sum().backward()
    with torch.no_grad():
        assert torch.equal(ops.no_backward(x), 2 * x)
    with pytest.raises(NotImplementedError, match="has no backward"):
        torch.func.grad(lambda x: ops.no_backward(x).sum())(torch.rand(3))


def test_result_without_gradient_beside_one_with():
    x, index = torch.rand(3, requires_grad=True), torch.tensor([2, 0])
    y, copy, n = ops.with_index(x, index)
    assert y.requires_grad and not copy.requires_grad and n == 2 and torch.equal(copy, index)
    assert torch.equal(grad(y.sum(), x)[0], torch.full((3,), 2.0))


def test_a_gradient_that_the_backward_does_not_take_is_no_zero():
    x = torch.randn(3, requires_grad=True)
    _, copy, _ = ops.with_index(x, torch.randn(3))
    assert copy.requires_grad
    with pytest.raises(NotImplementedError, match="with_index backward .*a gradient came for result 1, .*no `grad_…` parameter"):
        copy.sum().backward()
    assert x.grad is None


def test_complex():
    x, y = (torch.rand(3, dtype=torch.cdouble, requires_grad=True) for _ in range(2))
    ours = grad(ops.affine(x, y, 3.0).abs().sum(), (x, y))
    theirs = grad((x * 3.0 + y).abs().sum(), (x, y))
    assert all(torch.allclose(a, b) for a, b in zip(ours, theirs, strict=True))


def test_broadcast_gradient_of_the_wrong_size_is_torchs_error():
    x = torch.rand(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"returned an invalid gradient at index 0 - got \[3, 1\] but expected shape compatible with \[3\]"):
        ops.wrong_gradient(x).sum().backward()


def test_gradients_of_a_list_are_counted():
    xs = doubles(3, 3)
    with pytest.raises(ValueError, match="test_ops::short_gradients backward.*returned 1 gradients for a list of 2 tensors"):
        ops.short_gradients(xs).sum().backward()


def test_backward_twice_as_torchs_own():
    x = torch.rand(3, requires_grad=True)
    y = ops.exponential(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()
    # What keeps no tensors can run again, as x.clone() can.
    y = torch.ops.my_ops.identity_conv_op(x).sum()
    y.backward()
    y.backward()
    y = ops.keyed(x, "a", [1], True).sum()
    y.backward()
    y.backward()


def test_saved_tensor_changed_in_place():
    x, y = torch.rand(3, requires_grad=True), torch.rand(3)
    z = ops.product(x, y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    z = ops.exponential(x)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize("make", [lambda x, y: ops.sum_list([x, y], [1.0, 2.0]), lambda x, y: ops.sum_optional_list([x, y])])
def test_saved_list_changed_in_place(make):
    x, y = torch.rand(3, requires_grad=True), torch.rand(3)
    z = make(x, y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_saved_tensors_go_through_hooks():
    seen = []
    x, y = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        ops.product(x, y)
        ops.sum_optional_list([x, None, y])
    assert len(seen) == 4


def test_graph_is_freed():
    x = torch.rand(3, requires_grad=True)
    z = x * 1
    watch = weakref.ref(z)
    y = ops.product(ops.exponential(z), z)
    del z
    assert watch() is not None
    del y
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize("same_graph", [False, True])
def test_two_threads(same_graph):
    x = double(50)
    shared = ops.exponential(ops.product(x, x)) if same_graph else None
    expected = 2 * x.detach() * (x.detach() ** 2).exp()
    failures = []

    def run():
        for _ in range(50):
            y = shared if same_graph else ops.exponential(ops.product(x, x))
            (g,) = grad(y.sum(), x, retain_graph=True)
            if not torch.allclose(g, expected):
                failures.append(g)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint(reentrant):
    x = double(3)
    fn = lambda x: ops.exponential(ops.product(x, x))
    y = torch.utils.checkpoint.checkpoint(fn, x, use_reentrant=reentrant)
    y.sum().backward()
    assert torch.allclose(x.grad, 2 * x.detach() * (x.detach() ** 2).exp())


@pytest.mark.filterwarnings("ignore")
def test_functional_transforms():
    x, y = (t.detach() for t in doubles(3, 3))
    assert torch.allclose(torch.func.grad(lambda x: ops.product(x, y).sum())(x), y)
    assert torch.allclose(torch.func.jacrev(torch.func.jacrev(lambda x: ops.composite_cube(x).sum()))(x).diagonal(), 6 * x)
    xs = torch.stack([x, y])
    assert torch.allclose(torch.vmap(torch.func.grad(lambda x: ops.exponential(x).sum()))(xs), xs.exp())
    assert torch.allclose(torch.vmap(ops.product, in_dims=(0, None))(xs, y), xs * y)


def test_matmul_under_autocast_is_what_its_fake_says():
    x = torch.rand(3, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.mm(x, x).dtype == torch.bfloat16
        assert ops.matmul(x, x).dtype == torch.float32
        assert torch.equal(ops.matmul(x.requires_grad_(), x), torch.ops.test_ops.matmul(x.detach(), x.detach()))
