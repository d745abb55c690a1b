"""Every type of torch's schema language with its values, and what a kernel must see of each.

A case is a call that gives the text which tests/ops/src/matrix wrote of the value that arrived. For results, the value that
`gives_<type>` returns goes on to `takes_<type>`.
"""

import dataclasses
import math
import re
import struct
import typing

import torch

ops = torch.ops.test_matrix


@dataclasses.dataclass
class Case:
    """One value of one type. `run(x)` gives the tensor with the text; `expected(x)` is the text."""

    kind: str  # "argument" or "result"
    type: str
    label: str
    run: typing.Callable
    expected: typing.Callable

    @property
    def key(self):
        return f"{self.kind}: {self.type}: {self.label}"


class Made:
    """A value that is made from the input, by an expression."""

    def __init__(self, text):
        self.text, self.make = text, eval(f"lambda x: {text}")


def text(value):
    """As `Show` in tests/ops/src/matrix/show.rs writes it, decoded."""
    if isinstance(value, torch.Tensor):
        return f"tensor({value.dtype}, {list(value.shape)}, sum {value.sum().item()})".replace("torch.", "")
    if isinstance(value, torch.Generator):
        return f"generator({value.initial_seed()})"
    if isinstance(value, torch.Stream):
        return f"stream({value.stream_id}, '{value.device}')"
    if isinstance(value, torch.ScriptObject):
        return f"Part({value.weight!r})"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    if isinstance(value, torch.device):
        return f"device('{value}')"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(text, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(key)}: {text(part)}" for key, part in value.items()) + "}"
    return repr(value)


def decode(tensor):
    """The text in a tensor, or several one after the other; floats come as their bits."""
    raw = struct.pack(f"<{len(tensor)}q", *tensor.tolist()).replace(b"\0", b"").decode()
    return re.sub(r"\bf([0-9a-f]{16})\b", lambda bits: repr(struct.unpack(">d", bytes.fromhex(bits[1]))[0]), raw)


INF, NAN, BIG = math.inf, math.nan, 2**62
LONG = list(range(20))


def part(weight):
    return torch.classes.test_matrix.Part(weight)


# Schema type, name of the operator, values.
ARGUMENTS = [
    ("Tensor", "tensor", [Made("x + 1")]),
    ("Tensor?", "tensor_opt", [None, Made("x + 1")]),
    ("Tensor[]", "tensors", [[], Made("[x]"), Made("[x, x + 1, x + 2]")]),
    ("Tensor?[]", "opt_tensors", [[], Made("[x, None]"), [None, None]]),
    ("Tensor[]?", "tensors_opt", [None, [], Made("[x, x + 1]")]),
    ("int", "int", [0, -7, BIG, -(2**63), Made("x.size(0)")]),
    ("int?", "int_opt", [None, 0, BIG]),
    ("int[]", "ints", [[], [3], [1, -2, BIG], LONG]),
    ("int[3]", "sized_ints", [[1, 2, 3], [7, 7, 7]]),
    ("int[]?", "ints_opt", [None, [], [1, 2]]),
    ("int?[]", "opt_ints", [[], [1, None, -2]]),
    ("int[][]", "int_lists", [[], [[]], [[1], [], [2, 3]]]),
    ("SymInt", "sym_int", [0, -7, BIG, Made("x.size(0)"), Made("x.size(0) * 2 + 1")]),
    ("SymInt?", "sym_int_opt", [None, 0, Made("x.size(0)")]),
    ("SymInt[]", "sym_ints", [[], [3], [1, -2, BIG], Made("[x.size(0), 3]")]),
    ("SymInt[]?", "sym_ints_opt", [None, [], [1, 2], Made("[x.size(0)]")]),
    ("float", "float", [1.5, 0.0, -0.0, 1e-45, 1e308, INF, NAN]),
    ("float?", "float_opt", [None, 0.5]),
    ("float[]", "floats", [[], [0.5], [1.5, -0.0, 1e308], [INF]]),
    ("float[]?", "floats_opt", [None, [], [0.5]]),
    ("float?[]", "opt_floats", [[], [0.5, None]]),
    ("bool", "bool", [True, False]),
    ("bool?", "bool_opt", [None, False, True]),
    ("bool[]", "bools", [[], [True], [True, False, True]]),
    ("bool[]?", "bools_opt", [None, [], [True]]),
    ("str", "str", ["a", "", "é✓", "it's \"quoted\" \\ {} %s"]),
    ("str?", "str_opt", [None, "", "a"]),
    ("str[]", "strs", [[], ["a"], ["a", "", "é"]]),
    ("str[]?", "strs_opt", [None, [], ["a"]]),
    ("str?[]", "opt_strs", [[], ["a", None]]),
    ("complex", "complex", [1.5 - 2j, 0j]),
    ("complex?", "complex_opt", [None, 1j]),
    ("complex[]", "complexes", [[], [1j, 2.5 + 0j]]),
    ("Scalar", "scalar", [3, 0.5, True, 1j, BIG]),
    ("Scalar?", "scalar_opt", [None, 3, 0.5, True]),
    ("Scalar[]", "scalars", [[], [3, 0.5], [True, False]]),
    ("ScalarType", "dtype", [torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.float8_e4m3fn]),
    ("ScalarType?", "dtype_opt", [None, torch.float32, torch.bfloat16]),
    ("ScalarType[]", "dtypes", [[], [torch.float32, torch.bfloat16]]),
    ("Layout", "layout", [torch.strided, torch.sparse_csr]),
    ("Layout?", "layout_opt", [None, torch.strided]),
    ("Layout[]", "layouts", [[], [torch.strided]]),
    ("MemoryFormat", "memory_format", [torch.contiguous_format, torch.channels_last]),
    ("MemoryFormat?", "memory_format_opt", [None, torch.channels_last]),
    ("Device", "device", [torch.device("cpu"), torch.device("cuda:1"), torch.device("meta")]),
    ("Device?", "device_opt", [None, torch.device("cpu")]),
    ("Device[]", "devices", [[], [torch.device("cpu"), torch.device("cuda:1")]]),
    ("Generator", "generator", [torch.Generator().manual_seed(7)]),
    ("Generator?", "generator_opt", [None, torch.Generator().manual_seed(7)]),
    ("Stream", "stream", [torch.Stream(device="cpu")]),
    ("Stream?", "stream_opt", [None, torch.Stream(device="cpu")]),
    ("(int, str)", "tuple", [(1, "a")]),
    ("(int, float)[]", "tuples", [[], [(1, 0.5), (2, -0.5)]]),
    ("Dict(str, int)", "dict", [{}, {"a": 1, "b": -2}]),
    ("Dict(str, float[])", "dict_of_lists", [{"a": [0.5], "b": []}]),
    ("class", "class", [part(2.5)]),
    ("class?", "class_opt", [None, part(2.5)]),
    ("class[]", "classes", [[], [part(2.5), part(0.5)]]),
]

