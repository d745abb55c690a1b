"""What is not compiled once for all sizes, with the reason: `SPECIALIZES` are compiled for each, `REFUSED` not at all."""

import dataclasses
import typing

import torch

from one_compile.case import Case, plain

ops, types, matrix, classes = torch.ops.test_ops, torch.ops.test_types, torch.ops.test_matrix, torch.classes.test_ops


@dataclasses.dataclass
class Refused:
    """A call that fails while torch traces it, with a text in which `says` is found. If torch itself refuses it, an operator that is
    declared by `torch.library`, with the same schema, is refused with that text as well."""

    run: typing.Callable
    inputs: typing.Callable
    says: str
    reason: str
    is_torch: bool = False
    backend: str = "aot_eager"


def rows(n):
    return (plain(n),)


def with_size(n):
    return torch.rand(2), torch.rand(n, 2)


# Operator, label: the case and why.
SPECIALIZES = {
    ("test_ops::rows_int", "a size"): (Case(lambda x, y: ops.rows_int(x, y.shape[0]), with_size), "an `int` is no symbol"),
    ("test_types::inferred_rows", "a size as `int`"): (
        Case(lambda x, y: types.inferred_rows(x, 2, y.shape[0]), with_size), "the last argument is an `int`"),
    ("test_ops::specializes", ""): (Case(ops.specializes), "its fake asks for the number"),
    ("test_ops::scaled_by", "a size"): (Case(lambda x: ops.scaled_by(x, x.shape[0] / 2)), "torch burns in what it passes as `float`"),
}

META = "a meta tensor, which cannot be read"
NO_DATA = "the tensor has no data to be read"
NO_FAKE = "a symbolic one: torch is tracing, and a fake alone takes these"
NO_SIZES = "on a tensor with symbolic sizes: torch is tracing"
NO_OBJECT = "Expected a value of type"
READS, SIZES, FAILS = "the kernel reads", "the kernel asks for sizes as numbers, and there is no fake", "fails, to show how that looks while torch traces"

