"""Methods take and return each type that operators do."""

import pytest
import torch

from conftest import raised

echo = torch.classes.test_ops.Echo()

VALUES = {
    "int": [0, -(1 << 62)], "float": [0.5, float("inf")], "boolean": [True, False], "text": ["", "ä\0b"], "complex": [1 + 2j],
    "scalar": [1, 2.5, True, 1 + 1j], "dtype": [torch.bfloat16, torch.uint8], "layout": [torch.strided],
    "memory_format": [torch.channels_last], "device": [torch.device("cpu"), torch.device("cuda:1")],
    "int_opt": [None, 3], "float_opt": [None, 0.5], "text_opt": [None, "a"], "dtype_opt": [None, torch.float64], "device_opt": [None, torch.device("meta")],
    "ints": [[], [1, 2]], "floats": [[], [0.5]], "booleans": [[], [True, False]], "texts": [[], ["a", ""]],
    "ints_opt": [None, [], [1]], "opt_floats": [[], [None, 0.5]], "int_lists": [[], [[], [1, 2]]],
    "pair": [(1, 0.5)], "counts": [{}, {"a": 1, "b": 2}],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in VALUES.items() for value in values], ids=str)
def test_values(name, value):
    found = getattr(echo, name)(value)
    if name in ("dtype", "dtype_opt", "layout", "memory_format") and value is not None:
        # As a result these are torch's numbers, from an operator too.
        assert found == getattr(torch.ops.test_types, name)(value) and getattr(echo, name)(found) == found
    else:
        assert found == value and type(found) is type(value)


def test_tensors():
    x = torch.rand(2, 3)
    assert torch.equal(echo.tensor(x), x) and torch.equal(echo.tensor_opt(x), x) and echo.tensor_opt(None) is None
    assert [torch.equal(a, b) for a, b in zip(echo.tensors([x, x + 1]), [x, x + 1])] == [True, True] and echo.tensors([]) == []


def test_objects():
    other = torch.classes.test_ops.Echo()
    assert echo.object(other).int(3) == 3 and echo.object_opt(other).int(4) == 4 and echo.object_opt(None) is None
    assert [o.int(5) for o in echo.objects([other, echo])] == [5, 5]


def test_generators():
    generator = torch.Generator().manual_seed(7)
    again = echo.generator(generator)
    assert torch.equal(torch.rand(3, generator=again), torch.rand(3, generator=torch.Generator().manual_seed(7)))


def test_streams():
    stream = torch.Stream(device="cpu")
    assert echo.stream(stream) == stream and echo.stream_opt(stream) == stream and echo.stream_opt(None) is None


def test_several_and_none():
    assert echo.three(1, "a", [True]) == (1, "a", [True]) and echo.nothing() is None


@pytest.mark.parametrize("name, value", [("int", "a"), ("int", 1.5), ("ints", [1, "a"]), ("text", 3), ("tensor", 1), ("object", torch.ones(1)), ("device", 3.5)])
def test_wrong_values(name, value):
    kind, text = raised(lambda: getattr(echo, name)(value))
    assert kind in ("RuntimeError", "TypeError") and name in text
