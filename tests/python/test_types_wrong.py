"""Wrong values from Python, for every type: the exception and its text. Torch looks at most of them before Rust does, and takes
more than one might think; that is pinned here too, so that a change is seen."""

import numpy as np
import pytest
import torch

from conftest import raised

old, ops = torch.ops.test_ops, torch.ops.test_types

NUMBERS = {
    "1.5": 1.5, "None": None, "True": True, "2**63": 2**63, "1j": 1j, "int64": np.int64(3), "float32": np.float32(1.5),
    "bool_": np.bool_(True), "0-d int": torch.tensor(3), "0-d float": torch.tensor(1.5), "0-d bool": torch.tensor(True),
}
OTHERS = {"text": "a", "lone surrogate": "\ud800", "list": [1], "mixed list": [1, "a"], "dtype": torch.float32, "1-d": torch.ones(2)}
VALUES = NUMBERS | OTHERS

# For each type: the operator, torch's name of the type, and what else than the type itself torch takes, as what.
ints = {"True": 1, "int64": 3, "float32": 1, "bool_": 1, "0-d int": 3, "0-d float": 1, "0-d bool": 1}
floats = {"1.5": 1.5, "True": 1.0, "2**63": 2.0**63, "int64": 3.0, "float32": 1.5, "bool_": 1.0, "0-d int": 3.0, "0-d float": 1.5, "0-d bool": 1.0}
TYPES = {
    "int": (old.echo_int, "int", ints | {"dtype": 6}),
    "SymInt": (old.echo_sym_int, "int", ints),
    "float": (old.echo_float, "float", floats),
    "bool": (old.echo_bool, "bool", {name: value is not None for name, value in NUMBERS.items()}),
    "str": (old.echo_str, "str", {"text": "a"}),
    "complex": (ops.complex, "complex", {name: complex(value) for name, value in floats.items()} | {"1j": 1j}),
    "Scalar": (ops.scalar, "number", {"1.5": 1.5, "True": True, "2**63": 2**63, "1j": 1j, "dtype": 6}),
    "ScalarType": (ops.dtype, "int", ints | {"dtype": 6}),
    "Layout": (ops.layout, "int", ints),
    "MemoryFormat": (ops.memory_format, "int", ints),
    "Device": (ops.device, "Device", {}),
    "Generator": (ops.generator, "Generator", {}),
    "int[]": (old.echo_ints, "List[int]", {"list": [1]}),
    "float[]": (old.echo_floats, "List[float]", {"list": [1.0]}),
    "str[]": (old.echo_strs, "List[str]", {"text": ["a"]}),
    "int[3]": (ops.fixed, "List[int]", {"True": [1, 1, 1]}),
    "Dict(str, int)": (ops.dict, "Dict[str, int]", {}),
    "(int, str)": (ops.pair, "Tuple[int, str]", {"mixed list": ("a", 1)}),
    "class": (ops.scaled_opt, "Optional[__torch__.torch.classes.test_types.Scale]", {"None": 1.0}),
}
# What arrives in another way: torch's own other texts, and what Rust says.
APART = {
    ("Device", "text"): (RuntimeError, "Expected one of cpu, cuda, "),
    ("Device", "lone surrogate"): (RuntimeError, "test_types::device() Expected a value of type 'Device'"),
    ("int[3]", "list"): (ValueError, "test_types::fixed: argument 'v' (position 0): expected a list of 3 elements, got 1"),
    ("Dict(str, int)", "None"): (TypeError, "dict(): incompatible function arguments."),
}


def same(got, expected):
    return got == expected and type(got) is type(expected)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", TYPES)
def test_eager(name, value):
    op, word, taken = TYPES[name]
    if value in taken:
        assert same(op(VALUES[value]), taken[value])
        return
    found = type(VALUES[value]).__name__
    argument = op.default._schema.arguments[0].name
    text = f"{op.default._schema.name}() Expected a value of type '{word}' for argument '{argument}' but instead found type '{found}'."
    kind, text = APART.get((name, value), (RuntimeError, text))
    with pytest.raises(kind) as raised:
        op(VALUES[value])
    assert type(raised.value) is kind and str(raised.value).startswith(text)


LISTS = [
    (old.echo_ints, [1, 1.5]), (old.echo_ints, [1, None]), (old.echo_ints, [1, 2**63]),
    (old.echo_ints, torch.tensor([1, 2])), (old.echo_floats, [1.5, None]), (old.echo_floats, [1.5, "a"]),
    (old.echo_strs, ["a", 1]), (old.echo_strs, ["\ud800"]), (old.echo_bools, [True, "a"]), (old.echo_tensors, [torch.ones(1), 1]),
    (old.echo_opt_ints, [None, "a"]), (old.echo_int_lists, [[1], 2]), (ops.scalars, [1, "a"]), (ops.dtypes, [torch.int8, "int8"]),
    (ops.dict, {1: 1}), (ops.dict, {"a": "b"}), (ops.dict, {"a": 1.5}), (ops.pair, (1, 2)), (ops.pair, (1,)), (ops.pair, (1, "a", 2)),
    (ops.pairs, [(1, 0.5), (1, "a")]), (ops.scaled_all, [None]), (ops.rounding, 1), (ops.window, (1, 2, 3)),
]


