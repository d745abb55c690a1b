"""What cannot be compiled once for all sizes does what is written in one_compile/refused.py; and nothing is in no table."""

import re

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode, UnsupportedOperatorException
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from conftest import TESTS, chain, compiles
from one_compile import CASES, REFUSED, SPECIALIZES, UNTRACED
from one_compile.case import SIZES, assert_same, outcome
from one_compile.checks import Model
from one_compile.composites import NO_TENSOR, NO_TEXT
from one_compile.types import NO_TENSORS

has = torch._C._dispatch_has_kernel_for_dispatch_key
COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")


def operators():
    """Every operator of the test library, from torch's registrations."""
    return [name for name in sorted(torch._C._dispatch_get_all_op_names()) if name.startswith("test_") and f"registered at {TESTS}:" in torch._C._dispatch_dump(name)]


def schema(name):
    return torch._C._get_schema(*name.partition(".")[::2])


def has_fake(name):
    entry = torch._library.simple_registry.singleton._data.get(name)
    return has(name, "Meta") or entry is not None and entry.fake_impl.kernel is not None


def has_size(name):
    """Whether a size can be in an argument. (`int` also says what `SymInt` is; the schema's text does not.)"""
    arguments = str(schema(name)).rpartition(" -> ")[0]
    return "Tensor" in arguments or "SymInt" in arguments


ALL = operators()
HIDDEN = [name for name in ALL if "::_" in name]
WITHOUT_FAKE = [name for name in ALL if name not in HIDDEN and not has_fake(name) and not any(has(name, key) for key in COMPOSITE)]
# Torch runs such a kernel while it traces, or not at all.
WITHOUT_SIZE = [name for name in ALL if name not in HIDDEN and name not in WITHOUT_FAKE and not has_fake(name) and not has_size(name)]


def test_the_tables_are_complete():
    named = {name for name, _ in (*CASES, *SPECIALIZES, *REFUSED)} | UNTRACED.keys()
    traced = set(ALL).difference(HIDDEN, WITHOUT_FAKE, WITHOUT_SIZE)
    assert len(traced) > 200
    assert traced - named == set(), "can be traced and are in no table"
    assert named - set(ALL) == set(), "are no operators (any more)"
    assert named & {*HIDDEN, *WITHOUT_FAKE} == set(), "are in a table and cannot be traced"
    # What is in no other table than these has a reason of its own there; the rest is compiled once as well, called otherwise.
    assert {name for name, _ in SPECIALIZES} - {name for name, _ in CASES} == {"test_ops::specializes"}
    # The operators that torchop makes: they are called by others, and in their graphs.
    assert all(re.search(r"::_(fake|open_fake|method_fake|held|backward)\d*_", name) for name in HIDDEN)


@pytest.mark.parametrize("name, label", SPECIALIZES)
def test_a_compile_for_each_size(name, label):
    case, _ = SPECIALIZES[name, label]
    compiled, graphs = compiles(case.run, fullgraph=True, dynamic=True)
    for n in SIZES * 2:
        assert_same(outcome(case, compiled, n), outcome(case, case.run, n))
    assert len(graphs) == len(SIZES)


def twin(op):
    """An operator that is declared by `torch.library`, with the same schema and fake."""
    text = str(op.default._schema)
    name = op._qualified_op_name.replace("::", "_")
    library = torch.library.Library("twins", "FRAGMENT")
    library.define(name + text[text.index("("):])
    library.impl(name, lambda *args: op(*args), "CPU")
    torch.library.register_fake(f"twins::{name}", lambda *args: op(*args), lib=library)
    return library, getattr(torch.ops.twins, name)


def texts(call, args):
    with pytest.raises(Exception) as caught:
        compiles(call, fullgraph=True, dynamic=True)[0](*args)
    return "\n".join(str(error) for error in chain(caught.value))


