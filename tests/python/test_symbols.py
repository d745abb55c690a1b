"""Fakes that calculate with sizes, and one compile for five sizes of every operator (symbols.rs)."""

import pytest
import torch
from conftest import compiles, raised

ops, types = torch.ops.test_ops, torch.ops.test_types
SIZES = (3, 5, 8, 13, 20)


@pytest.mark.parametrize("n", (0, 1, 4, 5, 9))
def test_eager(n):
    x = torch.arange(float(n))
    assert torch.equal(ops.pieces(x, 4).flatten()[:n], x) and ops.pieces(x, 4).shape == (-(-n // 4), 4)
    rows = torch.rand(n, 2, 3)
    assert torch.equal(ops.head(rows, 4), rows[:4].reshape(min(n, 4), 6))


def plain(n):
    return torch.rand(n, 4)


# Operator by operator: what is called, and its arguments for size n.
CASES = {
    "pieces": (ops.pieces, lambda n: (plain(n), 4)),
    "pieces of a size": (lambda x, y: ops.pieces(x, y.shape[0]), lambda n: (plain(7), torch.rand(n))),
    # Widths that no size equals: torch takes equal ones for the same.
    "head": (ops.head, lambda n: (torch.rand(n, 6, 7), 3)),
    "head of a size": (lambda x, y: ops.head(x, y.shape[0]), lambda n: (torch.rand(2 * n, 7), torch.rand(n))),
    "doubled": (lambda x: ops.doubled_if(x, True), lambda n: (plain(n),)),
    "not doubled": (lambda x: ops.doubled_if(x, False), lambda n: (plain(n),)),
    "scaled by a number": (lambda x: ops.scaled_by(x, 2.5), lambda n: (plain(n),)),
    "product": (ops.product, lambda n: (plain(n), plain(n))),
    "affine": (lambda x, b: ops.affine(x, b, 2.0, 2), lambda n: (plain(n), plain(n))),
    "two_optional": (lambda x, a: ops.two_optional(x, None, a), lambda n: (plain(n), plain(n))),
    "two_results": (lambda x: ops.two_results(x)[1], lambda n: (plain(n),)),
    "two_results_lazily": (lambda x: ops.two_results_lazily(x)[0], lambda n: (plain(n),)),
    "exponential": (ops.exponential, lambda n: (plain(n),)),
    "sum_list": (lambda x, y: ops.sum_list([x, y], [1.0, 2.0]), lambda n: (plain(n), plain(n))),
    "sum_lists": (lambda x, y: ops.sum_lists([x], [y]), lambda n: (plain(n), plain(n))),
    "sum_optional_list": (lambda x: ops.sum_optional_list([x, None]), lambda n: (plain(n),)),
    "no_backward": (ops.no_backward, lambda n: (plain(n),)),
    "keyed": (lambda x: ops.keyed(x, "a", [1], True), lambda n: (plain(n),)),
    "composite_cube": (ops.composite_cube, lambda n: (plain(n),)),
    "matmul": (ops.matmul, lambda n: (plain(n), torch.rand(4, n))),
    "rows": (lambda x: ops.rows(x, 3), lambda n: (plain(n),)),
    "cube": (ops.cube, lambda n: (plain(n),)),
    "apply_matrix": (ops.apply_matrix, lambda n: (plain(n), torch.rand(4))),
    "mixture": (lambda x, y: ops.mixture(x, [y], 2.0)[1], lambda n: (plain(n), plain(n))),
    "signs": (ops.signs, lambda n: (plain(n),)),
    "halves": (lambda x: ops.halves(x)[0], lambda n: (plain(n),)),
    "times_sum": (ops.times_sum, lambda n: (plain(n),)),
    "weighted": (lambda x, w: ops.weighted(x, w, 2.0), lambda n: (plain(n), plain(n))),
    "mm_low": (ops.mm_low, lambda n: (plain(n), torch.rand(4, n))),
    "mm_high": (ops.mm_high, lambda n: (plain(n), torch.rand(4, n))),
    "mm_region": (ops.mm_region, lambda n: (plain(n), torch.rand(4, n))),
    "mm_plain": (ops.mm_plain, lambda n: (plain(n), torch.rand(4, n))),
    "nonzero_rows": (ops.nonzero_rows, lambda n: (plain(n),)),
    "split_at": (lambda x: ops.split_at(x)[0], lambda n: (plain(n),)),
    "distinct": (lambda x: ops.distinct(x)[0], lambda n: (plain(n),)),
    "nms": (lambda b, s: ops.nms(b, s, 0.5), lambda n: (plain(n), torch.rand(n))),
    "alias": (lambda x: ops.alias(x, "view of fresh"), lambda n: (plain(n),)),
    "add_": (lambda x: types.add_(y := x * 1, 2.0) or y, lambda n: (plain(n),)),
    "swap_": (lambda x, y: types.swap_(a := x * 1, b := y * 1) or a - b, lambda n: (plain(n), plain(n))),
    "add_optional_": (lambda x, y: types.add_optional_(x, a := y * 1) or a, lambda n: (plain(n), plain(n))),
    "add_and_copy": (lambda x, y: types.add_and_copy(x * 1, y)[0], lambda n: (plain(n), plain(n))),
    "copy_out": (lambda x: types.copy_out(x, out=(y := x * 2)) or y, lambda n: (plain(n),)),
}


# Inductor takes seconds for each: those that calculate most.
COMPILES = [(case, "aot_eager") for case in CASES] + [(case, "inductor") for case in ("pieces of a size", "head of a size", "nms", "mixture")]


@pytest.mark.parametrize("case, backend", COMPILES)
def test_one_compile_for_five_sizes(case, backend):
    fn, inputs = CASES[case]
    compiled, graphs = compiles(fn, backend, fullgraph=True, dynamic=True)
    for n in SIZES:
        args = inputs(n)
        assert torch.allclose(compiled(*args), fn(*args))
    assert len(graphs) == 1


@pytest.mark.parametrize("case", [name for name in CASES if "of a" not in name])
def test_exported_sizes_stay_symbolic(case):
    fn, inputs = CASES[case]

    class Model(torch.nn.Module):
        def forward(self, *args):
            return fn(*args)

    args = inputs(8)
    shapes = tuple({i: torch.export.Dim.DYNAMIC for i, (s, t) in enumerate(zip(a.shape, b.shape)) if s != t} if isinstance(a, torch.Tensor) else None
                   for a, b in zip(args, inputs(9)))
    program = torch.export.export(Model(), args, dynamic_shapes=(shapes,))
    for n in SIZES:
        args = inputs(n)
        assert torch.allclose(program.module()(*args), fn(*args))


def test_a_number_that_comes_from_a_size():
    # Torch itself burns what it passes as `float` into the graph: right for each size, one compile for each.
    compiled, _ = compiles(lambda x: ops.scaled_by(x, x.shape[0] / 2), "aot_eager", fullgraph=True, dynamic=True)
    for n in SIZES[:3]:
        x = plain(n)
        assert torch.allclose(compiled(x), x * (n / 2))


@pytest.mark.parametrize("a, b", [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (6, 3)])
def test_numbers_calculate_as_in_python(a, b):
    assert ops.arithmetic(a, b) == [a + b, a - b, a * b, a // b, -(-a // b), a % b, min(a, b), max(a, b)]


@pytest.mark.parametrize("a, b", [(1, 0), (2**62, 2**62), (-(2**63), -1)])
def test_what_has_no_value_is_an_error(a, b):
    name, text = raised(lambda: ops.arithmetic(a, b))
    assert name == "ValueError" and "no value that fits 64 bits" in text


def test_a_check_in_a_fake_fails_while_torch_traces():
    compiled, _ = compiles(lambda x: ops.pieces(x, 0), "eager", fullgraph=True)
    _, text = raised(lambda: compiled(torch.ones(3)))
    assert "expected a positive size" in text
