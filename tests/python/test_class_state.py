"""What of an object is pickled and copied: values, memory that is shared, older versions, and classes that are not."""

import copy
import os
import pickle
import tempfile

import pytest
import torch

from conftest import raised
from test_classes import roads, through_cpp_pickler, through_pickle, through_torch_save

classes = torch.classes.test_ops
NAME = "__torch__.torch.classes.test_ops."


def through_state(state, name):
    """An object of the class from a state, as `pickle.load` makes it."""
    fresh = torch.ScriptObject.__new__(torch.ScriptObject)
    fresh.__setstate__((state, NAME + name))
    return fresh


def storage(t):
    return t.untyped_storage().data_ptr()


keeps_sharing = pytest.mark.parametrize("road", [copy.deepcopy, through_torch_save, through_cpp_pickler])


@keeps_sharing
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.complex64, torch.uint8, torch.bool])
def test_memory_that_is_shared_stays_shared_and_is_not_the_originals(road, dtype):
    base = torch.arange(12).to(dtype)
    whole = base[2:10].view(2, 4).t()[1:]
    thing = classes.Tied(whole)
    other = road(thing)
    for mine, theirs in zip([thing.whole, thing.part, *thing.list], [other.whole, other.part, *other.list]):
        assert torch.equal(mine, theirs) and mine.dtype == theirs.dtype
        assert mine.stride() == theirs.stride() and mine.storage_offset() == theirs.storage_offset()
        assert storage(theirs) == storage(other.whole) != storage(whole)
    other.whole.zero_()
    assert not other.whole.any() and torch.equal(thing.whole, whole) and torch.equal(base, torch.arange(12).to(dtype))


@keeps_sharing
def test_conjugates_negatives_and_leaves(road):
    x = torch.randn(4, dtype=torch.complex64)
    for w in (x.conj(), x.conj().imag, torch.ones(3, requires_grad=True), torch.empty(0, 3), torch.tensor(2.0)):
        other = road(classes.Holder(w))
        assert torch.equal(other.weight, w) and other.weight.requires_grad == w.requires_grad
        assert other.weight.is_leaf and storage(other.weight) != storage(w) or not w.numel()


def test_a_sparse_tensor():
    w = torch.eye(3).to_sparse()
    assert torch.equal(copy.deepcopy(classes.Holder(w)).weight.to_dense(), w.to_dense())


@keeps_sharing
def test_two_objects_that_share(road):
    w = torch.ones(4)
    a, b = road([classes.Holder(w), classes.Holder(w)])
    assert torch.equal(a.weight, w) and torch.equal(b.weight, w)
    # A file knows all storages in it, as for torch's own tensors; a copy of an object knows only its own.
    assert (storage(a.weight) == storage(b.weight)) == (road is not copy.deepcopy)


def test_a_file_holds_shared_memory_once(tmp_path):
    w = torch.rand(1 << 16)
    torch.save({"w": w, "a": classes.Holder(w), "b": classes.Holder(w)}, tmp_path / "x.pt")
    assert os.path.getsize(tmp_path / "x.pt") < 1.5 * w.nbytes


@roads
@pytest.mark.parametrize("size", [0, 1, 3])
def test_fields_in_fields(road, size):
    thing = classes.Compound(size, torch.arange(3.0))
    other, x = road(thing), torch.ones(3)
    assert other.describe() == thing.describe()
    expected = x + size * sum((torch.arange(3.0) * n for n in range(size)), torch.zeros(3))
    torch.testing.assert_close(other.forward(x), expected)


@roads
def test_state_by_functions(road):
    w = torch.tensor([0.5, 2.0])
    for text in ("", "abc", "naïve"):
        thing = classes.Custom(text, w)
        other = road(thing)
        assert other.text() == text and torch.equal(other.weight, w)
        assert torch.equal(other.forward(w), w ** (1 + len(text.encode())))
        other.weight.zero_()
        assert torch.equal(thing.weight, w) and w.all()


def test_what_the_functions_wrote():
    w = torch.rand(2)
    state = classes.Custom("ab", w).__getstate__()[0]
    assert state[0] == ("bytes", [97, 98]) and state[1][0] == "rest" and state[1][1][1] == ()
    assert state[1][1][0] is w


def renamed(thing, name):
    """Pickled as if its class had another name of the same length."""
    data = pickle.dumps(thing)
    old = thing._type().name().encode()
    assert len(old) == len(name) and data.count(old) == 1
    return data.replace(old, name.encode())