@pytest.mark.parametrize("name, label", REFUSED)
def test_refused_while_torch_traces(name, label):
    case = REFUSED[name, label]
    assert re.search(case.says, texts(case.run, case.inputs(8)))
    if case.is_torch:
        namespace, _, packet = name.partition("::")
        kept, same = twin(getattr(getattr(torch.ops, namespace), packet))
        args = case.inputs(8)
        call = (lambda x, one: same(x, [one])) if "[]" in str(same.default._schema).partition(")")[0] else same
        assert re.search(case.says, texts(lambda *args: call(*args), args))
        del kept


@pytest.mark.parametrize("name", UNTRACED)
def test_fakes_of_what_needs_a_gpu(name):
    shapes = ShapeEnv()
    with FakeTensorMode(shape_env=shapes):
        rows = shapes.create_unbacked_symint()
        y = UNTRACED[name](torch.empty(rows, 4, device="cuda"))
        assert str(y.shape[0]) == str(rows) and y.device.type == "cuda"


def value(kind, x):
    """Any value of a type."""
    kind = str(kind)
    if kind.startswith("Optional["):
        return None
    if kind.startswith("List["):
        return [value(kind[5:-1], x)]
    if kind.startswith("Dict["):
        return {"a": value(kind[5:-1].split(", ", 1)[1], x)}
    if kind.startswith("Tuple["):
        return tuple(value(part, x) for part in kind[6:-1].split(", "))
    return {"Tensor": x, "str": "a", "float": 1.5, "bool": True, "Generator": torch.Generator(), "Stream": torch.Stream(device="cpu"),
            "Device": torch.device("cpu"), "ScalarType": torch.float32}.get(kind, 1)


@pytest.mark.parametrize("name", WITHOUT_FAKE)
def test_nothing_is_traced_without_a_fake(name):
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    op = getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")
    arguments = [argument for argument in op._schema.arguments if not argument.has_default_value()]
    with FakeTensorMode():
        x = torch.empty(3, 4)
        given = {argument.name: value(argument.real_type, x) for argument in arguments}
        with pytest.raises(UnsupportedOperatorException):
            op(*[given[a.name] for a in arguments if not a.kwarg_only], **{a.name: given[a.name] for a in arguments if a.kwarg_only})


@pytest.mark.parametrize("number", [-0.0, [1.5, -0.0]])
def test_a_negative_zero_from_outside(number):
    """Dynamo takes it for a symbol, and that has no sign: of an operator that is declared by `torch.library` as well."""
    takes = torch.ops.test_matrix.takes_floats if isinstance(number, list) else torch.ops.test_matrix.takes_float
    kept, same = twin(takes)
    x, zero = torch.arange(3), [1.5, 0.0] if isinstance(number, list) else 0.0
    for op in (takes, same):
        compiled, _ = compiles(lambda x: op(x, number), fullgraph=True, dynamic=True)
        assert torch.equal(compiled(x), takes(x, zero)) and not torch.equal(takes(x, number), takes(x, zero))
        # Written into the function it stays what it is.
        compiled, _ = compiles(lambda x: op(x, [1.5, -0.0]) if isinstance(number, list) else op(x, -0.0), fullgraph=True, dynamic=True)
        assert torch.equal(compiled(x), takes(x, number))
    del kept


@pytest.mark.parametrize("op, which", NO_TENSORS)
def test_no_tensor_is_no_node(op, which):
    """Of an operator that is declared by `torch.library` as well; nor does torch.export take a text among several."""
    gives = getattr(torch.ops.test_matrix, f"gives_{op}")
    kept, same = twin(gives)
    x = torch.arange(3)
    for call in (lambda x: gives(x, which), lambda x: same(x, which)):
        assert NO_TENSOR in texts(call, (x,))
        if op in ("strs", "tuple"):
            with pytest.raises(Exception, match=NO_TEXT):
                torch.export.export(Model(call), (x,), strict=False)
    del kept


def test_the_number_of_a_fake_that_says_another_is_burnt_in():
    compiled, _ = compiles(lambda x: torch.ops.test_matrix.gives_tensor_and_count(x, 3)[1] + x, fullgraph=True, dynamic=True)
    assert torch.equal(compiled(torch.arange(5)), torch.arange(5))