@pytest.mark.parametrize("op, value", LISTS)
def test_parts(op, value):
    with pytest.raises(RuntimeError, match="^" + op.default._schema.name + r"\(\) Expected a value of type '"):
        op(value)


def test_parts_that_torch_takes():
    assert same(old.echo_ints([True, np.int64(2), torch.tensor(3)]), [1, 2, 3])
    assert same(old.echo_ints(np.array([1, 2])), [1, 2]) and same(old.echo_ints({1}), [1])
    assert old.echo_bools([1, 0, None]) == [True, False, False]
    assert old.echo_floats((1, True)) == [1.0, 1.0]


def test_no_tensor_at_all():
    # Torch takes None for an undefined tensor, which is none in Rust.
    x = torch.ones(2)
    for op, argument, position, call in [
        (ops.add_optional_, "x", 0, lambda: ops.add_optional_(None, x)), (ops.add_and_copy, "y", 1, lambda: ops.add_and_copy(x, None)),
    ]:
        name = op.default._schema.name
        with pytest.raises(TypeError) as raised:
            call()
        assert str(raised.value).startswith(f"{name}: argument '{argument}' (position {position}): expected a tensor, got None (an undefined tensor)")
    with pytest.raises(NotImplementedError, match="There were no tensor arguments to this function"):
        ops.add_(None, 1.0)


NUMBERS_OF_WORDS = {
    "dtype": (ops.dtype, ops.dtype_opt, "a dtype"), "layout": (ops.layout, ops.layout_opt, "a layout"),
    "memory_format": (ops.memory_format, ops.memory_format_opt, "a memory format"),
}


@pytest.mark.parametrize("number", [-1, 99, 127, 128, 300, -129, 2**40])
@pytest.mark.parametrize("name", NUMBERS_OF_WORDS)
def test_numbers_that_are_no_words(name, number):
    """Torch passes any number on where a dtype, a layout or a memory format is expected."""
    *operators, what = NUMBERS_OF_WORDS[name]
    for op in operators:
        argument = op.default._schema.arguments[0].name
        with pytest.raises(ValueError) as raised:
            op(number)
        assert str(raised.value).startswith(
            f"{op.default._schema.name}: argument '{argument}' (position 0): expected {what}, got {number}, which is no number of one")


@pytest.mark.parametrize("name, kind", [("dtype", torch.dtype), ("layout", torch.layout), ("memory_format", torch.memory_format)])
def test_numbers_that_are_words(name, kind):
    """All of this torch's arrive; torch gives the number back."""
    words = {value for value in vars(torch).values() if isinstance(value, kind)}
    numbers = {getattr(ops, name)(word) for word in words}
    assert len(numbers) == len(words) >= 4 and all(isinstance(number, int) for number in numbers)


SCALARS = {"int": old.echo_int, "float": old.echo_float, "bool": old.echo_bool}


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("value", [torch.tensor(3), torch.tensor(1.5), torch.tensor(True)], ids=str)
@pytest.mark.parametrize("name", SCALARS)
def test_a_tensor_for_a_number_under_compile(name, value, backend):
    """What eager mode takes is an error in a graph, since the number is not known there; it names the operator."""
    op = SCALARS[name]
    fn = torch.compile(lambda x, v: x + op(v), backend=backend, fullgraph=True)
    with pytest.raises(Exception) as raised:
        fn(torch.zeros(1), value)
    word = {"int": "int", "float": "float", "bool": "bool"}[name]
    text = str(raised.value)
    assert f"{op.default._schema.name}() Expected a value of type '{word}' for argument 'v'" in text, text


@pytest.mark.parametrize("value", [1.5, None, "a", 2**63, [1]])
def test_a_wrong_value_under_compile(value):
    fn = torch.compile(lambda x: x + old.echo_int(value), backend="aot_eager", fullgraph=True)
    with pytest.raises(Exception, match="echo_int"):
        fn(torch.zeros(1))


def test_missing_and_unknown_arguments():
    cases = [
        (lambda: old.echo_int(), r"test_ops::echo_int\(\) is missing value for argument 'v'"),
        (lambda: old.echo_int(1, 2), r"test_ops::echo_int\(\) expected at most 1 argument\(s\) but received 2"),
        (lambda: old.echo_int(1, w=2), r"test_ops::echo_int\(\) expected at most 1 argument\(s\) but received 2"),
        (lambda: old.echo_int_opt(w=2), r"Unknown keyword argument 'w' for operator 'test_ops::echo_int_opt'"),
    ]
    for call, text in cases:
        with pytest.raises(RuntimeError, match=text):
            call()


@pytest.mark.parametrize("value", [3, 5, 9])
def test_no_stream(value):
    """Torch reads a stream from the memory of any object; the digit of a number lies where it looks for the type of the device, and these
    are types that are not there."""
    for name in ("stream", "stream_opt"):
        kind, text = raised(lambda: getattr(torch.ops.test_types, name)(value))
        assert kind == "TypeError" and text.startswith(f"test_types::{name}: argument 'v' (position 0): expected a torch.Stream"), text
