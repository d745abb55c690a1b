"""One call that is compiled for several sizes, and how what came of it is compared."""

import dataclasses
import typing

import torch
from torch.utils._pytree import tree_leaves

SIZES = (3, 5, 8, 13, 20)


def plain(n):
    # A width that no size equals: torch takes equal ones for the same.
    return torch.rand(n, 4)


@dataclasses.dataclass
class Case:
    """`run` with the arguments `inputs(n)` for size n."""

    run: typing.Callable
    inputs: typing.Callable = lambda n: (plain(n),)
    # What Dynamo says of the call in a full graph, where it makes the call between two graphs. These are compiled once each.
    breaks: str = ""
    # The same where an input requires grad.
    breaks_with_gradients: str = ""
    # What the call fails with, compiled as well as not.
    fails: str = ""
    # What torch.export says of it, where it refuses it.
    no_export: str = ""
    # What else there is to compare after a call.
    seen: typing.Callable = lambda: None


def outcome(case, call, n):
    """What a call does for size n: its results, its arguments after it, the error's text, what was seen."""
    torch.manual_seed(n)
    args = case.inputs(n)
    case.seen()
    try:
        result = call(*args)
        assert not case.fails, f"no error, but {result!r}"
    except Exception as error:
        if not case.fails or case.fails not in str(error):
            raise
        result = case.fails
    return result, args, case.seen()


def assert_same(ours, theirs):
    ours, theirs = tree_leaves(ours), tree_leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        if isinstance(a, torch.Tensor):
            torch.testing.assert_close(a, b, equal_nan=True)
        elif isinstance(a, torch.ScriptObject):
            assert_same(dict(a.__obj_flatten__()), dict(b.__obj_flatten__()))
        elif isinstance(a, torch.Generator):
            assert torch.equal(a.get_state(), b.get_state())
        else:
            assert a == b or a != a and b != b, (a, b)
