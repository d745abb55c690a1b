"""What a class can have: defaults, keywords, properties, static methods, handles, documentation, Python's operators."""

import pytest
import torch

from conftest import raised

classes, ops = torch.classes.test_ops, torch.ops.test_ops


def items(bag):
    return [bag[i] for i in range(len(bag))]


def test_constructor_defaults_and_keywords():
    for made, expected in (
        (classes.Tally(), (0, 1, "tally")),
        (classes.Tally(5), (5, 1, "tally")),
        (classes.Tally(label="x", count=2), (2, 1, "x")),
        (classes.Tally(1, step=3), (1, 3, "tally")),
    ):
        assert (made.count, made.step, made.label) == expected
    assert raised(lambda: classes.Tally(step=0)) == ("ValueError", "step must not be 0")
    for wrong in (lambda: classes.Tally(nothing=1), lambda: classes.Tally(1, 2, "a", 4), lambda: classes.Tally("a")):
        assert raised(wrong)[0] == "RuntimeError"


def test_properties():
    tally = classes.Tally(1, 2)
    tally.count = 7
    tally.label = "new"
    assert (tally.count, tally.label, tally.add()) == (7, "new", 9)
    for wrong in (lambda: setattr(tally, "step", 3), lambda: setattr(tally, "no_such", 3), lambda: setattr(tally, "count", "x")):
        assert raised(wrong)[0] in ("RuntimeError", "AttributeError", "TypeError")
    assert tally.step == 2 and tally.count == 9
    kind, text = raised(lambda: setattr(tally, "label", ""))
    assert (kind, text) == ("ValueError", "a label must not be empty")


def test_method_keywords_and_defaults():
    tally = classes.Tally(0, 2)
    assert [tally.add(), tally.add(3), tally.add(times=1)] == [2, 8, 10]


def test_static_methods():
    bag = classes.Bag.filled(3)
    assert items(bag) == [3, 3] and items(classes.Bag.filled(1, count=3)) == [1, 1, 1]
    assert raised(lambda: classes.Bag.filled(1, -1)) == ("ValueError", "count must not be negative, got -1")
    assert classes.Bag.total([bag, bag, classes.Bag([5])]) == 17 and classes.Bag.total([]) == 0
    with pytest.raises(AttributeError):
        classes.Bag.no_such
    kind, text = raised(lambda: classes.Bag.identity(torch.ones(2)))
    assert kind == "RuntimeError" and "shares its memory" in text


def test_objects_as_results():
    bag = classes.Bag([1, 2])
    assert items(bag.doubled()) == [2, 4] and items(bag.doubled().doubled()) == [4, 8]
    others, count = bag.both(classes.Bag([9]))
    assert [items(other) for other in others] == [[9], [2, 4]] and count == 2
    longer = classes.Bag([1, 2, 3])
    assert bag.longest([classes.Bag([1]), longer])._type() == longer._type()
    assert items(bag.longest([longer])) == [1, 2, 3] and bag.longest([]) is None
    assert bag.tally().count == 3


def test_an_object_is_the_same_one():
    """A handle that comes back is the object that went in."""
    a, b = classes.Tally(1), classes.Tally(2)
    best = ops.further([a, b])
    best.add()
    assert b.count == 3
    assert classes.Bag([1, 2]).bump(b) == 5 and b.count == 5


def test_operators_with_objects():
    a, b = classes.Tally(1), classes.Tally(2)
    assert ops.tallied(a, None) == 1 and ops.tallied(a, b) == 3 and ops.tallied(b, b) == 4
    assert ops.new_tally(4).add() == 5
    assert ops.tally_round_trip(7) == 15
    assert raised(lambda: ops.further([])) == ("ValueError", "no tallies")
    for wrong in (classes.Bag([]), classes.Scale(1.0), 3, None):
        assert raised(lambda: ops.tallied(wrong, None))[0] in ("RuntimeError", "TypeError")


def test_what_cannot_be_changed_says_so():
    kind, text = raised(lambda: classes.Bag([1]).change(classes.Bag([2])))
    assert kind == "RuntimeError" and "`test_ops::Bag` objects cannot be changed" in text


def test_documentation():
    assert classes.Tally.__doc__.startswith("Counts. Every way to change it is here.\n\nDefined at tests/ops/src/changing.rs:")


def test_what_python_calls():
    a, b = classes.Bag([1, 2]), classes.Bag([1, 2])
    other = classes.Bag([0])
    assert len(a) == 2 and a[-1] == 2 and 2 in a and 5 not in a and list(iter(a)) == [1, 2]
    assert a == b and not a == other and a != other and not a != b and other < a
    assert items(a + other) == [1, 2, 0] and items(-a) == [-1, -2]
    assert str(a) == "a bag of 2" and repr(a) == "Bag([1, 2])"
    assert bool(a) and not bool(classes.Bag([]))
    assert raised(lambda: a[2]) == ("IndexError", "index 2 of 2 items")
    assert hash(a) == hash(a) and hash(a) != hash(b), "torch's: by identity"
    assert a in [other, b]


def test_what_python_calls_and_the_class_lacks():
    """Torch's own texts."""
    scale = classes.Scale(2.0)
    for call in (lambda: scale == scale, lambda: scale != scale, lambda: len(scale), lambda: scale[0], lambda: scale + scale, lambda: 1 in scale):
        kind, text = raised(call)
        assert kind == "NotImplementedError" and "is not implemented for __torch__.torch.classes.test_ops.Scale" in text
    assert isinstance(hash(scale), int) and "ScriptObject" in str(scale)


def test_the_known_names_are_torchs():
    """The list in torchop-macros, against torch."""
    import re

    from conftest import REPO

    text = (REPO / "torchop-macros/src/class/dunder.rs").read_text()
    known = set(re.findall(r'\("(__\w+__)", \d\)', text))
    own = {
        "__copy__", "__deepcopy__", "__doc__", "__getattr__", "__getstate__", "__hash__", "__init__", "__module__",
        "__setattr__", "__setstate__",
    }  # fmt: skip
    assert known == {name for name in vars(torch.ScriptObject) if name.startswith("__")} - own