def test_older_versions_are_read_by_functions():
    w = torch.rand(3)
    assert classes.Model2(w, 4.0).__getstate__()[0][0] == ("#version", 2)
    for old, origin in ((classes.Model1(w), (1, 1.0)), (classes.Model2(w, 4.0), (2, 2.0)), (classes.Model3(w, 4.0), (3, 4.0))):
        new = pickle.loads(renamed(old, "Model3"))
        assert new.origin() == origin or origin == (3, 4.0) and new.origin() == (3, 4.0)
        assert torch.equal(new.weight, w)
    # And what is written now is of the present version.
    assert copy.deepcopy(pickle.loads(renamed(classes.Model1(w), "Model3"))).__getstate__()[0][0] == ("#version", 3)


def test_a_function_for_an_older_version_may_refuse():
    state = (("w", torch.ones(1)), ("names", ["a"]))
    kind, text = raised(lambda: through_state(state, "Model3"))
    assert kind == "ValueError" and "names are gone" in text


@pytest.mark.parametrize("old, name, message", [
    (lambda w: classes.Model3(w, 1.0), "Model1", r"Model1.__setstate__: found a state of version 3, newer than the class's version 1"),
    (lambda w: classes.Model1(w), "Model2", r"Model2.__setstate__: found a state of version 1, the class has version 2: write `#\[upgrade\(1\)\]"),
])
def test_versions_that_nobody_reads(old, name, message):
    data = renamed(old(torch.ones(1)), name)
    with pytest.raises(ValueError, match=message):
        pickle.loads(data)


@pytest.mark.parametrize("state, name, message", [
    ((), "Scale", r"Scale.__setstate__: found no `factor` in a state of version 1; if the class has changed, give it "
                  r"`#\[torch_class\(…, version = 2\)\]` and read the older state by a function marked `#\[upgrade\(1\)\]`"),
    ((("factor", 2.0), ("x", 1)), "Scale", r"Scale.__setstate__: found `x` in a state of version 1, which the class has not.*version = 2"),
    ((("other", 2.0),), "Scale", r"Scale.__setstate__: found no `factor`"),
    ((("w", torch.ones(1)),), "Model3", r"Model3.__setstate__: found no `names` in a state of version 1, which its `#\[upgrade\(1\)\]` takes"),
])
def test_entries_that_are_missing_or_unknown(state, name, message):
    with pytest.raises(ValueError, match=message):
        through_state(state, name)


@pytest.mark.parametrize("state", [(("factor", "x"),), (("factor", None),), (("factor", (1.0,)),)])
def test_an_entry_of_another_type(state):
    with pytest.raises(TypeError, match=r"test_ops::Scale: field `factor`: expected a float"):
        through_state(state, "Scale")


@pytest.mark.parametrize("state", [(("named", ((1, 2, 3),)),), (3,), ((3, 4),), ((("factor",), 2.0),), (("#version", "x"),), (("#version", 1 << 40),), (("#version", -1),)])
def test_nonsense_is_an_error(state):
    for name in ("Scale", "Model3", "Compound"):
        kind, text = raised(lambda: through_state(state, name))
        assert kind in ("ValueError", "TypeError") and f"test_ops::{name}" in text


def test_the_order_of_entries_does_not_matter():
    state = classes.Model3(torch.ones(2), 5.0).__getstate__()[0]
    assert through_state(tuple(reversed(state)), "Model3").origin() == (3, 5.0)


@roads
def test_a_class_that_is_not_pickled_says_which_attribute_to_add(road):
    thing = classes.Counted("")
    kind, text = raised(lambda: road(thing))
    assert kind == "RuntimeError"
    assert "test_ops::Counted cannot be pickled or copied: add `pickle` to `#[torch_class(name = …)]`" in text and "classes.rs:" in text


def huge(bytes, folder):
    w = torch.zeros(bytes, dtype=torch.uint8)
    w[-1], w[bytes // 2] = 7, 9
    path = os.path.join(folder, "x.pt")
    torch.save(classes.Holder(w), path)
    size = os.path.getsize(path)
    del w
    w = torch.load(path, weights_only=False).weight
    assert (w.numel(), w.dtype, w[-1].item(), w[bytes // 2].item(), w.count_nonzero().item()) == (bytes, torch.uint8, 7, 9, 2)
    assert bytes <= size < bytes + 10_000


def test_a_state_of_megabytes(tmp_path):
    huge((1 << 24) + 3, tmp_path)


@pytest.mark.skipif("TORCHOP_BIG_TESTS" not in os.environ, reason="needs 5 GB of memory and of disk: set TORCHOP_BIG_TESTS")
def test_a_state_of_more_than_two_gigabytes():
    with tempfile.TemporaryDirectory() as folder:
        huge((1 << 31) + (1 << 20), folder)