# As `gives!` in tests/ops/src/matrix/results.rs has them.
RESULTS = [
    ("Tensor", "tensor", [Made("x"), Made("x + 1")]),
    ("Tensor?", "tensor_opt", [None, Made("x + 1")]),
    ("Tensor[]", "tensors", [[], Made("[x]"), Made("[x, x + 1]")]),
    ("int", "int", [7]),
    ("int?", "int_opt", [None, 3]),
    ("int[]", "ints", [[], [1, -2, BIG]]),
    ("SymInt", "sym_int", [7]),
    ("float", "float", [0.5]),
    ("float?", "float_opt", [None, 0.5]),
    ("float[]", "floats", [[], [0.5, -1.0]]),
    ("bool", "bool", [True]),
    ("bool?", "bool_opt", [None, True]),
    ("bool[]", "bools", [[], [True, False]]),
    ("str", "str", ["é✓"]),
    ("str?", "str_opt", [None, "a"]),
    ("str[]", "strs", [[], ["a", ""]]),
    ("complex", "complex", [1.5 - 2j]),
    ("Scalar", "scalar", [3, 1j]),
    ("ScalarType", "dtype", [torch.bfloat16]),
    ("Layout", "layout", [torch.strided]),
    ("MemoryFormat", "memory_format", [torch.channels_last]),
    ("Device", "device", [torch.device("cpu")]),
    ("((int, str))", "tuple", [(3, "a")]),
    ("Dict(str, int)", "dict", [{"a": 1}]),
]


def made(value):
    """The function that makes the value, and how the value is called."""
    if isinstance(value, Made):
        return value.make, f"`{value.text}`"
    shown = text(value)
    return lambda x: value, f"`{shown}`" if len(shown) < 40 else f"{len(value)} of them"


def argument(type, op, value):
    takes, (make, label) = getattr(ops, f"takes_{op}"), made(value)
    return Case("argument", type, label, lambda x: takes(x, make(x)), lambda x: text(make(x)))


def result(type, op, which, value):
    gives, takes, (make, label) = getattr(ops, f"gives_{op}"), getattr(ops, f"takes_{op}"), made(value)
    return Case("result", type, label, lambda x: takes(x, gives(x, which)), lambda x: text(make(x)))


def several(type, op, label, expected, *takes, which=3):
    """An operator with more than one result: each goes on to the operator that takes it."""
    gives = getattr(ops, f"gives_{op}")

    def run(x):
        texts = [getattr(ops, f"takes_{takes}")(x, part) for takes, part in zip(takes, gives(x, which))]
        return torch.cat(texts)

    return Case("result", type, label, run, expected)


def writes(type, op, label, expected, call):
    return Case("argument", type, label, call, expected)


def written(x):
    y = x + 0
    ops.writes_tensor(y, 5)
    return ops.takes_tensor(x, y)


def written_opt(x):
    y = x + 0
    ops.writes_tensor_opt(x, y, 5)
    return ops.takes_tensor(x, y)


def not_written(x):
    ops.writes_tensor_opt(x, None, 5)
    return ops.takes_tensor(x, x)


def cases():
    out = []
    for type, op, values in ARGUMENTS:
        out += [argument(type, op, value) for value in values]
    out += [
        Case("argument", "Tensor(a!)", "written to", written, lambda x: text(x + 5)),
        Case("argument", "Tensor(a!)?", "written to", written_opt, lambda x: text(x + 5)),
        Case("argument", "Tensor(a!)?", "`None`", not_written, lambda x: text(x)),
    ]
    for type, op, values in RESULTS:
        out += [result(type, op, which, value) for which, value in enumerate(values)]
    two = lambda x: text(x + 3) + text(x + 4)  # noqa: E731
    out += [
        several("(Tensor, Tensor)", "two", "both", two, "tensor", "tensor"),
        several("(Tensor, Tensor?)", "tensor_and_opt", "both", lambda x: text(x + 3) * 2, "tensor", "tensor_opt"),
        several("(Tensor, Tensor?)", "tensor_and_opt", "`None`", lambda x: text(x) + "None", "tensor", "tensor_opt", which=0),
        several("(Tensor, int)", "tensor_and_int", "both", lambda x: text(x + 3) + "3", "tensor", "int"),
        several("(Tensor, int)", "tensor_and_count", "3 where the fake said 0", lambda x: text(x + 3) + "3", "tensor", "int"),
    ]
    return out
