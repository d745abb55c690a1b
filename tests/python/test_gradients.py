"""Finite differences, of first and second order, for every operator of the test crate and the examples that has a backward. An operator
that is in neither table fails the test: new ones are added here.
"""

import os
import pathlib
import re

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from conftest import EXAMPLE, REPO

for variable, file in (("RMS_NORM", "rms_norm_ops"), ("TO_CONTIGUOUS", "to_contiguous_ops")):
    path = os.environ.get(f"TORCHOP_LIB_{variable}") or os.path.join(os.path.dirname(EXAMPLE), f"lib{file}.so")
    torch.ops.load_library(path)
ops, types, layers, sharding = torch.ops.test_ops, torch.ops.test_types, torch.ops.my_layers, torch.ops.test_sharding


def doubles(*shapes):
    return [torch.rand(shape, dtype=torch.double, requires_grad=True) for shape in shapes]


def scale():
    return torch.classes.test_ops.Scale(1.5)


def tally():
    return torch.classes.test_ops.Tally()


def dropped(x):
    # The same numbers in each call.
    return ops.dropout(x, 0.5, generator=torch.Generator().manual_seed(3))[0]


CONSTANT = torch.tensor([0.5, -1.5, 2.0], dtype=torch.double)


def rstd(x):
    return (x.detach().square().mean(-1, keepdim=True) + 1e-3).rsqrt()


# Calls of the operator with the inputs to differentiate: every argument that has a gradient, lists and optionals given and left out,
# every result that has one.
CASES = {
    "test_ops::scale.up": [(lambda x: ops.scale.up(scale(), x), [(2, 3)])],
    "test_ops::scale_up": [(lambda x: ops.scale_up(scale(), x), [(2, 3)])],
    "test_ops::product": [(ops.product, [(2, 3), (2, 3)]), (lambda x: ops.product(x, x), [3]), (lambda x, y: ops.product(x.t(), y), [(2, 3), (3, 2)]),
                          (ops.product, [(), ()]), (ops.product, [(0, 3), (0, 3)])],
    "test_ops::affine": [(lambda x, b: ops.affine(x, b, 1.5, 2), [3, 3]), (lambda x: ops.affine(x, None, -2.0), [3])],
    "test_ops::two_results": [(ops.two_results, [3]), (lambda x: ops.two_results(x)[0], [3]), (lambda x: ops.two_results(x)[1], [3])],
    "test_ops::two_results_lazily": [(ops.two_results_lazily, [3]), (lambda x: ops.two_results_lazily(x)[1], [3])],
    "test_ops::two_optional": [(lambda x: ops.two_optional(x, CONSTANT, None), [3]), (lambda x: ops.two_optional(x, CONSTANT, CONSTANT), [3])],
    "test_ops::narrowed": [(lambda x: ops.narrowed(x, CONSTANT), [3])],
    "test_ops::times_sum": [(ops.times_sum, [3])],
    "test_ops::exponential": [(ops.exponential, [(2, 2)])],
    "test_ops::with_index": [(lambda x: ops.with_index(x, torch.arange(3))[0], [3])],
    "test_ops::sum_list": [(lambda x, y: ops.sum_list([x, y], [2.0, -3.0]), [3, 3])],
    "test_ops::sum_lists": [(lambda x, y, z: ops.sum_lists([x], [y, z]), [3, 3, 3]), (lambda x: ops.sum_lists([], [x]), [3])],
    "test_ops::sum_optional_list": [(lambda x, y: ops.sum_optional_list([x, None, y]), [3, 3])],
    "test_ops::keyed": [(lambda x: ops.keyed(x, "negative", [1, 2], True, 0.25), [3]), (lambda x: ops.keyed(x, "a", [], False), [3])],
    "test_ops::fail_at": [(lambda x: ops.fail_at(x, "nowhere", "", ""), [3])],
    "test_ops::panic_at": [(lambda x: ops.panic_at(x, "nowhere"), [3])],
    "test_ops::tap": [(ops.tap, [3])],
    "test_ops::rows": [(lambda x: ops.rows(x, 3), [(2, 2)])],
    "test_ops::mm_low": [(ops.mm_low, [(2, 3), (3, 4)])],
    "test_ops::mm_high": [(ops.mm_high, [(2, 3), (3, 4)])],
    "test_ops::mm_region": [(ops.mm_region, [(2, 3), (3, 4)])],
    "test_ops::mm_plain": [(ops.mm_plain, [(2, 3), (3, 4)])],
    "test_ops::weighted": [(lambda x, w: ops.weighted(x, w, 2.5), [3, 3]), (lambda x: ops.weighted(x, x, 2.5), [3])],
    "test_ops::weighted_backward": [(lambda g, x, w: ops.weighted_backward(g, x, w, 2.5, True), [3, 3, 3])],
    "test_ops::mix": [(lambda x, p, q, b: ops.mix(x, scale(), [p, q], b, times=3), [(2, 3)] * 4), (lambda x, p: ops.mix(x, scale(), [p])[1], [(2, 3)] * 2)],
    "test_ops::times_count": [(lambda x: ops.times_count(tally(), x), [3])],
    "test_ops::apply_scale": [(lambda x: ops.apply_scale(scale(), x), [3])],
    "test_ops::cube": [(ops.cube, [3])],
    "test_ops::sum_rows": [(ops.sum_rows, [(2, 3)]), (lambda x: ops.sum_rows(x, "sizes"), [(2, 3)])],
    "test_ops::apply_matrix": [(ops.apply_matrix, [(2, 3), 3])],
    "test_ops::mixture": [(lambda x, y, z: ops.mixture(x, [y, z], 2.0)[:2], [3, 3, 3]), (lambda x: ops.mixture(x, [], 2.0)[1], [3])],
    "test_ops::dropout": [(dropped, [20])],
    "test_types::inferred_scale": [(lambda x: types.inferred_scale(x, None, -0.5), [3])],
    "test_aten::projected": [(torch.ops.test_aten.projected, [(2, 3), (3, 4)])],
    "test_effects::tick": [(lambda x: torch.ops.test_effects.tick(x, 1), [3])],
    "test_effects::tick_scale": [(lambda x: torch.ops.test_effects.tick_scale(scale(), x, 1), [3])],
    "test_effects::tick_both": [(lambda x: torch.ops.test_effects.tick_both(x, 1), [3])],
    "test_sharding::cube": [(sharding.cube, [3])],
    "test_sharding::swish_mul": [(lambda x, y: sharding.swish_mul(x, y, 0.5, negate=True), [(2, 3), (2, 3)]),
                                 (sharding.swish_mul, [(2, 3), 3]), (sharding.swish_mul, [(2, 1), (1, 3)])],
    "my_ops::identity_conv_op": [(torch.ops.my_ops.identity_conv_op, [(2, 3, 2, 2)]), (lambda x: torch.ops.my_ops.identity_conv_op(x.t()[::2]), [(2, 3)])],
    "my_cuda_ops::to_contiguous": [(lambda x: torch.ops.my_cuda_ops.to_contiguous(x.t()), [(2, 3)])],
    "my_layers::fused_rms_norm": [(lambda x, w: layers.fused_rms_norm(x, w, 1e-3)[0], [(2, 3, 4), 4]), (lambda x: layers.fused_rms_norm(x)[0], [4])],
    # The root goes with the input: it is one for torch's finite differences as well.
    "my_layers::rms_norm_backward": [(lambda g, x, w: layers.rms_norm_backward(g, x, w, rstd(x), 1e-3, True), [(2, 4), (2, 4), 4])],
}

