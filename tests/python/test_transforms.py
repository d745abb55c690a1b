"""torch.func, vmap and forward mode (transforms.rs), against torch's own operators and finite differences."""

import warnings

import pytest
import torch
from conftest import TORCH, compiles, raised
from torch.autograd import forward_ad, gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

ops = torch.ops.test_ops
pytestmark = pytest.mark.filterwarnings("ignore")

cube = lambda x: ops.cube(x)
X = torch.rand(4, 3, dtype=torch.double)


def counts():
    return ops.transform_counts()


def test_reverse():
    x = X[0]
    assert torch.allclose(grad(lambda x: cube(x).sum())(x), 3 * x**2)
    y, back = vjp(cube, x)
    assert torch.allclose(back(torch.ones_like(x))[0], 3 * x**2)
    assert torch.allclose(jacrev(cube)(x), torch.diag(3 * x**2))
    assert torch.allclose(grad(lambda x: grad(lambda x: cube(x).sum())(x).sum())(x), 6 * x)


def test_forward():
    x, t = X[0], X[1]
    y, tangent = jvp(cube, (x,), (t,))
    assert torch.allclose(y, x**3) and torch.allclose(tangent, 3 * x**2 * t)
    assert torch.allclose(jacfwd(cube)(x), torch.diag(3 * x**2))
    assert torch.allclose(jacfwd(jacfwd(cube))(x), torch.func.jacfwd(torch.func.jacfwd(lambda x: x**3))(x))
    assert torch.allclose(hessian(lambda x: cube(x).sum())(x), torch.diag(6 * x))
    assert torch.allclose(jacrev(jacfwd(cube))(x), jacfwd(jacrev(cube))(x))
    third = jacfwd(jacfwd(jacrev(lambda x: cube(x).sum())))(x)
    assert torch.allclose(third, jacfwd(jacfwd(jacrev(lambda x: (x**3).sum())))(x))
    with forward_ad.dual_level():
        y = cube(forward_ad.make_dual(x, t))
        assert torch.allclose(forward_ad.unpack_dual(y).tangent, 3 * x**2 * t)
    with torch.no_grad(), forward_ad.dual_level():
        y = cube(forward_ad.make_dual(x, t))
        assert torch.allclose(forward_ad.unpack_dual(y).tangent, 3 * x**2 * t)


@pytest.mark.parametrize("which", ["matrix", "vector", "both"])
def test_forward_of_two_arguments(which):
    m, v = torch.rand(2, 3, dtype=torch.double), torch.rand(3, dtype=torch.double)
    fm, fv = which != "vector", which != "matrix"
    ours, theirs = (
        jvp(lambda *a: f(*(a if fm and fv else (a[0], v) if fm else (m, a[0]))),
            *(2 * [tuple(t for t, on in ((m, fm), (v, fv)) if on)]))
        for f in (ops.apply_matrix, torch.mv)
    )
    assert all(torch.allclose(a, b) for a, b in zip(ours, theirs))


def test_forward_through_a_list_and_several_results():
    x, y, z = X[0], X[1], X[2]
    ours = jvp(lambda x, y: ops.mixture(x, [y, z], 2.0)[:2], (x, y), (z, x))
    theirs = jvp(lambda x, y: (x * 2.0, x * x + y + z), (x, y), (z, x))
    for a, b in zip(ours, theirs):
        assert torch.allclose(a[0], b[0]) and torch.allclose(a[1], b[1])
    # Only the list has a tangent: that of x is zeros.
    assert torch.allclose(jvp(lambda y: ops.mixture(x, [y], 2.0)[1], (y,), (z,))[1], z)
    with forward_ad.dual_level():
        hint = ops.mixture(forward_ad.make_dual(x, z), [], 2.0)[2]
        assert forward_ad.unpack_dual(hint).tangent is None


CHECKS = {
    "cube": (cube, lambda: [torch.rand(3, dtype=torch.double, requires_grad=True)]),
    "apply_matrix": (ops.apply_matrix, lambda: [torch.rand(2, 3, dtype=torch.double, requires_grad=True), torch.rand(3, dtype=torch.double, requires_grad=True)]),
    "mixture": (lambda x, y: ops.mixture(x, [y], 2.0)[:2], lambda: [torch.rand(3, dtype=torch.double, requires_grad=True) for _ in range(2)]),
}


@pytest.mark.parametrize("case", CHECKS)
def test_finite_differences_forward_and_batched(case):
    fn, inputs = CHECKS[case]
    assert gradcheck(fn, inputs(), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(fn, inputs(), check_fwd_over_rev=True, check_rev_over_rev=True)


def test_no_forward_derivative_is_an_error_never_zeros():
    x = torch.rand(3)
    expected = r"test_ops::product: an argument carries a forward-mode gradient, and the operator has no forward-mode derivative; write one with `#\[torch_op\(jvp_of = …\)\]`"
    for call in (lambda: jvp(lambda x: ops.product(x, x), (x,), (x,)), lambda: jacfwd(lambda x: ops.product(x, x))(x)):
        with pytest.raises(NotImplementedError, match=expected):
            call()
    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match=expected):
        ops.product(forward_ad.make_dual(x, x), x)


