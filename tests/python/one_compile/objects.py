"""Operators that take objects of classes of Rust."""

import torch

from conftest import TORCH
from one_compile.case import Case, plain

ops, classes, Part = torch.ops.test_ops, torch.classes.test_ops, torch.classes.test_matrix.Part


def with_scale(n):
    return classes.Scale(1.5), plain(n)


def table(n):
    # Of a length that no size equals.
    return plain(n), classes.Table(torch.arange(7.0), 1.5, "t")


CASES = {
    "test_ops::apply_scale": {"": Case(ops.apply_scale, with_scale)},
    "test_ops::scale.up": {"": Case(ops.scale.up, with_scale)},
    "test_ops::scale_up": {"": Case(ops.scale_up, with_scale)},
    "test_ops::two_scales": {
        "two": Case(ops.two_scales, lambda n: (classes.Scale(2.0), plain(n), classes.Scale(3.0))),
        "one twice": Case(lambda s, x: ops.two_scales(s, x, s), with_scale),
    },
    "test_ops::apply_table": {
        "": Case(ops.apply_table, table),
        # Other objects, all of one size.
        "another each time": Case(ops.apply_table, lambda n: (plain(n), classes.Table(torch.full((7,), float(n)), 1.5, "t"))),
    },
    "test_ops::scale_and_fail": {"": Case(ops.scale_and_fail, with_scale)},
    "test_ops::mix": {
        "all": Case(lambda x, s, a, b: ops.mix(x, s, [a, x], b, times=3), lambda n: (plain(n), classes.Scale(1.5), plain(n), plain(n))),
        "no bias": Case(lambda s, x: ops.mix(x, s, [x]), with_scale),
    },
    # Of an object that its methods change.
    "test_ops::times_count": {"": Case(
        ops.times_count, lambda n: (classes.Tally(3), plain(n)), breaks_with_gradients="" if TORCH >= (2, 15) else "an argument requires grad")},
    "test_ops::maybe_scale": {"none": Case(lambda x: ops.maybe_scale(x, None))},
    "test_ops::all_scales": {"none": Case(lambda x: ops.all_scales(x, []))},
    "test_matrix::takes_class": {"": Case(torch.ops.test_matrix.takes_class, lambda n: (plain(n), Part(2.5)))},
    "test_matrix::takes_class_opt": {"none": Case(lambda x: torch.ops.test_matrix.takes_class_opt(x, None))},
    "test_matrix::takes_classes": {"none": Case(lambda x: torch.ops.test_matrix.takes_classes(x, []))},
}
