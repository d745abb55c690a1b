"""Reference counts are exact after success, error and panic; memory stays flat."""

import gc
import sys
import weakref

import pytest
import torch

from conftest import alive, raised
from test_classes import everything

ops = torch.ops.test_ops
classes = torch.classes.test_ops


def counts(x):
    gc.collect()
    # The storage's Python object is one reference more, the same before and after.
    return sys.getrefcount(x), x._use_count(), torch._C._storage_Use_Count(x.untyped_storage()._cdata)


def tensors():
    return torch.rand(3), torch.rand(3, requires_grad=True)


def keep(call):
    def run(x, g):
        held = call(x, g)
        assert held is not None
        del held

    return run


CALLS = {
    "op": keep(lambda x, g: torch.ops.my_ops.identity_conv_op(x)),
    "op with a gradient": keep(lambda x, g: ops.product(x, g)),
    "backward": lambda x, g: torch.autograd.grad(ops.product(x, ops.exponential(g)).sum(), g),
    "optional": keep(lambda x, g: ops.affine(x, g, 2.0)),
    "list": keep(lambda x, g: ops.sum_list([x, g, x], [1.0, 2.0, 3.0])),
    "list of optionals": keep(lambda x, g: ops.sum_optional_list([None, x, g])),
    "list result": keep(lambda x, g: ops.echo_tensors([x, x])),
    "several results": keep(lambda x, g: ops.several(x, "a")),
    "no result": lambda x, g: ops.nothing(x),
    "error": lambda x, g: raised(lambda: ops.fail_at(x, "kernel", "ValueError", "text")),
    "error with a gradient": lambda x, g: raised(lambda: ops.fail_at(g, "kernel", "ValueError", "text")),
    "error in a backward": lambda x, g: raised(lambda: ops.fail_at(g, "backward", "ValueError", "text").sum().backward()),
    "error of torch's": lambda x, g: raised(lambda: ops.reshape_to(x, [7])),
    "error kept in Rust": lambda x, g: ops.reshape_failure(x, [7]),
    "panic": lambda x, g: raised(lambda: ops.panic_at(x, "kernel")),
    "panic with a gradient": lambda x, g: raised(lambda: ops.panic_at(g, "kernel")),
    "panic in a backward": lambda x, g: raised(lambda: ops.panic_at(g, "backward").sum().backward()),
    "panic with results made": lambda x, g: raised(lambda: ops.panic_how(x, "unwrap")),
    "wrong argument": lambda x, g: raised(lambda: ops.product(x, None)),
    "refused alias": lambda x, g: raised(lambda: ops.alias(x, "view")),
    "object": lambda x, g: classes.Holder(x).forward(x),
    "object that copies": lambda x, g: everything(weight=x, parts=[x, x], bias=g),
    "object's state": lambda x, g: classes.Holder(x)._get_method("__getstate__")(),
    "object's flat state": lambda x, g: classes.Holder(x).__obj_flatten__(),
    "getter": lambda x, g: classes.Holder(x).weight,
    "failing constructor": lambda x, g: raised(lambda: classes.Counted("panic")),
    "call through Python": lambda x, g: ops.calls_python(x),
    "vmap": lambda x, g: torch.vmap(torch.ops.my_ops.identity_conv_op)(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_counts_are_exact(call):
    x, g = tensors()
    CALLS[call](x, g)
    g.grad = None
    objects = alive()
    before = counts(x), counts(g)
    for _ in range(10):
        CALLS[call](x, g)
        g.grad = None
    assert (counts(x), counts(g)) == before
    assert alive() == objects


@pytest.mark.parametrize("call", [
    lambda x: torch.ops.my_ops.identity_conv_op(x), lambda x: ops.product(x, x), lambda x: ops.echo_tensors([x.detach()])[0],
    lambda x: ops.exponential(x), lambda x: classes.Scale(2.0).forward(x),
])
def test_results_are_freed(call):
    for grad in (False, True):
        x = torch.rand(3, requires_grad=grad)
        y = call(x)
        assert y._use_count() == torch.rand(3)._use_count()
        storage = weakref.ref(y.untyped_storage())
        watch = weakref.ref(y)
        del y
        gc.collect()
        assert watch() is None and storage() is None


FLAT = """
import torch
torch.ops.load_library(EXAMPLE)
torch.ops.load_library(TESTS)
ops, classes = torch.ops.test_ops, torch.classes.test_ops
torch.set_num_threads(1)
x, g = torch.rand(16), torch.rand(16, requires_grad=True)
scale = classes.Scale(2.0)

def caught(call, *args):
    try:
        call(*args)
    except Exception:
        return
    raise SystemExit("no error")

def once():
    CALL

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

for _ in range(COUNT // 5):
    once()
before = resident()
for _ in range(COUNT):
    once()
grown = resident() - before
print(f"{grown} bytes in COUNT calls")
raise SystemExit(0 if grown < 2**20 else 1)
"""


@pytest.mark.parametrize("call, n", [
    ("torch.ops.my_ops.identity_conv_op(x)", 200_000),
    ("ops.product(x, g)", 100_000),
    ("ops.product(x, g).sum().backward(); g.grad = None", 20_000),
    ("ops.echo_strs(['a', 'b']); ops.echo_ints([1, 2]); ops.echo_tensors([x])", 20_000),
    ("caught(ops.fail_at, x, 'kernel', 'ValueError', 'text')", 30_000),
    ("caught(ops.reshape_to, x, [7])", 20_000),
    ("caught(ops.panic_at, x, 'kernel')", 20_000),
    ("scale.forward(x); scale.factor", 50_000),
    ("classes.Scale(3.0).forward(x)", 20_000),
    ("caught(classes.Counted, 'error')", 20_000),
    ("classes.Holder(x)._get_method('__getstate__')()", 20_000),
], ids=lambda v: str(v)[:24])
def test_memory_is_flat(process, call, n):
    process(FLAT.replace("CALL", call).replace("COUNT", str(n)), RUST_BACKTRACE="0")
