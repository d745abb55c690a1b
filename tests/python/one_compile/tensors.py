"""Operators that take tensors and numbers and give tensors, also random ones and those that are backwards of others."""

import torch

from one_compile.case import Case, plain

ops, sharding, aten = torch.ops.test_ops, torch.ops.test_sharding, torch.ops.test_aten


def two(n):
    return plain(n), plain(n)


def product(n):
    return plain(n), torch.rand(4, n)


def spread(x, y):
    z, n = ops.spread(x, [y.shape[0], y.shape[1] + 1])
    return z + n


CASES = {
    "test_ops::pieces": {
        "a number": Case(ops.pieces, lambda n: (plain(n), 4)),
        "a size": Case(lambda x, y: ops.pieces(x, y.shape[0]), lambda n: (plain(7), torch.rand(n))),
    },
    "test_ops::head": {
        "a number": Case(ops.head, lambda n: (torch.rand(n, 6, 7), 3)),
        "a size": Case(lambda x, y: ops.head(x, y.shape[0]), lambda n: (torch.rand(2 * n, 7), torch.rand(n))),
    },
    "test_ops::doubled_if": {
        "doubled": Case(lambda x: ops.doubled_if(x, True)),
        "not doubled": Case(lambda x: ops.doubled_if(x, False)),
    },
    "test_ops::scaled_by": {"a number": Case(lambda x: ops.scaled_by(x, 2.5))},
    "test_ops::product": {"two": Case(ops.product, two), "one twice": Case(lambda x: ops.product(x, x))},
    "test_ops::affine": {
        "a bias": Case(lambda x, b: ops.affine(x, b, 2.0, 2), two),
        "none": Case(lambda x: ops.affine(x, None, -2.0)),
    },
    "test_ops::two_optional": {
        "the second": Case(lambda x, a: ops.two_optional(x, None, a), two),
        "both": Case(lambda x, a: ops.two_optional(x, a, a), two),
        "none": Case(lambda x: ops.two_optional(x, None, None)),
    },
    "test_ops::two_results": {"both": Case(ops.two_results)},
    "test_ops::two_results_lazily": {"both": Case(ops.two_results_lazily)},
    "test_ops::exponential": {"": Case(ops.exponential)},
    "test_ops::sum_list": {"two": Case(lambda x, y: ops.sum_list([x, y], [1.0, 2.0]), two)},
    "test_ops::sum_lists": {"one each": Case(lambda x, y: ops.sum_lists([x], [y]), two)},
    "test_ops::sum_optional_list": {"one missing": Case(lambda x: ops.sum_optional_list([x, None]))},
    "test_ops::no_backward": {"": Case(ops.no_backward)},
    "test_ops::keyed": {"": Case(lambda x: ops.keyed(x, "a", [1], True))},
    "test_ops::matmul": {"": Case(ops.matmul, product)},
    "test_ops::rows": {
        "a number": Case(lambda x: ops.rows(x, 3)),
        "a size": Case(lambda x, y: ops.rows(x, y.shape[0]), lambda n: (torch.rand(2), torch.rand(n, 2))),
    },
    "test_ops::rows_int": {"a number": Case(lambda x: ops.rows_int(x, 3))},
    "test_ops::spread": {"sizes": Case(spread, lambda n: (torch.tensor(2.0), torch.rand(n, n + 30)))},
    "test_ops::cube": {"": Case(ops.cube)},
    "test_ops::sum_rows": {"": Case(ops.sum_rows)},
    "test_ops::apply_matrix": {"": Case(ops.apply_matrix, lambda n: (plain(n), torch.rand(4)))},
    "test_ops::mixture": {"all": Case(lambda x, y: ops.mixture(x, [y], 2.0)[:2], two), "no list": Case(lambda x: ops.mixture(x, [], 2.0)[0])},
    "test_ops::signs": {"": Case(ops.signs)},
    "test_ops::halves": {"both": Case(ops.halves)},
    "test_ops::times_sum": {"": Case(ops.times_sum)},
    "test_ops::times_sum_backward": {"": Case(ops.times_sum_backward, two)},
    "test_ops::weighted": {"": Case(lambda x, w: ops.weighted(x, w, 2.0), two)},
    "test_ops::weighted_backward": {
        needs: Case(lambda g, x, w, needs=needs: ops.weighted_backward(g, x, w, 2.0, needs == "both"), lambda n: (*two(n), plain(n)))
        for needs in ("both", "one")
    },
    "test_ops::mm_low": {"": Case(ops.mm_low, product)},
    "test_ops::mm_high": {"": Case(ops.mm_high, product)},
    "test_ops::mm_region": {"": Case(ops.mm_region, product)},
    "test_ops::mm_plain": {"": Case(ops.mm_plain, product)},
    "test_ops::nonzero_rows": {"": Case(ops.nonzero_rows)},
    "test_ops::where_is.set": {"": Case(ops.where_is.set)},
    "test_ops::where_is_set": {"": Case(ops.where_is_set)},
    "test_ops::split_at": {"both": Case(lambda x: ops.split_at(x, limit=0.5))},
    "test_ops::distinct": {"all": Case(ops.distinct)},
    "test_ops::nms": {"": Case(lambda b, s: ops.nms(b, s, 0.5), lambda n: (plain(n), torch.rand(n)))},
    "test_ops::countdown": {"a size": Case(lambda x: ops.countdown(x.shape[0]) + x, lambda n: (torch.rand(n),))},
    "test_ops::alias": {"": Case(lambda x: ops.alias(x, "view of fresh"))},
    "test_ops::like_input": {"": Case(ops.like_input), "transposed": Case(lambda x: ops.like_input(x.t(), a=2.0))},
    "test_ops::dropout": {"": Case(lambda x: ops.dropout(x, 0.5))},
    "test_ops::own_draw": {"": Case(ops.own_draw)},
    # Asked to fail nowhere.
    "test_ops::fail_at": {"nowhere": Case(lambda x: ops.fail_at(x, "nowhere", "", ""))},
    "test_ops::panic_at": {"nowhere": Case(lambda x: ops.panic_at(x, "nowhere"))},
    # Right about what is contiguous.
    "test_ops::wrong_fake": {"strides of a contiguous one": Case(lambda x: ops.wrong_fake(x, "strides"))},
    "test_sharding::cube": {"": Case(sharding.cube)},
    "test_sharding::cube_backward": {"": Case(sharding.cube_backward, two)},
    "test_sharding::swish_mul": {
        "as large": Case(lambda x, y: sharding.swish_mul(x, y, 0.5, negate=True), two),
        "broadcast": Case(sharding.swish_mul, lambda n: (plain(n), torch.rand(4))),
    },
    "test_sharding::total": {"two": Case(lambda x, y: sharding.total([x, y]), two), "another": Case(lambda x, y: sharding.total([x], y), two)},
    "test_sharding::plus_minus": {"both": Case(sharding.plus_minus, two)},
    "test_sharding::cast": {"": Case(lambda x: sharding.cast(x, torch.float64))},
    "test_sharding::unsaid": {"": Case(sharding.unsaid)},
    "test_aten::projected": {"": Case(aten.projected, product)},
    "test_aten::arithmetic_fake": {"": Case(aten.arithmetic_fake, two)},
}
