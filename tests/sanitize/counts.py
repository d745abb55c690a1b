"""Reference counts are exact after success, error and panic: of tensors, of their memory, and of Rust objects.

    python counts.py libidentity_conv_ops.so libtorchop_sanitize_ops.so
"""

import copy
import gc
import pickle
import sys
import weakref

import numpy
import torch

ROUNDS = 10


def count(x):
    """References to the tensor in C++, to its memory, and to its Python object."""
    return x._use_count(), torch._C._storage_Use_Count(x.untyped_storage()._cdata), sys.getrefcount(x)


def outcome_of(call, *args):
    try:
        call(*args)
    except (ValueError, RuntimeError) as error:
        return "panic" if "panicked" in str(error) else "error"
    return "success"


def unchanged(expected, call, make=lambda: torch.randn(4)):
    """`call(x)` ends as expected, and leaves the counts of x and of what is behind it as they were."""
    x = make()
    before, alive = count(x), torch.ops.torchop_sanitize.alive()
    for _ in range(ROUNDS):
        outcome = outcome_of(call, x)
        assert outcome == expected, f"{expected} was expected, not {outcome}"
    gc.collect()
    assert count(x) == before, f"{expected}: {before} before, {count(x)} after"
    assert torch.ops.torchop_sanitize.alive() == alive, f"{expected}: {alive} objects before"


def freed(expected, call):
    """The memory behind x is given back as soon as Python lets go of it, and no earlier."""
    array = numpy.ones(4, dtype=numpy.float32)
    watched = weakref.ref(array)
    x = torch.from_numpy(array)
    del array
    assert outcome_of(call, x) == expected
    assert watched() is not None and x.sum() == 4
    del x
    assert watched() is None, f"{expected}: somebody keeps the memory"


def fresh_results():
    """A result belongs to the caller alone."""
    example, ours, x = torch.ops.my_ops, torch.ops.torchop_sanitize, torch.randn(4)
    alone = count(torch.randn(4))[:2]
    total, scaled, _, _ = ours.arguments(x, [x], x, "", [], [1.0, 2.0], [])
    forward = torch.classes.my_ops.IdentityConvClass(4).forward(x[None])
    for result in (example.identity_conv_op(x), ours.scale(x, 2.0), forward, total, *scaled):
        assert count(result)[:2] == alone, f"{count(result)[:2]}, a new tensor has {alone}"


