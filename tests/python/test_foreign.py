"""Kernels for operators that another library has defined: `foreign` (tests/foreign)."""

import os

import pytest

from conftest import library

FOREIGN = library("TORCHOP_LIB_FOREIGN")

HEAD = f"""
import torch
def chain(error):
    while error is not None:
        print(f"{{type(error).__name__}}: {{error}}")
        error = error.__cause__ or error.__context__
FOREIGN = {FOREIGN!r}
lib = torch.library.Library("test_foreign", "DEF")
def define(*without, scale="scale(Tensor x, float by=2., *, int[2]? size=None) -> Tensor"):
    for name, schema in {{"scale": scale, "cube": "cube(Tensor x) -> Tensor", "add_one_": "add_one_(Tensor(a!) x) -> ()"}}.items():
        if name not in without:
            lib.define(schema)
sparse = torch.eye(3, dtype=torch.float64).to_sparse()
def refused():
    try:
        torch.ops.load_library(FOREIGN)
    except Exception as error:
        chain(error)
    else:
        raise SystemExit("loaded, but should have failed")
    # Nothing is left of it.
    assert not torch._C._dispatch_has_kernel_for_dispatch_key("aten::digamma", "SparseCPU")
"""


def test_they_serve_their_operators(process):
    process(HEAD + """
define()
assert not torch._C._dispatch_has_kernel_for_dispatch_key("aten::digamma", "SparseCPU")
torch.ops.load_library(FOREIGN)
torch.ops.load_library(FOREIGN)
x = torch.tensor([1.5, -2.0], dtype=torch.float64)
ops = torch.ops.test_foreign
assert torch.equal(ops.scale(x), 2 * x) and torch.equal(ops.scale(x, -1.0, size=[1, 2]), -x)
assert torch.equal(torch.digamma(sparse), torch.digamma(sparse.to_dense()))
assert torch.digamma(sparse.requires_grad_()).requires_grad
y = x.clone()
ops.add_one_(y)
assert torch.equal(y, x + 1)
lib.impl("scale", lambda x, by=2.0, *, size=None: x + 5, "Meta")
""")


def test_fake_and_backward_of_what_has_none(process):
    process(HEAD + """
define()
torch.ops.load_library(FOREIGN)
cube = torch.ops.test_foreign.cube
x = torch.tensor([1.5, -2.0], dtype=torch.float64, requires_grad=True)
cube(x).sum().backward()
assert torch.equal(x.grad, 3 * x.detach() ** 2)
torch.library.opcheck(cube, (x,), test_utils=["test_schema", "test_faketensor", "test_autograd_registration"])
fn = torch.compile(lambda x: cube(x) + 1, backend="aot_eager", fullgraph=True)
assert torch.equal(fn(x), x ** 3 + 1)
""")


def test_operators_that_are_not_there(process):
    out = process(HEAD + 'define("scale")\nrefused()')
    assert "operator `test_foreign::scale` (tests/foreign/src/lib.rs:" in out
    assert "load the library that defines it first" in out and "cube" not in out


@pytest.mark.parametrize("theirs", ["scale(Tensor x, float by=3., *, int[2]? size=None) -> Tensor",
                                    "scale(Tensor x, float by=2., int[2]? size=None) -> Tensor",
                                    "scale(Tensor x, float by=2., *, SymInt[2]? size=None) -> Tensor",
                                    "scale(Tensor y, float by=2., *, int[2]? size=None) -> Tensor",
                                    "scale(Tensor x, float by=2., *, int[2]? size=None) -> Tensor[]"])
def test_another_schema(process, theirs):
    out = process(HEAD + f"define(scale={theirs!r})\nrefused()")
    printed = theirs.replace("2.,", "2., ").replace("  ", " ")
    assert f"`test_foreign::{printed}` by its library" in out, out
    assert "and as `test_foreign::scale(Tensor x, float by=2., *, int[2]? size=None) -> Tensor` at tests/foreign" in out


@pytest.mark.parametrize("key, expected", [
    ("CPU", "operator `test_foreign::cube` is `foreign` and has a CPU kernel already, which the one at tests/foreign/src/lib.rs:"),
    ("Meta", "has a fake kernel already"),
    ("Autograd", "has a gradient already (Autograd), which the backward at tests/foreign/src/lib.rs:"),
    ("AutogradCPU", "has a gradient already (AutogradCPU)"),
    ("CompositeImplicitAutograd", "is composite where it is defined"),
])
def test_nothing_is_replaced(process, key, expected):
    out = process(HEAD + f"""
define()
lib.impl("cube", lambda x: x + 41, {key!r})
refused()
if {key!r} in ("CPU", "CompositeImplicitAutograd"):
    assert torch.ops.test_foreign.cube(torch.ones(1)) == 42
""")
    assert expected in out, out


def test_a_second_library_of_the_same_kernels(process, tmp_path):
    import shutil

    copy = shutil.copy(FOREIGN, tmp_path / "copy.so")
    out = process(HEAD + f"""
define()
torch.ops.load_library(FOREIGN)
try:
    torch.ops.load_library({os.fspath(copy)!r})
except Exception as error:
    chain(error)
assert torch.ops.test_foreign.scale(torch.ones(1)) == 2
""")
    assert "operator `aten::digamma` is `foreign` and has a SparseCPU kernel already" in out, out
