"""Operators with an effect: what they wrote down is compared as well. Before 2.15 torch puts them between graphs."""

import torch

from conftest import TORCH
from one_compile.case import Case, plain

ops = torch.ops.test_effects
BREAKS = "" if TORCH >= (2, 15) else "effect"


def rows(n):
    return (torch.full((n,), float(n)),)


def of(run, inputs=lambda n: (plain(n),), **options):
    return {"": Case(run, inputs, **{"breaks": BREAKS, "seen": ops.taken} | options)}


def scale():
    return torch.classes.test_ops.Scale(1.5)


CASES = {
    # What gives nothing has an effect.
    "test_ops::nothing": of(lambda x: (torch.ops.test_ops.nothing(x), x + 1)[1]),
    "test_types::inferred_nothing": of(lambda x: (torch.ops.test_types.inferred_nothing(), x + 1)[1]),
    "test_views::forgets": of(lambda x: (torch.ops.test_views.forgets(x), x + 1)[1]),
    "test_effects::note": of(lambda x: (ops.note(x, 1), x + 1)[1]),
    "test_effects::number": of(lambda x: (ops.number(1), x + 1)[1]),
    "test_effects::note_rows": of(lambda x: (ops.note_rows(x), x + 1)[1]),
    "test_effects::note_scale": of(lambda s, x: (ops.note_scale(s, x, 1), x + 1)[1], lambda n: (scale(), plain(n))),
    "test_effects::tick": of(lambda x: ops.tick(x, 1)),
    "test_effects::tick.scaled": of(lambda x: ops.tick.scaled(x, 1, 2.0)),
    "test_effects::tick_rows": of(lambda x: ops.tick_rows(x, 1), rows),
    "test_effects::tick_scale": of(lambda s, x: ops.tick_scale(s, x, 1), lambda n: (scale(), plain(n))),
    "test_effects::tick_both": of(lambda x: ops.tick_both(x, 1)),
    "test_effects::tick_both_backward": of(lambda x: ops.tick_both_backward(x, 1)),
    "test_effects::count": of(lambda x: x + ops.count(x), breaks="returned non-Tensor", no_export="which an exported program would keep"),
}
