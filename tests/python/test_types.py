"""Every type of argument and result; and what is none of the type."""

import math

import pytest
import torch

from conftest import compiles, raised

ops = torch.ops.test_ops

ECHOES = {
    ops.echo_int: [0, -1, 2**63 - 1, -(2**63)],
    ops.echo_sym_int: [0, 7, -(2**62), -(2**63), 2**63 - 1],
    ops.echo_float: [0.0, -0.0, 1e-310, 1.7e308, math.inf, -math.inf],
    ops.echo_bool: [True, False],
    ops.echo_str: ["", "naïve", "a\0b", "🦀" * 1000, "\n"],
    ops.echo_int_opt: [None, 0, -3],
    ops.echo_float_opt: [None, 0.0, 2.5],
    ops.echo_bool_opt: [None, False, True],
    ops.echo_str_opt: [None, "", "x"],
    ops.echo_ints: [[], [1], [1, -2, 2**62]],
    ops.echo_sym_ints: [[], [3, 4]],
    ops.echo_floats: [[], [1.5, -2.0]],
    ops.echo_bools: [[], [True, False]],
    ops.echo_strs: [[], ["a", "", "ü"]],
    ops.echo_ints_opt: [None, [], [1]],
    ops.echo_opt_ints: [[], [1, None, 3]],
    ops.echo_int_lists: [[], [[]], [[1], [2, 3]]],
}


@pytest.mark.parametrize("op", ECHOES, ids=lambda op: op.__name__)
def test_values_come_back(op):
    for value in ECHOES[op]:
        back = op(value)
        assert type(back) is type(value) and back == value
        assert str(back) == str(value)
    if op.default._schema.arguments[0].has_default_value():
        assert op() is None


def test_nan_and_conversions_that_torch_makes():
    assert math.isnan(ops.echo_float(math.nan))
    assert ops.echo_float(3) == 3.0 and type(ops.echo_float(3)) is float
    assert ops.echo_int(True) == 1
    assert ops.echo_floats([1, 2]) == [1.0, 2.0]
    assert ops.echo_ints((1, 2)) == [1, 2]


WRONG = [
    (ops.echo_int, 1.5), (ops.echo_int, None), (ops.echo_int, "1"), (ops.echo_int, 2**63), (ops.echo_int, [1]),
    (ops.echo_sym_int, 1.5), (ops.echo_float, "1"), (ops.echo_float, None), (ops.echo_bool, "x"), (ops.echo_bool, []),
    (ops.echo_str, None), (ops.echo_str, 3), (ops.echo_str, "\ud800"), (ops.echo_ints, [1, 2.5]),
    (ops.echo_ints, [1, None]), (ops.echo_ints, ["a"]), (ops.echo_ints, None), (ops.echo_strs, ["a", 1]),
    (ops.echo_bools, [True, "x"]), (ops.echo_int_lists, [1]), (ops.echo_int_opt, "x"),
    (ops.echo_tensors, [None]), (ops.echo_tensors, [torch.ones(1), 3]), (ops.dtype_name, 3),
]


@pytest.mark.parametrize("op, value", WRONG, ids=lambda v: getattr(v, "__name__", None) or repr(v)[:12])
def test_wrong_values_are_torchs_own_errors(op, value):
    kind, text = raised(lambda: op(value))
    assert kind == "RuntimeError"
    argument = op.default._schema.arguments[0].name
    assert f"for argument '{argument}'" in text, text


def test_none_for_a_tensor_names_the_argument():
    # torch takes None for an undefined tensor.
    text = "test_ops::dtype_name: argument 'x' (position 0): expected a tensor, got None (an undefined tensor)"
    assert raised(lambda: ops.dtype_name(None)) == ("TypeError", text)
    kind, text = raised(lambda: ops.product(torch.ones(2), None))
    assert kind == "TypeError" and "test_ops::product: argument 'y' (position 1)" in text
    kind, text = raised(lambda: ops.product(torch.ones(2, requires_grad=True), None))
    assert kind == "TypeError" and "test_ops::product: argument 'y' (position 1)" in text