# Their backward is an operator that has none.
FIRST_ORDER = {"test_ops::times_sum", "test_sharding::cube", "test_effects::tick_both"}

# What cannot be here.
EXCEPTIONS = {
    "test_ops::wrong_gradient": "gives a gradient of wrong sizes, for the error",
    "test_ops::short_gradients": "gives too few gradients, for the error",
    "test_ops::scale_and_fail": "its backward fails, for the error",
    "test_ops::cuda_scale": "runs on a GPU alone (tests/cuda/test_kernels.py)",
}


def of_examples():
    """The operators of the examples that have a backward, read from their sources."""
    found = set()
    for source in (pathlib.Path(REPO) / "examples").glob("*/src/**/*.rs"):
        text = source.read_text()
        for name in re.findall(r"\bbackward_of\s*=\s*(\w+)", text):
            crate = "".join(file.read_text() for file in source.parent.rglob("*.rs"))
            definition = re.search(r'#\[torch_op\(((?:(?!#\[torch_op).)*?)\)\]\s*(?:pub )?fn ' + name + r"\(", crate, re.DOTALL)
            found.add(re.search(r'\b(?:schema|name)\s*=\s*"([\w:.]+)', definition[1])[1])
    return found


def test_the_tables_are_complete():
    there = {*ops.differentiable_operators(), *of_examples()}
    assert {"test_ops::mm_low", "test_ops::weighted_backward", "my_layers::rms_norm_backward"} <= there
    assert there - CASES.keys() - EXCEPTIONS.keys() == set(), "have a backward and are in no table"
    assert CASES.keys() - there == set() and EXCEPTIONS.keys() - there == set(), "have no backward (any more)"
    assert not CASES.keys() & EXCEPTIONS.keys()


@pytest.mark.parametrize("name, number", [(name, number) for name, calls in CASES.items() for number in range(len(calls))])
def test_finite_differences(name, number):
    call, shapes = CASES[name][number]
    inputs = doubles(*shapes)
    assert gradcheck(call, inputs)
    if name not in FIRST_ORDER:
        assert gradgradcheck(call, inputs)
    else:
        with pytest.raises((NotImplementedError, RuntimeError), match="no backward|not differentiable|does not require grad"):
            gradgradcheck(call, inputs)
