"""Dictionaries, tuples, objects, and types of the author's own (types_compound.rs)."""

import copy
import pickle

import pytest
import torch

ops = torch.ops.test_types
Scale = torch.classes.test_types.Scale


def test_dictionaries():
    assert ops.dict({"a": 1, "ü": -5}) == {"a": 2, "ü": -4}
    assert ops.dict({}) == {}
    assert ops.dict_order({"b": 1, "a": 2, "c": 0}) == ["b", "a", "c"]
    assert (ops.dict_get({"a": 5}, "a"), ops.dict_get({"a": 5}, "b")) == (5, None)
    assert list(ops.dict_sorted({3: [1.5], 1: [], 2: [0.0, 2.0]}).items()) == [(1, []), (2, [0.0, 2.0]), (3, [1.5])]
    assert ops.dict_opt(None) is None and ops.dict_opt() is None and ops.dict_opt({"x": True}) == {"x": True}
    many = {str(i): i for i in range(1000)}
    assert ops.dict(many) == {key: value + 1 for key, value in many.items()}


def test_a_dictionary_of_tensors():
    x = torch.randn(3)
    result = ops.dict_tensors({"x": x, "empty": torch.empty(0)})
    assert torch.equal(result["x"], x) and result["x"].data_ptr() != x.data_ptr() and result["empty"].numel() == 0


def test_tuples():
    assert ops.pair((1, "x")) == ("x", 1)
    assert ops.pairs([(1, 2.5), (2, 0.5)]) == [(2.5, 1), (0.5, 2)]
    assert ops.pairs([]) == []
    assert ops.nested((1, (True, None), [0.5])) == ((1, (True, None), [0.5]), 7)
    assert ops.nested((1, (False, "s"), [])) == ((1, (False, "s"), []), 7)
    assert ops.dtype_in_tuple((torch.float16, 3)) == "Float16 3"


def test_objects():
    scale = Scale(3.0)
    assert ops.scaled(scale, 2.0) == 6.0
    assert ops.scaled_opt() == 1.0 and ops.scaled_opt(scale, 2.0) == 6.0 and ops.scaled_opt(None, 2.0) == 2.0
    assert ops.scaled_all([scale, Scale(5.0), scale], 1.0) == 45.0 and ops.scaled_all([], 1.0) == 1.0


def test_an_enum_is_a_word():
    for word in ("down", "half_up", "none"):
        assert ops.rounding(word) == word
    assert ops.rounding() == "down"
    assert ops.roundings(["none", "down"], "half_up") == (["none", "down"], "half_up")
    assert ops.roundings([]) == ([], None)


@pytest.mark.parametrize("word", ["up", "", "Down", "down ", "half-up", "Größe\n"])
def test_another_word_is_an_error_that_lists_them(word):
    shown = word.replace("\n", "\\n")
    with pytest.raises(ValueError) as raised:
        ops.rounding(word)
    expected = f"test_types::rounding: argument 'v' (position 0): expected one of 'down', 'half_up', 'none', got '{shown}'"
    assert str(raised.value).split("\nException raised")[0] == expected
    with pytest.raises(ValueError, match=r"argument 'v' \(position 0\): element 1: expected one of"):
        ops.roundings(["down", word])
    with pytest.raises(ValueError, match=r"argument 'w' \(position 1\): expected one of"):
        ops.roundings([], word)


def test_a_struct_is_a_tuple():
    assert ops.window((1, None, "down")) == (2, None, "down")
    assert ops.window((1, 5, "none")) == (2, 5, "none")
    with pytest.raises(ValueError, match=r"argument 'v' \(position 0\): field `rounding`: expected one of 'down', .* got 'up'"):
        ops.window((1, 2, "up"))


def test_a_struct_borrows_or_owns():
    a, b = torch.ones(2), torch.zeros(3)
    (kept,) = ops.weighted(a, [(a, 1.0), (b, -1.0)])
    assert torch.equal(kept, a)
    x, name = ops.named(a, (b, "n"))
    assert torch.equal(x, b) and name == "n!"


def test_objects_have_defaults():
    assert (Scale().apply(), Scale().mode) == (5.0, "half_up")
    assert Scale(3.0, "none").apply(v=2.0, list=[5]) == 11.0
    assert Scale(3.0).apply(list=[]) == 3.0
    assert Scale(1.0, "down", (1, None, "none")).mode == "down"
    assert Scale(1.0, "down").window({"start": 1, "length": 3}) == (1, 3, "down") and Scale().window({}) is None


