"""Numbers, dtypes, devices and the like, as arguments and as results (types_values.rs)."""

import math

import pytest
import torch

ops = torch.ops.test_types

# (operator, value, result): torch gives dtypes, layouts and memory formats back as their numbers.
VALUES = [
    ("complex", 1 + 2j, 1 + 2j), ("complex", 3, 3 + 0j), ("complex", 1.5, 1.5 + 0j), ("complex_opt", None, None),
    ("complex_opt", 1j, 1j), ("complexes", [1j, 2], [1j, 2 + 0j]), ("complexes", [], []),
    ("scalar", True, True), ("scalar", 2, 2), ("scalar", 2.5, 2.5), ("scalar", 1j, 1j), ("scalar", -(2**63), -(2**63)),
    ("scalar_opt", None, None), ("scalar_opt", 7, 7), ("scalars", [True, 2, 2.5, 1j], [True, 2, 2.5, 1j]),
    ("dtype", torch.bfloat16, 15), ("dtype_opt", torch.float8_e4m3fn, 24), ("dtype_opt", None, None),
    ("dtypes", [torch.int64, torch.bool], [4, 11]),
    ("layout", torch.strided, 0), ("layout", torch.sparse_csr, 2), ("layout_opt", torch.sparse_coo, 1), ("layout_opt", None, None),
    ("memory_format", torch.channels_last, 2), ("memory_format_opt", torch.preserve_format, 1), ("memory_format_opt", None, None),
    ("device", "cuda:3", torch.device("cuda:3")), ("device", torch.device("cpu"), torch.device("cpu")),
    ("device_opt", torch.device("meta"), torch.device("meta")), ("device_opt", None, None),
    ("devices", [torch.device("cpu"), "cuda:2"], [torch.device("cpu"), torch.device("cuda:2")]),
    ("stream_opt", None, None), ("generator_opt", None, None), ("int_opt", 3, 3), ("int_opt", None, None),
    ("floats_opt", [1, 2.5], [1.0, 2.5]), ("floats_opt", None, None), ("opt_floats", [None, 1.5], [None, 1.5]),
    ("bool_lists", [[True], [], [False, True]], [[True], [], [False, True]]),
    ("fixed", [1, 2, 3], [1, 2, 3]), ("fixed", (1, 2, 3), [1, 2, 3]), ("fixed", 7, [7, 7, 7]), ("fixed_default", 5, [5, 5]),
]


@pytest.mark.parametrize("name, value, result", VALUES)
def test_a_value_arrives_and_returns(name, value, result):
    got = getattr(ops, name)(value)
    assert got == result and type(got) is type(result)
    if isinstance(result, list):
        assert [type(part) for part in got] == [type(part) for part in result]


def test_defaults():
    assert ops.scalar() == 1.5
    assert ops.dtype() == 6
    assert ops.layout() == 0
    assert ops.memory_format() == 0
    assert ops.device() == torch.device("cuda:1")
    assert ops.fixed_default() == [1, 1]


@pytest.mark.parametrize("value", [math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308])
def test_floats_keep_every_bit(value):
    for name in ("scalar", "complex"):
        got = complex(getattr(ops, name)(value)).real
        assert got == value and math.copysign(1, got) == math.copysign(1, value)
    assert math.isnan(ops.scalar(math.nan))


def test_a_stream():
    stream = torch.Stream(device="cpu")
    assert ops.stream(stream) == stream and ops.stream_opt(stream) == stream


def test_a_generator_is_the_same_one():
    generator = torch.Generator()
    generator.manual_seed(7)
    returned = ops.generator(generator)
    returned.manual_seed(99)
    assert generator.initial_seed() == 99
    assert ops.generator_opt(generator).initial_seed() == 99


def test_rust_has_names_for_them():
    seen = ops.seen(torch.float16, torch.sparse_csr, torch.channels_last_3d, "cuda:1", 2.5)
    assert seen == "Float16 SparseCsr ChannelsLast3d cuda:1 Float(2.5)"
    for scalar, name in [(True, "Bool(true)"), (3, "Int(3)"), (1j, "Complex(Complex { re: 0.0, im: 1.0 })")]:
        assert ops.seen(torch.float32, torch.strided, torch.contiguous_format, "cpu", scalar).endswith(name)


@pytest.mark.parametrize("count", [0, 1, 5, 100])
def test_slices_are_copied_whole(count):
    ints, floats, bools = list(range(count)), [i + 0.5 for i in range(count)], [i % 2 == 0 for i in range(count)]
    tensors = [torch.ones((1,) * (i % 3)) for i in range(count)] or [torch.ones(1)]
    rust = str(bools).replace("T", "t").replace("F", "f")
    expected = f"{ints} {floats} {rust} {[t.dim() for t in tensors]} Some({ints})"
    assert ops.slices(ints, floats, bools, tensors, ints) == expected


def test_rust_calls_with_each_type():
    generator = torch.Generator()
    generator.manual_seed(42)
    assert ops.calls_others(torch.ones(2), generator) == (
        "1-2i [Bool(true), Int(2), Float(0.5), Complex(Complex { re: 1.0, im: -2.0 })] bfloat16 cuda:3 Some(SparseCsr) "
        "ChannelsLast 42 [1, 2] [0.5] [true] [1] Some([7]) [1, 2, 3]"
    )
