"""Every type of torch's schema language as an argument and as a result, with the values of the table in docs/types.md (tests/matrix)."""

import math
import sys

import torch

from conftest import REPO
from one_compile.case import Case
from one_compile.composites import NO_TENSOR, NO_TEXT

sys.path.insert(0, str(REPO / "tests/matrix"))
import cases as matrix  # noqa: E402

ops, types = torch.ops.test_matrix, torch.ops.test_types
# In objects.py and refused.py.
ELSEWHERE = {"class", "class_opt", "classes", "generator", "stream"}
# What Dynamo makes a part of a graph, beside tensors; for the others it ends the graph.
IN_GRAPHS = (float, type(None))


def numbers(n):
    return (torch.arange(n),)


def is_elsewhere(value):
    """A size as `int` is in refused.py, with generators and streams. Of a float from outside, Dynamo loses the sign of -0.0
    (test_one_compile_exceptions.py)."""
    if isinstance(value, matrix.Made):
        return value.text == "x.size(0)"
    parts = value if isinstance(value, list) else [value]
    return any(isinstance(part, torch.Generator | torch.Stream) or part == 0 and math.copysign(1, part) < 0 for part in parts if not isinstance(part, complex))


def argument(op, value):
    takes, (make, _) = getattr(ops, f"takes_{op}"), matrix.made(value)
    return Case(lambda x: takes(x, make(x)), numbers)


def has_text(value):
    return isinstance(value, list | tuple) and any(isinstance(part, str) for part in value)


def is_in_graphs(value):
    return isinstance(value, (matrix.Made, *IN_GRAPHS)) or isinstance(value, list) and not has_text(value)


def result(op, which, value):
    gives, takes = getattr(ops, f"gives_{op}"), getattr(ops, f"takes_{op}")
    return Case(lambda x: takes(x, gives(x, which)), numbers, breaks="" if is_in_graphs(value) else NO_TENSOR, no_export=NO_TEXT if has_text(value) else "")


def label(value):
    return matrix.made(value)[1]


CASES = {
    f"test_matrix::takes_{op}": {label(value): argument(op, value) for value in values if op[:3] == "sym" or not is_elsewhere(value)}
    for _, op, values in matrix.ARGUMENTS if op not in ELSEWHERE
}
CASES |= {f"test_matrix::gives_{op}": {label(value): result(op, which, value) for which, value in enumerate(values)} for _, op, values in matrix.RESULTS}
# Operator and number of the result, which Dynamo does not take.
NO_TENSORS = [(op, which) for _, op, values in matrix.RESULTS for which, value in enumerate(values) if not is_in_graphs(value)]
CASES |= {
    "test_matrix::gives_two": {"": Case(lambda x: ops.gives_two(x, 3), numbers)},
    "test_matrix::gives_tensor_and_opt": {which: Case(lambda x, n=n: ops.gives_tensor_and_opt(x, n)[:n + 1], numbers) for which, n in (("both", 1), ("none", 0))},
    "test_matrix::gives_tensor_and_int": {"": Case(lambda x: ops.gives_tensor_and_int(x, 3), numbers)},
    # As many as its fake says.
    "test_matrix::gives_tensor_and_count": {"": Case(lambda x: ops.gives_tensor_and_count(x, 0), numbers)},
    "test_types::inferred_rows": {"a size": Case(lambda x, y: types.inferred_rows(x, y.shape[0], 3), lambda n: (torch.rand(2), torch.rand(n, 2)))},
}
