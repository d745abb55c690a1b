"""One compile for five sizes, and exported sizes that stay symbolic: for every operator of the test library that torch can trace. An operator
that is in no table of `one_compile` fails the test of `test_one_compile_exceptions.py`: new ones are added there.
"""

import pytest
import torch

from one_compile import CASES
from one_compile.checks import exported_for_all_sizes, one_compile, one_compile_with_gradients

DIFFERENTIABLE = set(torch.ops.test_ops.differentiable_operators())
# Its backward fails.
WITHOUT_GRADIENT = {"test_ops::scale_and_fail"}
# Inductor takes seconds for each: those that calculate most.
INDUCTOR = [("test_ops::pieces", "a size"), ("test_ops::head", "a size"), ("test_ops::nms", ""), ("test_ops::mixture", "all")]


@pytest.mark.parametrize("name, label, backend", [(*key, "aot_eager") for key in CASES] + [(*key, "inductor") for key in INDUCTOR])
def test_one_compile_for_five_sizes(name, label, backend):
    one_compile(name, CASES[name, label], backend)


@pytest.mark.parametrize("name, label", [key for key in CASES if key[0] in DIFFERENTIABLE - WITHOUT_GRADIENT])
def test_one_compile_for_five_sizes_with_gradients(name, label):
    one_compile_with_gradients(CASES[name, label])


@pytest.mark.parametrize("name, label", CASES)
def test_exported_sizes_stay_symbolic(name, label):
    exported_for_all_sizes(CASES[name, label])