def changed_objects():
    """What a method puts into an object is kept once; what it takes out is let go of; copies share what the object shares."""
    Changing, x, y = torch.classes.torchop_sanitize.Changing, torch.randn(4), torch.randn(4)
    before, other = count(x), count(y)
    thing = Changing(x)
    assert x._use_count() == before[0] + 2
    for _ in range(ROUNDS):
        thing.exchange(y, "success")
        assert (x._use_count(), y._use_count()) == (before[0] + 1, other[0] + 1)
        thing.count = 3
        assert (x._use_count(), y._use_count()) == (before[0], other[0] + 4)
        thing.held = x
        thing.count = 1
        assert (x._use_count(), y._use_count()) == (before[0] + 2, other[0])
        again = thing.choose(thing, False)
        assert x._use_count() == before[0] + 2
        new = thing.choose(again, True)
        assert x._use_count() == before[0] + 3
        for copied in (copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
            state = dict(copied.__obj_flatten__())
            (part,) = state["others"]
            assert part.data_ptr() == state["held"].data_ptr() != x.data_ptr()
        del again, new, copied, state, part
        assert x._use_count() == before[0] + 2
    assert outcome_of(thing.exchange, y, "panic") == "panic" and outcome_of(thing.exchange, y, "success") == "panic"  # broken
    del thing
    gc.collect()
    assert (count(x), count(y)) == (before, other)


def objects():
    """Each Rust object is dropped once: with the last reference, or when its constructor fails."""
    Counted, alive, x = torch.classes.torchop_sanitize.Counted, torch.ops.torchop_sanitize.alive, torch.randn(4)
    before = count(x)
    made = [Counted(x, "success") for _ in range(ROUNDS)]
    assert alive() == ROUNDS and x._use_count() == before[0] + ROUNDS
    again = made[0]
    del made
    assert alive() == 1 and x._use_count() == before[0] + 1
    assert outcome_of(again._get_method("__init__"), x, "success") == "error" and alive() == 1  # initialised once
    assert outcome_of(again.add, x, "panic") == "panic" and torch.equal(again.add(x, "success"), x + x)
    del again
    assert alive() == 0 and count(x) == before


def main(*libraries):
    for library in libraries:
        torch.ops.load_library(library)
    example, ours = torch.ops.my_ops, torch.ops.torchop_sanitize
    Conv = torch.classes.my_ops.IdentityConvClass
    Counted, Stateful = torch.classes.torchop_sanitize.Counted, torch.classes.torchop_sanitize.Stateful
    Changing, BadEnd = torch.classes.torchop_sanitize.Changing, torch.classes.torchop_sanitize.BadEnd
    other = torch.randn(4)
    calls = [
        ("success", example.identity_conv_op),
        ("success", lambda x: ours.arguments(x, [x, x], x, "text", [1], [2.0], ["word"])),
        ("success", lambda x: ours.scale(x, 2.0)),
        ("success", lambda x: Conv(4).forward(x[None])),
        ("success", lambda x: Counted(other, "success").add(x, "success")),
        ("success", lambda x: Stateful(x, [x], "name", []).__obj_flatten__()),
        ("success", lambda x: Changing(other).exchange(x, "success")),
        ("success", lambda x: setattr(Changing(other), "held", x)),
        ("success", lambda x: setattr(Changing(x), "count", 5)),
        ("success", lambda x: Changing.holding(x, "success")),
        ("success", lambda x: Changing(x).choose(Changing(x), True)),
        ("success", lambda x: ours.longest([Changing(x), Changing(other)]).clear(Changing(x))),
        ("success", lambda x: pickle.loads(pickle.dumps(Changing(x)))),
        ("success", lambda x: copy.deepcopy(Changing(x))),
        ("success", lambda x: BadEnd(x)),
        ("success", lambda x: ours._backward_times_held(ours._held_times_held(Counted(x, "success"), x), x, x)),
        ("error", lambda x: Changing(x, "error")),
        ("error", lambda x: Changing(other).exchange(x, "error")),
        ("error", lambda x: setattr(Changing(x), "count", -1)),
        ("error", lambda x: Changing.holding(x, "error")),
        ("error", lambda x: ours.longest([])),
        ("error", lambda x: [thing.clear(thing) for thing in [Changing(x)]]),
        ("panic", lambda x: Changing(x, "panic")),
        ("panic", lambda x: Changing(other).exchange(x, "panic")),
        ("error", lambda x: ours.scale(x, "two")),
        ("error", ours.fail),
        ("error", ours.fail_in_torch),
        ("error", ours.alias),
        ("error", lambda x: Conv(3).forward(x)),
        ("error", lambda x: Counted(x, "error")),
        ("error", lambda x: Counted(other, "success").add(x, "error")),
        ("panic", ours.panics),
        ("panic", lambda x: Counted(x, "panic")),
        ("panic", lambda x: Counted(other, "success").add(x, "panic")),
    ]
    for expected, call in calls:
        unchanged(expected, call)
        freed(expected, call)

    def leaf():
        x = torch.randn(4, requires_grad=True)
        x.grad = torch.zeros(4)  # accumulated in place from now on
        x.sum().backward()
        return x

    graphs = [
        ("success", lambda x: example.identity_conv_op(x).sum().backward()),
        ("success", lambda x: ours.scale(x, 2.0).sum().backward()),
        ("success", lambda x: ours.scale(x, 2.0)),
        ("success", lambda x: ours.times_held(Counted(other, "success"), x).sum().backward()),
        ("success", lambda x: ours.times_held(Counted(x.detach(), "success"), x)),
        ("error", lambda x: ours.bad_backward(x, False).sum().backward()),
        ("panic", lambda x: ours.bad_backward(x, True).sum().backward()),
    ]
    for expected, call in graphs:
        unchanged(expected, call, leaf)
        freed(expected, lambda x, call=call: call(x.requires_grad_()))
    fresh_results()
    objects()
    changed_objects()
    print(f"- reference counts are exact in {len(calls)} calls and {len(graphs)} graphs: success, error, panic")


if __name__ == "__main__":
    main(*sys.argv[1:])
