"""All of torch's operators as Rust functions: the list is torch's, values, gradients, fakes and modes are those of Python."""

import re

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

from conftest import TORCH, compiles, raised

ops = torch.ops.test_aten
F = torch.nn.functional


def name_of(schema):
    return schema.split("(")[0]


def snake(text):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text).lower()


def test_every_operator_is_a_function_or_left_out_with_a_reason():
    registered = {
        (schema.name + "." + schema.overload_name).rstrip(".").removeprefix("aten::"): schema
        for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")
    }
    rust, schemas = ops.list(False)
    left, reasons = ops.list(True)
    assert len(rust) > 3000 and len(set(rust)) == len(rust) and all(reasons)
    functions = {name_of(schema): schema for schema in schemas}
    # As torch has them, names of results aside, which it leaves out.
    for name, schema in functions.items():
        assert str(registered[name]) == str(torch._C.parse_schema("aten::" + schema)), name
    for name, function in zip(map(name_of, schemas), rust):
        operator, _, overload = name.partition(".")
        assert function == (f"{snake(operator)}_{snake(overload)}" if overload else snake(operator))
    # Not Python's: what the dispatcher has no kernels for, functions of TorchScript on numbers, lists and strings.
    dispatched = {name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")}
    missing = dispatched - set(functions) - set(map(name_of, left))
    known = {"get_gradients", "shallow_copy_data_"} | {
        f"quantized_{cell}.{form}" for cell in ("gru", "lstm") for form in ("data", "data_legacy", "input", "input_legacy")
    }
    assert missing <= known, missing - known
    kinds = {reason.split("`")[1] for reason in reasons if "`" in reason}
    assert kinds <= {"Storage", "QScheme", "SymBool", "Dimname", "Dimname?", "Dimname[]"}, kinds
    assert len(left) < (130 if TORCH < (2, 13) else 20), left


SAMPLES = {
    "relu": lambda x, y, i: torch.relu(x),
    "add": lambda x, y, i: torch.add(x, y, alpha=2),
    "add_scalar": lambda x, y, i: x + 1.5,
    "where": lambda x, y, i: torch.where(x > 0.5, x, y),
    "lerp": lambda x, y, i: torch.lerp(x, y, 0.25),
    "addmm": lambda x, y, i: torch.addmm(x @ y.t(), x, y.t(), beta=0.5, alpha=2),
    "matmul": lambda x, y, i: x @ y.t(),
    "linear": lambda x, y, i: F.linear(x, y),
    "linear_bias": lambda x, y, i: F.linear(x, y, x[:, 0]),
    "softmax": lambda x, y, i: x.softmax(-1),
    "softmax_f64": lambda x, y, i: x.softmax(0, dtype=torch.float64),
    "sum": lambda x, y, i: x.sum(),
    "sum_dims": lambda x, y, i: x.sum((0, 1), keepdim=True),
    "sum_no_dims": lambda x, y, i: x.sum(),
    "mean_dim": lambda x, y, i: x.mean(1, dtype=torch.float64),
    "std": lambda x, y, i: x.std(1, correction=0),
    "norm": lambda x, y, i: torch.linalg.vector_norm(x, 3, 1),
    "clamp": lambda x, y, i: x.clamp(min=0.2),
    "pow": lambda x, y, i: x**3,
    "gelu": lambda x, y, i: F.gelu(x, approximate="tanh"),
    "layer_norm": lambda x, y, i: F.layer_norm(x, (4,), y[1]),
    "embedding": lambda x, y, i: F.embedding(i, x),
    "index": lambda x, y, i: x[i],
    "index_second": lambda x, y, i: x[:, i],
    "index_select": lambda x, y, i: x.index_select(0, i),
    "gather": lambda x, y, i: x.gather(0, i[:, None].expand(2, 4)),
    "max_dim": lambda x, y, i: list(x.max(1)),
    "topk": lambda x, y, i: list(x.topk(2, 1)),
    "var_mean": lambda x, y, i: list(torch.var_mean(x, 1, keepdim=True)),
    "cat": lambda x, y, i: torch.cat([x, y]),
    "stack": lambda x, y, i: torch.stack([x, y, x], 1),
    "chunk": lambda x, y, i: list(x.chunk(2, 1)),
    "split": lambda x, y, i: list(x.split([1, 3], 1)),
    "unbind": lambda x, y, i: list(x.unbind(0)),
    "einsum": lambda x, y, i: torch.einsum("ij,kj->ik", x, y),
    "view": lambda x, y, i: x.view(2, 6),
    "permute": lambda x, y, i: x.permute(1, 0),
    "slice": lambda x, y, i: x[:, 1::2],
    "pad": lambda x, y, i: F.pad(x, (1, 2), value=-1.0),
    "roll": lambda x, y, i: x.roll(1, 0),
    "to": lambda x, y, i: x.double(),
    "interpolate": lambda x, y, i: F.interpolate(x.view(1, 1, 3, 4), scale_factor=2.0),
    "conv2d": lambda x, y, i: F.conv2d(x.view(1, 1, 3, 4), y.view(3, 1, 2, 2), padding=(1, 0)),
    "max_pool": lambda x, y, i: F.max_pool2d(x.view(1, 3, 4), 2, 1),
    "dropout_off": lambda x, y, i: F.dropout(x, 0.5, training=False),
    "zeros": lambda x, y, i: torch.zeros(2, 3, dtype=torch.float64),
    "full": lambda x, y, i: torch.full((2,), True),
    "arange": lambda x, y, i: torch.arange(0, 10, 3),
    "eye": lambda x, y, i: torch.eye(2, 3, dtype=torch.int32),
    "zeros_like": lambda x, y, i: torch.zeros_like(x, dtype=torch.int64),
}


def inputs(grad=False):
    return torch.rand(3, 4, requires_grad=grad), torch.rand(3, 4, requires_grad=grad), torch.tensor([2, 0])


def listed(result):
    return result if isinstance(result, list) else [result]


@pytest.mark.parametrize("which", SAMPLES)
def test_a_call_is_that_of_python(which):
    args = inputs()
    for ours, theirs in zip(ops.sample(which, *args), listed(SAMPLES[which](*args)), strict=True):
        assert torch.equal(ours, theirs) and ours.dtype == theirs.dtype and ours.stride() == theirs.stride()


@pytest.mark.parametrize("which", SAMPLES)
def test_gradients_are_those_of_python(which):
    def gradients(call):
        torch.manual_seed(1)
        x, y, i = inputs(grad=True)
        results = [result for result in listed(call(x, y, i)) if result.requires_grad]
        if results:
            sum((result.double() ** 2).sum() for result in results).backward()
        return [t.grad for t in (x, y)]

    for ours, theirs in zip(gradients(lambda *args: ops.sample(which, *args)), gradients(SAMPLES[which])):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs)


