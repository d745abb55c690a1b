"""Operators that write: to the graph's own input, and to what the graph has made."""

import torch

from one_compile.case import Case, plain

types, made, parallel, views, matrix, methods = (torch.ops.test_types, torch.ops.test_made, torch.ops.test_parallel, torch.ops.test_views,
                                                 torch.ops.test_matrix, torch.ops.test_methods)


def two(n):
    return plain(n), plain(n)


def writes(call, inputs=lambda n: (plain(n),)):
    """`call` on the inputs themselves, and on what is made of them, which comes back."""

    def inside(*args):
        made = [arg * 1 for arg in args]
        call(*made)
        return made

    def outside(*args):
        call(*args)
        return args[0] + 1

    return {"inputs": Case(outside, inputs), "inside": Case(inside, inputs)}


CASES = {
    "test_types::add_": writes(lambda x: types.add_(x, 2.0)),
    "test_types::swap_": writes(types.swap_, two),
    "test_types::add_optional_": writes(types.add_optional_, two) | {"none": Case(lambda x: (types.add_optional_(x), x + 1)[1])},
    "test_types::add_and_copy": writes(types.add_and_copy, two) | {"results": Case(lambda x, y: types.add_and_copy(x, y, value=3.0), two)},
    "test_types::copy_out": writes(lambda x, y: types.copy_out(x, out=y), two),
    "test_types::assigns": writes(types.assigns, two),
    "test_types::add_all_": writes(lambda x, y: types.add_all_([x, y], 2.0), two),
    "test_types::add_all_and_sum": writes(lambda x, y, z: types.add_all_and_sum([x, y], z), lambda n: (*two(n), plain(n)))
    | {"results": Case(lambda x, y: types.add_all_and_sum([x], y), two)},
    "test_types::scaled.out": writes(lambda x, y: types.scaled.out(x, 2.0, out=y), two),
    "test_types::inferred_writes": writes(lambda x, y: types.inferred_writes(x, y, 2.0), two) | {"none": Case(lambda x: types.inferred_writes(x, None, 2.0))},
    # A graph writes to a copy: its input is as it was.
    "test_types::fails_after_writing": {"": Case(lambda x: (types.fails_after_writing(y := x * 1), y)[1], fails="after writing")},
    "test_made::copy_and_fill_": writes(made.copy_and_fill_, lambda n: (*two(n), plain(n))),
    "test_parallel::normalise_": writes(parallel.normalise_),
    "test_parallel::number_chunks_": writes(lambda x: parallel.number_chunks_(x, 3)),
    "test_views::add_": writes(lambda x: views.add_(x, 2.0)),
    "test_views::swap_": writes(views.swap_, two),
    "test_views::writes_while_python_works": writes(views.writes_while_python_works, two),
    "test_methods::in_place": {
        f"{which}, {how}": case
        for which in ("+=", "-=", "*=", "/=", "+= owned", "+= number", "-= number", "*= number", "/= number", "zero_")
        for how, case in writes(lambda x, y, which=which: methods.in_place(which, x, y), two).items()
    },
    "test_matrix::writes_tensor": writes(lambda x: matrix.writes_tensor(x, 5)),
    "test_matrix::writes_tensor_opt": writes(lambda x, y: matrix.writes_tensor_opt(x, y, 5), two)
    | {"none": Case(lambda x: (matrix.writes_tensor_opt(x, None, 5), x + 1)[1])},
}