def test_wrong_counts_and_names():
    for call in (lambda: ops.echo_int(), lambda: ops.echo_int(1, 2), lambda: ops.echo_int(w=1)):
        kind, text = raised(call)
        assert kind in ("RuntimeError", "TypeError") and "echo_int" in text


def test_tensors_in_every_position():
    xs = [torch.ones(2), torch.zeros(3, 1)]
    assert all(torch.equal(a, b) for a, b in zip(ops.echo_tensors(xs), xs, strict=True))
    assert ops.echo_opt_tensors([]) == 0 and ops.echo_opt_tensors([None, xs[0], None, xs[1]]) == 0b1010
    assert ops.echo_tensor_opt(None) is None and torch.equal(ops.echo_tensor_opt(xs[0]), xs[0])


def test_several_results_and_none():
    x, n, f, b, s, o = ops.several(torch.ones(2), "text")
    assert torch.equal(x, torch.ones(2)) and (n, f, b, s, o) == (3, 1.5, True, "text", None)
    assert ops.nothing(torch.ones(2)) is None


def test_defaults_keywords_and_overloads():
    x = torch.ones(2, 3)
    assert ops.defaults(x) == "2 3 -1.5 hé true [1, 2]"
    assert ops.defaults.all(x, 4, **{"from": 2}, s="y", b=False, k=[]) == "2 4 2 y false []"
    assert "self" in str(ops.defaults.all._schema) and "from" in str(ops.defaults.all._schema)
    with pytest.raises(RuntimeError):
        ops.defaults(x, 4, 2.0)


def test_new_lists_are_typed_as_the_schema_says():
    assert str(ops.echo_ints.default._schema) == "test_ops::echo_ints(int[] v) -> int[]"
    assert ops.echo_ints([]) == []
    scripted = torch.jit.script(scripted_lists)
    assert scripted([1, 2], ["a"]) == ([1, 2], ["a"], None)


def scripted_lists(a: list[int], b: list[str]) -> tuple[list[int], list[str], int | None]:
    return torch.ops.test_ops.echo_ints(a), torch.ops.test_ops.echo_strs(b), torch.ops.test_ops.echo_int_opt(None)


@pytest.mark.parametrize("op, expected", [(ops.rows, 1), (ops.rows_int, 5)], ids=["SymInt", "int"])
def test_one_compile_for_five_sizes_of_a_symbolic_argument(op, expected):
    fn, graphs = compiles(lambda x, y: op(x, y.shape[0]) + 1, fullgraph=True, dynamic=True)
    for n in range(3, 8):
        x, y = torch.rand(2), torch.rand(n, 2)
        assert torch.equal(fn(x, y), x.expand(n, 2) + 1)
    assert len(graphs) == expected


def test_symbolic_list_and_arithmetic():
    def f(x, y):
        z, n = ops.spread(x, [y.shape[0], y.shape[1] + 1])
        return z + n

    fn, graphs = compiles(f, fullgraph=True, dynamic=True)
    for n in range(3, 8):
        y = torch.rand(n, n + 10)
        assert torch.equal(fn(torch.tensor(2.0), y), torch.full((n, n + 11), 2.0 + (n + 1) * (n + 12)))
    assert len(graphs) == 1


def test_a_fake_that_asks_for_the_number_compiles_for_each():
    fn, graphs = compiles(lambda x: ops.specializes(x) + 1, fullgraph=True, dynamic=True)
    for n in range(3, 6):
        assert torch.equal(fn(torch.ones(n, 30)), torch.full((n, 30), 2.0))
    assert len(graphs) == 3


def test_export_keeps_a_size_symbolic():
    class Net(torch.nn.Module):
        def forward(self, x, y):
            return ops.rows(x, y.shape[0])

    args = (torch.rand(2), torch.rand(4, 2))
    for strict in (False, True):
        program = torch.export.export(Net(), args, dynamic_shapes=(None, {0: torch.export.Dim("n", min=2)}), strict=strict)
        for n in (2, 9):
            assert program.module()(args[0], torch.rand(n, 2)).shape == (n, 2)
