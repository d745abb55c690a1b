"""Fakes that calculate with sizes (symbols.rs)."""

import pytest
import torch
from conftest import compiles, raised

ops = torch.ops.test_ops


@pytest.mark.parametrize("n", (0, 1, 4, 5, 9))
def test_eager(n):
    x = torch.arange(float(n))
    assert torch.equal(ops.pieces(x, 4).flatten()[:n], x) and ops.pieces(x, 4).shape == (-(-n // 4), 4)
    rows = torch.rand(n, 2, 3)
    assert torch.equal(ops.head(rows, 4), rows[:4].reshape(min(n, 4), 6))


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