def test_an_error_names_the_argument_of_the_constructor():
    with pytest.raises(ValueError, match=r"^test_types::Scale.new: argument 'mode' \(position 1\): expected one of"):
        Scale(1.0, "up")
    with pytest.raises(ValueError, match=r"argument 'window' \(position 2\): field `rounding`: expected one of"):
        Scale(1.0, "down", (1, None, "up"))


def test_an_enum_is_state():
    for other in (copy.deepcopy(Scale(1.0, "none")), pickle.loads(pickle.dumps(Scale(1.0, "none")))):
        assert other.mode == "none"


def test_rust_calls_with_own_types():
    said = ops.calls_compound(torch.ones(2))
    assert said.startswith("Window { start: 2, length: None, rounding: Off } n! 1 {1: [], 3: [0.5]} HalfUp")
    assert "a `test_types::Scale` object cannot be passed from Rust to torch's dispatcher" in said


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.adder = torch.classes.test_types.Adder()

    def forward(self, x):
        a = self.adder.forward(x)
        b = self.adder.forward(x, 3.0)
        return a, b, self.adder.forward(x, 4.0, "none")


def test_defaults_of_methods_hold_while_torch_traces():
    x, model = torch.zeros(2), Model()
    expected = [[3, 3], [4, 4], [105, 105]]
    assert [y.tolist() for y in model(x)] == expected
    assert [y.tolist() for y in torch.compile(model, backend="aot_eager", fullgraph=True)(x)] == expected
    program = torch.export.export(model, (x,), strict=False)
    assert [y.tolist() for y in program.module()(x)] == expected


def test_arguments_of_methods_by_name_while_torch_traces():
    adder = torch.classes.test_types.Adder(0.5)
    # Not called `mode`: torch's own function behind such calls has an argument of that name.
    fn = lambda adder, x: adder.forward(x, rounding="none") + adder.forward(more=1.0, x=x)
    expected = fn(adder, torch.zeros(2))
    assert torch.equal(torch.compile(fn, backend="aot_eager", fullgraph=True)(adder, torch.zeros(2)), expected)


@pytest.mark.parametrize("call", [lambda x: ops.dict_tensors({"x": x})["x"], lambda x: ops.named(torch.zeros(1), (x, "n"))[0]])
def test_a_gradient_through_a_dictionary_or_tuple_is_refused_not_lost(call):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match="a tensor inside argument .* requires grad"):
        call(x)
    with torch.no_grad():
        assert torch.equal(call(x), call(x.detach()))


def junk():
    """Allocations of many sizes, to take over memory that was freed."""
    return [(torch.full((7, 7, 7), 1.0), "Z" * n) for n in range(2000)]


@pytest.fixture
def while_called():
    """Sets what runs inside the operators `…_across_call`."""
    work = []

    def kernel(x):
        work[-1]()
        junk()
        return x.clone()

    library = torch.library.Library("test_types", "IMPL")
    library.impl("call_back", kernel, "CPU")
    yield work.append
    library._destroy()


def emptied(container):
    while len(container):
        del container[next(iter(container)) if hasattr(container, "keys") else 0]


@pytest.mark.parametrize("name, make, expected", [
    ("list", lambda: [torch.randn(3, 4) for _ in range(64)], "64 [3, 4] Some([3, 4])"),
    ("slice", lambda: [torch.randn(3, 4) for _ in range(64)], [3, 4]),
    ("strs", lambda: [c * 100 for c in "abc"], "a" * 100 + "b" * 100 + "c" * 100),
    ("ints", lambda: [1, 2, 3], [1, 2, 3]),
    ("nested", lambda: [["a" * 100], ["b" * 100]], "a" * 100 + "b" * 100),
    ("dict", lambda: {"k" * 100: torch.randn(3, 4)}, "k" * 100 + "[3, 4]"),
])
def test_containers_that_python_writes_to_during_the_call(while_called, name, make, expected):
    """TorchScript's containers are not copied when they are passed; what Rust borrows from them must stay."""
    container = torch.jit.script(make())
    while_called(lambda: emptied(container))
    op = getattr(torch.ops.test_types, f"{name}_across_call")
    assert op(torch.ones(2), container) == expected
    assert len(container) == 0


def test_a_list_inside_a_list_that_python_writes_to(while_called):
    inner = torch.jit.script(["a" * 100])
    while_called(lambda: emptied(inner))
    assert torch.ops.test_types.nested_across_call(torch.ones(2), [inner, ["b"]]) == "a" * 100 + "b"