REFUSED = {
    ("test_ops::nonzero_too_early", ""): Refused(ops.nonzero_too_early, rows, "nbacked|data.dependent", "its fake asks for what nobody knows"),
    ("test_ops::wrong_fake", "fails"): Refused(lambda x: ops.wrong_fake(x, ""), rows, "as asked for", FAILS),
    ("test_ops::panic_composite", "rows"): Refused(ops.panic_composite, rows, "panicked at", FAILS),
    ("test_ops::fail_composite", ""): Refused(lambda x: ops.fail_composite(x, "value", "on purpose"), rows, "on purpose", FAILS),
    ("test_ops::first_half", "numbers"): Refused(lambda x: ops.first_half(x, True), rows, NO_SIZES, SIZES),
    ("test_ops::geometry", ""): Refused(ops.geometry, rows, NO_SIZES, SIZES),
    ("test_ops::dims_of", ""): Refused(ops.dims_of, rows, NO_SIZES, SIZES),
    ("test_ops::seen_through_python", ""): Refused(ops.seen_through_python, rows, NO_SIZES, SIZES),
    ("test_ops::size_at", ""): Refused(lambda x: ops.size_at(x, 0), rows, NO_SIZES, SIZES),
    ("test_ops::stride_at", ""): Refused(lambda x: ops.stride_at(x, 0), rows, NO_SIZES, SIZES),
    ("test_made::facts", ""): Refused(torch.ops.test_made.facts, rows, NO_SIZES, SIZES),
    ("test_ops::cuda_scale_composite", ""): Refused(lambda x: ops.cuda_scale_composite(x, 2.0), rows, NO_SIZES, SIZES),
    ("test_ops::echo_sym_int", ""): Refused(lambda x: ops.echo_sym_int(x.shape[0]), rows, NO_FAKE, SIZES),
    ("test_ops::echo_sym_ints", ""): Refused(lambda x: ops.echo_sym_ints([x.shape[0]]), rows, NO_FAKE, SIZES),
    ("test_ops::new_tally", ""): Refused(lambda x: ops.new_tally(x.shape[0]), rows, NO_FAKE, SIZES),
    ("test_ops::tally_round_trip", ""): Refused(lambda x: ops.tally_round_trip(x.shape[0]), rows, NO_FAKE, SIZES),
    ("test_made::items", ""): Refused(torch.ops.test_made.items, rows, "item|Scalar", READS),
    ("test_methods::item", ""): Refused(lambda x: torch.ops.test_methods.item(x.sum(), "f32"), rows, "item|Scalar", READS),
    ("test_elementwise::doubled", ""): Refused(torch.ops.test_elementwise.doubled, rows, NO_DATA, READS),
    ("test_views::tries", ""): Refused(lambda x: torch.ops.test_views.tries(x, 0), rows, NO_DATA, READS),
    ("test_aten::numbers", ""): Refused(torch.ops.test_aten.numbers, rows, "item|masked_select|local_scalar", READS),
    ("test_views::as_f32", ""): Refused(torch.ops.test_views.as_f32, rows, META, READS),
    ("test_views::numbers", ""): Refused(torch.ops.test_views.numbers, rows, META, READS),
    ("test_views::outside", ""): Refused(torch.ops.test_views.outside, rows, NO_DATA, READS),
    ("test_views::numbers_outside", ""): Refused(torch.ops.test_views.numbers_outside, rows, NO_DATA, READS),
    ("test_ops::maybe_scale", "an object"): Refused(
        ops.maybe_scale, lambda n: (plain(n), classes.Scale(2.0)), NO_OBJECT, "torch's schema check does not know traced objects", True),
    ("test_ops::all_scales", "objects"): Refused(
        lambda x, s: ops.all_scales(x, [s]), lambda n: (plain(n), classes.Scale(2.0)), NO_OBJECT, "torch's schema check does not know traced objects", True),
    ("test_matrix::takes_generator", ""): Refused(
        matrix.takes_generator, lambda n: (plain(n), torch.Generator()), "as_proxy", "Dynamo takes no generators", True),
    ("test_matrix::takes_stream", ""): Refused(
        matrix.takes_stream, lambda n: (plain(n), torch.Stream(device="cpu")), "argument of type: <class 'torch.Stream'>", "no graph takes streams", True),
}

# Operators whose kernels need a GPU: their fakes alone are asked, for a size that is a symbol without a number.
UNTRACED = {
    "test_ops::cuda_scale": lambda x: ops.cuda_scale(x, 2.0),
    "test_ops::cuda_scale_": lambda x: ops.cuda_scale_(x, 2.0) or x,
    "test_ops::cuda_nothing": lambda x: ops.cuda_nothing() or x,
}

# A size where the schema has no symbol: what is passed, and how often that is compiled for five sizes.
def size(x):
    return x.size(0)


WITHOUT_SYMBOLS = {
    "int": size, "int_opt": size, "ints": lambda x: [size(x)], "sized_ints": lambda x: [size(x), 1, 2], "ints_opt": lambda x: [size(x)],
    "opt_ints": lambda x: [size(x), None], "int_lists": lambda x: [[size(x)]], "float": size, "float_opt": lambda x: size(x) / 2,
    "floats": lambda x: [size(x) / 2], "floats_opt": lambda x: [size(x) / 2], "opt_floats": lambda x: [size(x) / 2, None], "complex": size,
    "complex_opt": lambda x: size(x) / 2, "complexes": lambda x: [size(x)], "scalar": size, "scalar_opt": lambda x: size(x) / 2,
    "scalars": lambda x: [size(x), 1], "tuple": lambda x: (size(x), "a"), "tuples": lambda x: [(size(x), size(x) / 2)],
    "dict": lambda x: {"a": size(x)}, "dict_of_lists": lambda x: {"a": [size(x) / 2]},
}
SPECIALIZES |= {
    (f"test_matrix::takes_{op}", "a size"): (
        Case(lambda x, takes=getattr(matrix, f"takes_{op}"), make=make: takes(x, make(x)), lambda n: (torch.arange(n),)), "the schema has no symbol")
    for op, make in WITHOUT_SYMBOLS.items()
}