WRITTEN = {
    "add_": lambda x, y: [x.add_(y, alpha=3)],
    "mul__scalar": lambda x, y: [x.mul_(2.0)],
    "relu_": lambda x, y: [x.relu_()],
    "add_out": lambda x, y: [torch.add(x, y, out=torch.empty(0))],
    "max_dim_max": lambda x, y: list(x.max(1)),
    "foreach": lambda x, y: [x + 2, y + 2],
    "index_put_": lambda x, y: [x.index_put_((torch.tensor([1]),), y, accumulate=True)],
}


@pytest.mark.parametrize("which", WRITTEN)
def test_what_is_written(which):
    x, y = torch.rand(3, 4) - 0.5, torch.rand(3, 4)
    if which == "index_put_":
        y = y[:1]
    before = x.clone()
    ours = ops.written(which, x, y)
    assert torch.equal(x, before)
    for a, b in zip(ours, WRITTEN[which](x.clone(), y), strict=True):
        assert torch.equal(a, b)


def test_numbers():
    x = torch.arange(6.0).reshape(2, 3)
    # A dtype that an operator returns is a number in Python.
    assert ops.numbers(x) == (15.0, True, 3, 2, 7)


FEW = ["softmax", "addmm", "sum_dims", "cat", "split", "index", "slice", "conv2d", "layer_norm"]


@pytest.mark.parametrize("which", FEW)
def test_compiled(which):
    x, y, i = inputs(grad=True)
    compiled, graphs = compiles(lambda x, y: ops.sample(which, x, y, i), fullgraph=True)
    results = compiled(x, y)
    for ours, theirs in zip(results, listed(SAMPLES[which](x, y, i)), strict=True):
        torch.testing.assert_close(ours, theirs)
    got = torch.autograd.grad(sum((t**2).sum() for t in results), x)
    expected = torch.autograd.grad(sum((t**2).sum() for t in listed(SAMPLES[which](x, y, i))), x)
    torch.testing.assert_close(got, expected)
    assert len(graphs) == 1


def test_traced():
    x, y, i = inputs()
    graph = make_fx(lambda x, y: ops.sample("addmm", x, y, i), tracing_mode="symbolic")(x, y)
    called = {node.target for node in graph.graph.nodes if node.op == "call_function"}
    assert torch.ops.aten.addmm.default in called
    for ours, theirs in zip(graph(x, y), [SAMPLES["addmm"](x, y, i)]):
        torch.testing.assert_close(ours, theirs)


def test_a_mode_sees_the_calls():
    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x, y, i = inputs()
    with Mode():
        ops.sample("cat", x, y, i)
        ops.sample("permute", x, y, i)
        ops.written("mul__scalar", x, y)
    assert seen == ["aten.cat.default", "aten.permute.default", "aten.clone.default", "aten.mul_.Tensor"] or seen == [
        "aten.cat.default", "aten.permute.default", "aten.clone.default", "aten.mul_.Scalar"
    ], seen


