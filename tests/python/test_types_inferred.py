"""Definitions without a schema (types_inferred.rs)."""

import pytest
import torch
from conftest import compiles

ops = torch.ops.test_types

SCHEMAS = {
    "inferred.all": "test_types::inferred.all(Tensor self, Tensor? also, Tensor[] ts, str mode, (int, int) span, SymInt n, "
    "SymInt[] sizes, int k, int[] ks, Dict(str, int) dict, SymInt a=-1, float b=2., float? c=0.5, str? m=\"exact\", "
    "str s=\"it\\'s \\\"quoted\\\" \\\\ \\n\", SymInt[] l=[1, 2], Device device=cpu, ScalarType dtype=7, Layout? layout=None, "
    "bool flag=True) -> (Tensor, str, SymInt)",
    "inferred_writes.default": "test_types::inferred_writes(Tensor(a!) x, Tensor(b!)? y, float value) -> ()",
    "inferred_rows.default": "test_types::inferred_rows(Tensor x, SymInt n, int scale) -> (Tensor, SymInt)",
    "inferred_scale.default": "test_types::inferred_scale(Tensor x, Tensor? unused, float alpha=3.) -> Tensor",
    "inferred_results.default": "test_types::inferred_results() -> ((int, int), bool?, Dict(str, float))",
    "inferred_span.default": "test_types::inferred_span((int, int) v) -> ((int, int))",
    "inferred_nothing.default": "test_types::inferred_nothing() -> ()",
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schema(name):
    packet, overload = name.split(".")
    assert str(getattr(getattr(ops, packet), overload)._schema) == SCHEMAS[name]


def test_every_argument_arrives():
    x = torch.ones(2)
    y, said, n = ops.inferred(x, None, [], "fast", (1, 2), 3, [4], 5, [6], {"a": 1})
    assert torch.equal(y, x) and n == 3
    assert said.split(" / ") == [
        "false 0 3 [4] 5 [6]", "0 1 2 1",
        "-1 2 Some(0.5) Some(1) \"it's \\\"quoted\\\" \\\\ \\n\" [1, 2] cpu float64 None true",
    ]
    _, said, _ = ops.inferred(
        self=x, also=x, ts=[x, x], mode="exact", span=(0, 0), n=0, sizes=[], k=0, ks=[], dict={}, a=1, b=0, c=None, m="fast",
        s="", l=[], device="meta", dtype=torch.int8, layout=torch.strided, flag=False,
    )
    assert said.split(" / ") == ["true 2 0 [] 0 []", "1 0 0 0", "1 0 None Some(0) \"\" [] meta int8 Some(Strided) false"]


def test_results():
    assert ops.inferred_results() == ((1, 2), None, {"a": 0.5})
    assert ops.inferred_span((3, 4)) == (3, 4)
    assert ops.inferred_nothing() is None


def test_what_is_written_to():
    x, y = torch.zeros(2), torch.ones(2)
    ops.inferred_writes(x, y, 2.0)
    ops.inferred_writes(x, None, 1.0)
    assert x.tolist() == [3, 3] and y.tolist() == [3, 3] and (x._version, y._version) == (2, 1)


def test_sizes_stay_symbolic():
    fn, graphs = compiles(lambda x, n: ops.inferred_rows(x, n.shape[0], 2)[0] + 1, dynamic=True)
    for n in (2, 3, 5, 8):
        assert torch.equal(fn(torch.zeros(3), torch.empty(n)), torch.ones(n, 3))
    assert len(graphs) == 1


def test_an_int_is_held_fast():
    fn, graphs = compiles(lambda x, n: ops.inferred_rows(x, 2, n)[0] + 1)
    for n in (3, 4):
        fn(torch.zeros(3), n)
    assert len(graphs) == 2


def test_the_gradient():
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: ops.inferred_scale(x, None), x)
    assert torch.autograd.gradcheck(lambda x: ops.inferred_scale(x, None, -0.5), x)


CHECKED = [
    ("inferred_rows", lambda: (torch.ones(2), 3, 2)), ("inferred_writes", lambda: (torch.ones(2), torch.ones(2), 1.0)),
    ("inferred_scale", lambda: (torch.ones(2, requires_grad=True), None)),
]


@pytest.mark.parametrize("name, arguments", CHECKED)
def test_torch_finds_nothing_wrong(name, arguments):
    torch.library.opcheck(getattr(ops, name).default, arguments())