def test_what_has_no_gradient_has_no_tangent():
    x = torch.rand(3, requires_grad=True)
    assert not ops.signs(x).requires_grad
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(ops.signs(forward_ad.make_dual(x, x))).tangent is None
    scaled, total, hint = ops.mixture(x, [], 2.0)
    assert scaled.requires_grad and total.requires_grad and not hint.requires_grad
    compiled = torch.compile(ops.signs, backend="aot_eager", fullgraph=True)
    assert not compiled(x).requires_grad
    scaled, _, hint = torch.compile(lambda x: ops.mixture(x, [], 2.0), backend="aot_eager", fullgraph=True)(x)
    assert scaled.requires_grad and not hint.requires_grad


def test_a_list_of_results_does_not_lose_its_gradient():
    x = torch.rand(3, requires_grad=True)
    with pytest.raises(NotImplementedError, match="test_ops::halves: an argument requires grad, and result 0 is a list of tensors"):
        ops.halves(x)
    assert torch.equal(ops.halves(x.detach())[1], x.detach() / 2)


def test_batches_by_the_rule():
    counts()
    assert torch.allclose(vmap(cube)(X), X**3)
    assert counts() == (1, 1)
    assert torch.allclose(vmap(cube, in_dims=1, out_dims=1)(X), X**3)
    assert torch.allclose(vmap(vmap(cube))(X), X**3)
    counts()
    assert torch.allclose(vmap(grad(lambda x: cube(x).sum()))(X), 3 * X**2)
    assert counts() == (1, 1)
    assert torch.allclose(grad(lambda x: vmap(cube)(x).sum())(X), 3 * X**2)
    assert torch.allclose(vmap(hessian(lambda x: cube(x).sum()))(X), torch.diag_embed(6 * X))
    assert torch.allclose(vmap(lambda x, t: jvp(cube, (x,), (t,))[1])(X, X), 3 * X**3)
    assert torch.allclose(vmap(vmap(grad(lambda x: ops.cube(x))))(X), 3 * X**2)


DIMS = [(0, 0), (0, None), (None, 0), (2, 1), (1, 0), (-1, None)]


@pytest.mark.parametrize("dims", DIMS)
def test_batches_of_two_arguments(dims):
    m, v = torch.rand(3, 3, 3), torch.rand(3, 3)
    m, v = (m if dims[0] is not None else m[0]), (v if dims[1] is not None else v[0])
    counts()
    ours = vmap(ops.apply_matrix, in_dims=dims)(m, v)
    assert counts() == (0, 1)
    assert torch.allclose(ours, vmap(torch.mv, in_dims=dims)(m, v))


def test_nested_batches_of_two_arguments():
    m, v = torch.rand(2, 4, 5, 3), torch.rand(4, 3)
    nested = lambda f: vmap(lambda m: vmap(f)(m, v))(m)
    assert torch.allclose(nested(ops.apply_matrix), nested(torch.mv))
    outer = lambda f: vmap(lambda m: vmap(lambda v: f(m, v))(v))(m[:, 0])
    assert torch.allclose(outer(ops.apply_matrix), outer(torch.mv))


def test_batches_in_eager_autograd():
    x = X.clone().requires_grad_()
    vmap(cube)(x).sum().backward()
    assert torch.allclose(x.grad, 3 * X**2)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_transforms_compile(backend):
    for fn in (vmap(cube), grad(lambda x: cube(x).sum()), jacfwd(cube), vmap(grad(lambda x: cube(x).sum()))):
        x = X if fn is not None else X
        compiled, graphs = compiles(fn, backend, fullgraph=True)
        assert torch.allclose(compiled(x), fn(x)) and len(graphs) == 1


def test_batches_without_a_rule():
    xs, y = torch.rand(4, 3), torch.rand(3)
    assert torch.allclose(vmap(ops.product, in_dims=(0, None))(xs, y), xs * y)
    assert torch.allclose(vmap(ops.exponential)(xs), xs.exp())


def test_a_rule_without_the_batch_dimension():
    with pytest.raises(ValueError, match=r"test_ops::bad_rule batch rule \(tests/ops/src/transforms\.rs:\d+\): result 0 has the sizes \[\], expected the batch dimension of size 4 in front"):
        vmap(ops.bad_rule)(X)


@pytest.mark.parametrize("in_dims", [(0,), (None,)])
def test_batches_of_what_writes_are_refused(in_dims):
    x, y = torch.zeros(3, 2), torch.ones(3, 2)
    with pytest.raises(RuntimeError):
        vmap(lambda x, y: torch.ops.test_types.swap_(x, y), in_dims=in_dims + (0,))(x, y)
    assert x.eq(0).all() and y.eq(1).all()


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("case", ["cube", "apply_matrix", "mixture", "signs"])
def test_opcheck(case, grad):
    x = lambda *s: torch.rand(s, requires_grad=grad)
    args = {"cube": (x(3),), "apply_matrix": (x(2, 3), x(3)), "mixture": (x(3), [x(3)], 2.0), "signs": (x(3),)}[case]
    assert set(torch.library.opcheck(getattr(ops, case).default, args).values()) == {"SUCCESS"}