def test_a_fake_calls_them_with_symbols():
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 2, requires_grad=True)
    torch.testing.assert_close(ops.projected(x, w), torch.relu(x @ w))
    torch.autograd.gradcheck(ops.projected, (x.detach().double().requires_grad_(), w.detach().double().requires_grad_()))
    torch.library.opcheck(ops.projected.default, (x, w))
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(ops.projected, backend=counter, fullgraph=True, dynamic=True)
    for rows in (3, 5, 7):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(compiled(x, w), torch.relu(x @ w))
    assert counter.frame_count == 1


def test_arithmetic():
    a, b = torch.rand(2, 3, requires_grad=True), torch.rand(3, requires_grad=True)
    expected = [a + b, a - b * 2.0, 1.0 - a, 2 / (b + 1), -a / b, 3 * a + 1, (a + b) * (a - b)]
    ours = ops.arithmetic(a, b)
    for mine, theirs in zip(ours, expected, strict=True):
        torch.testing.assert_close(mine, theirs)
    got = torch.autograd.grad(sum(t.sum() for t in ours), (a, b))
    for mine, theirs in zip(got, torch.autograd.grad(sum(t.sum() for t in expected), (a, b))):
        torch.testing.assert_close(mine, theirs)
    compiled, graphs = compiles(ops.arithmetic_fake, fullgraph=True, dynamic=True)
    for rows in (2, 3, 5):
        a = torch.rand(rows, 3)
        assert torch.equal(compiled(a, b.detach()), (a + b.detach()) / 2)
    assert len(graphs) == 1


def test_an_operator_that_fails_is_torchs_own_error():
    a, b = torch.rand(2), torch.rand(3)
    try:
        a + b
    except RuntimeError as error:
        expected = str(error)
    assert raised(lambda: ops.arithmetic_fake(a, b)) == ("RuntimeError", expected)
    assert torch.equal(ops.arithmetic_fake(a, a), a)


def test_calls_by_name():
    x = torch.rand(3, 3)
    assert torch.equal(ops.called("softmax", x), x.softmax(-1))
    assert torch.equal(ops.called("defaults", x), torch.addmm(x, x, x))
    assert torch.equal(ops.called("several", x), x.max(0).values)
    assert torch.equal(ops.called("symbols", x), x.reshape(-1))
    kind, text = raised(lambda: ops.called("not there", x))
    assert kind == "RuntimeError" and "test_aten_other::nothing" in text


def test_calls_of_other_libraries():
    library = torch.library.Library("test_aten_other", "DEF")
    library.define("scaled.by(Tensor x, float factor) -> Tensor")
    library.impl("scaled.by", lambda x, factor: x * factor, "CompositeExplicitAutograd")
    x = torch.rand(3)
    assert torch.equal(ops.called("other", x), x * 3)
    name = "test_aten_other::scaled.by"
    assert raised(lambda: ops.called("wrong type", x)) == ("TypeError", f"{name}: argument 'factor' (position 1): expected float, got str")
    kind, text = raised(lambda: ops.called("missing", x))
    assert kind == "TypeError" and text.startswith(f"{name}: argument 'factor' (position 1) is not given and has no default: `{name}(")
    kind, text = raised(lambda: ops.called("too many", x))
    assert kind == "TypeError" and text.startswith(f"{name}: takes 2 arguments and returns 1 values; called with 3 for 1")
    kind, text = raised(lambda: ops.called("wrong result", x))
    assert kind == "TypeError" and "Tensor as result 0" in text
    assert raised(lambda: ops.called("wrong list", x)) == (
        "TypeError", "aten::cat: argument 'tensors' (position 0): expected Tensor[], got int[]"
    )


def test_modes_end_in_any_order():
    x = torch.rand(2, requires_grad=True)
    expected = [True, True, False, False, True, True, True, False, True, True]
    assert ops.modes(x) == expected
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
    with torch.no_grad():
        assert ops.modes(x)[-2:] == [False, False]
        assert not torch.is_grad_enabled()


def test_seed_and_default_dtype():
    torch.manual_seed(7)
    expected = torch.rand(4)
    assert torch.equal(ops.seeded(7), expected)
    assert ops.with_default(torch.float64) == (6, 7)  # the numbers of float32 and float64
    assert torch.get_default_dtype() == torch.float32
    kind, text = raised(lambda: ops.with_default(torch.int64))
    assert kind == "TypeError" and "`int64`" in text


def test_vmap_does_not_hide_memory():
    """In a rule within another vmap, a tensor is a wrapper: what is done in place is done to the memory of the tensor inside."""
    once = torch.vmap(ops.doubled, in_dims=(0, None))
    twice = torch.vmap(once, in_dims=(0, None))
    x, other = torch.ones(2, 3, 4), torch.ones(4)
    for call, read in ((once, x), (twice, x), (twice, x[1, 2, 1:])):
        with pytest.raises(RuntimeError, match="aten::mul_: argument 0 is in use: it is borrowed for reading"):
            call(x, read)
        assert torch.equal(x, torch.ones(2, 3, 4))
    assert torch.equal(twice(x, other), torch.ones(2, 3, 4) * 2)
