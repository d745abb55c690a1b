"""Operators whose parts torch traces (`composite`), and those without a fake whose kernel runs on the traced tensors
(`composite_explicit`)."""

import torch

from one_compile.case import Case, plain

ops, aten, made = torch.ops.test_ops, torch.ops.test_aten, torch.ops.test_made
# What Dynamo says of an operator that gives no tensor.
NO_TENSOR = "returned non-Tensor"
# What torch.export says of a text among several results.
NO_TEXT = "to be unreachable"


def two(n):
    return plain(n), plain(n)


def told(op, **options):
    """The text does not live on: the rest of the call would be compiled for each."""

    def run(x):
        op(x)
        return x + 1

    return Case(run, breaks=NO_TENSOR, **options)


def sample(which):
    return Case(lambda x, y, i: aten.sample(which, x, y, i), lambda n: (*two(n), torch.tensor([0, 2])))


def viewed(how, *numbers, inputs=lambda n: (plain(n),)):
    return Case(lambda x: made.viewed(x, how, list(numbers)), inputs)


CASES = {
    "test_ops::composite_cube": {"": Case(ops.composite_cube)},
    "test_ops::first_half": {
        # From 4 rows on: where a size may be 1, torch compiles for that.
        "": Case(ops.first_half, lambda n: (plain(2 * n),)),
    },
    "test_ops::panic_composite": {"without rows": Case(lambda x: (ops.panic_composite(x.sum()), x + 1))},
    "test_ops::echo_tensor_opt": {"": Case(lambda x: ops.echo_tensor_opt(x + 1)), "none": Case(lambda x: (ops.echo_tensor_opt(None), x + 1)[1])},
    "test_ops::echo_opt_tensors": {"": Case(lambda x: ops.echo_opt_tensors([x, None]) + x, breaks=NO_TENSOR)},
    "test_ops::describe": {"": told(ops.describe)},
    "test_ops::dtype_name": {"": told(ops.dtype_name)},
    # It says something else of the tensors that torch traces with.
    "test_ops::reads_in_place": {"": Case(lambda x: (ops.reads_in_place(x), x + 1)[1])},
    "test_ops::state_of": {"": told(ops.state_of, no_export=NO_TEXT)},
    "test_aten::arithmetic": {"": Case(aten.arithmetic, two)},
    "test_aten::modes": {"": Case(lambda x: (aten.modes(x), x + 1))},
    "test_aten::sample": {which: sample(which) for which in (
        "relu add add_scalar where lerp addmm matmul linear softmax sum sum_dims mean_dim std norm clamp pow gelu layer_norm embedding index "
        "index_select max_dim topk var_mean cat stack einsum permute slice pad roll to dropout_off zeros zeros_like").split()},
    "test_aten::written": {which: Case(lambda x, y, which=which: aten.written(which, x, y), two) for which in ("add_", "mul__scalar", "relu_", "foreach")},
    "test_aten::called": {which: Case(lambda x, which=which: aten.called(which, x)) for which in ("softmax", "several")},
    # All but a complex result, which has no gradient of its own.
    "test_methods::called": {which: Case(lambda x, y, which=which: torch.ops.test_methods.called(which, x, y), two) for which in (
        "add sub mul div mul_scalar neg matmul sum sum_dims mean mean_dims softmax log_softmax relu sigmoid tanh exp log sqrt rsqrt sin cos silu clamp "
        "max min abs pow t flatten f32 scalar").split() + ["sum_dims of none", "pow by a float", "flatten view"]},
    "test_elementwise::common": {"": Case(lambda x: (torch.ops.test_elementwise.common([x, x]), x + 1), breaks=NO_TENSOR)},
    "test_made::likes": {"": Case(lambda x: made.likes(x, torch.float64)[1:])},
    "test_made::to_dtype": {"": Case(lambda x: made.to_dtype(x, torch.float64))},
    "test_made::to_device": {"": Case(lambda x: made.to_device(x, torch.device("cpu"), torch.float64))},
    "test_made::printed": {"": told(made.printed)},
    "test_made::share_storage": {"": Case(lambda x, y: (made.share_storage(x, y), x + 1), two, breaks=NO_TENSOR)},
    "test_made::viewed": {
        "slice": viewed("slice", 1, 1, 3, 1),
        "select": viewed("select", 0, 1),
        "narrow": viewed("narrow", 1, 1, 2),
        "transpose": viewed("transpose", 0, 1),
        "permute": viewed("permute", 1, 0),
        "reshape": viewed("reshape", -1, 2),
        "expand": viewed("expand", 2, -1, -1),
        "squeeze": viewed("squeeze", 1, inputs=lambda n: (torch.rand(n, 1),)),
        "unsqueeze": viewed("unsqueeze", 0),
        "detach": viewed("detach"),
        "contiguous": viewed("contiguous", inputs=lambda n: (torch.rand(4, n).t(),)),
    },
    "test_types::inferred_scale": {"": Case(lambda x: torch.ops.test_types.inferred_scale(x, None, -0.5))},
    "test_types::dict_tensors": {"": Case(lambda x: torch.ops.test_types.dict_tensors({"a": x})["a"] + 1, breaks=NO_TENSOR)},
}
