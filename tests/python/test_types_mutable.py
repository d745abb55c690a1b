"""Operators that write to their arguments, beside torch's own (types_mutable.rs)."""

import tempfile

import pytest
import torch

ops = torch.ops.test_types


def layouts():
    base = torch.arange(24.0).reshape(4, 6)
    return [base, base.t(), base[1:3, ::2], base.reshape(2, 2, 6).permute(2, 0, 1), torch.empty(0), torch.tensor(1.0)]


@pytest.mark.parametrize("index", range(len(layouts())))
def test_adds_as_torch_does(index):
    ours, torchs = layouts()[index], layouts()[index]
    assert ops.add_(ours, 1.5) is None
    torchs.add_(1.5)
    assert torch.equal(ours, torchs) and ours._version == torchs._version


def test_a_view_writes_to_its_base():
    base = torch.zeros(4)
    view = base[1:3]
    ops.add_(view, 1.0)
    assert base.tolist() == [0, 1, 1, 0] and (base._version, view._version) == (1, 1)


def test_two_arguments():
    x, y = torch.zeros(2), torch.ones(2)
    ops.swap_(x, y)
    assert x.tolist() == [1, 1] and y.tolist() == [0, 0] and (x._version, y._version) == (1, 1)


def test_an_optional_argument():
    x, y = torch.ones(2), torch.ones(2)
    ops.add_optional_(x, y)
    ops.add_optional_(x, None)
    ops.add_optional_(x)
    assert y.tolist() == [2, 2] and (x._version, y._version) == (0, 1)


def test_the_short_form_has_a_letter():
    schema = "test_types::add_and_copy(Tensor(a!) x, Tensor y, *, float value=1.) -> (Tensor, Tensor)"
    assert str(ops.add_and_copy.default._schema) == schema
    x, y = torch.zeros(2), torch.ones(2)
    copy, added = ops.add_and_copy(x, y, value=3.0)
    assert x.tolist() == [3, 3] and copy.tolist() == [1, 1] and added.tolist() == [3, 3]


def test_an_output_that_is_given():
    out = torch.empty(2)
    ops.copy_out(torch.ones(2), out=out)
    assert out.tolist() == [1, 1] and out._version == 1


def test_an_assignment_stays_inside():
    x = torch.ones(2)
    ops.assigns(x, torch.zeros(2))
    assert x.tolist() == [1, 1]


def test_a_failure_keeps_what_was_written():
    x = torch.zeros(2)
    with pytest.raises(ValueError, match="after writing"):
        ops.fails_after_writing(x)
    assert x.tolist() == [1, 1] and x._version == 1


def test_the_written_tensor_is_no_result():
    with pytest.raises(RuntimeError, match="result 0 shares its memory with an argument"):
        ops.returns_written(torch.zeros(2))


def test_rust_calls_one_by_its_name():
    assert ops.calls_writing(torch.zeros(2)).tolist() == [1, 1]


def test_a_list():
    assert str(ops.add_all_and_sum.default._schema) == "test_types::add_all_and_sum(Tensor(a!)[] xs, Tensor y) -> Tensor"
    base = torch.zeros(6)
    xs = [torch.zeros(2), base[:2], base[3:5]]
    ops.add_all_(xs, 2.0)
    assert base.tolist() == [2, 2, 0, 2, 2, 0] and xs[0].tolist() == [2, 2]
    assert (xs[0]._version, base._version) == (1, 2)
    total = ops.add_all_and_sum(xs, torch.ones(2))
    assert total.tolist() == [10, 10] and base.tolist() == [3, 3, 0, 3, 3, 0]


def test_a_list_of_leaves_and_overlaps():
    leaf = torch.zeros(2, requires_grad=True)
    same_refusal(lambda: ops.add_all_([torch.zeros(2), leaf], 1.0), lambda: leaf.add_(1.0))
    x = torch.zeros(4)
    for xs in ([x, x], [x[:3], x[2:]], [torch.zeros(2), x, x[:1]]):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"):
            ops.add_all_(xs, 1.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"):
        ops.add_all_and_sum([torch.zeros(4), x], x)
    assert x.eq(0).all() and x._version == 0 or x.eq(0).all()
    with pytest.raises(NotImplementedError, match="add_all_: an argument requires grad"):
        ops.add_all_([leaf * 1], 1.0)
    ops.add_all_([torch.zeros(0), torch.zeros(0)], 1.0)


VIEWS = {
    "conj": lambda x: x.conj(),
    "neg": lambda x: x.conj().imag,
    "conj-sliced": lambda x: x.conj()[1:].t(),
    "neg-stepped": lambda x: x.conj().imag[:, ::2],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_conjugate_and_negative_views(view, mode):
    """Torch keeps a bit instead of new memory; what is written must arrive through it."""
    for _ in range(20):
        with mode():
            x = torch.randn(4, 4, dtype=torch.cfloat)
            expected = x.clone()
            view(expected).add_(3.0)
            ops.add_(view(x), 3.0)
            assert torch.equal(x, expected)
            y = torch.randn(4, 4, dtype=torch.cfloat)
            a, b = y.clone(), y.clone()
            ops.add_all_([view(a), b], 2.0)
            expected = y.clone()
            view(expected).add_(2.0)
            assert torch.equal(a, expected) and torch.equal(b, y + 2.0)
            ours, theirs = y.clone(), y.clone()
            ops.add_optional_(view(x), view(ours))
            view(theirs).add_(view(x))
            assert torch.equal(ours, theirs)
            results = ops.add_and_copy(view(ours), view(y))
            view(theirs).add_(1.0)
            assert torch.equal(ours, theirs) and all(torch.equal(r, e) for r, e in zip(results, (view(y), view(ours))))


def test_a_conjugate_view_counts_versions_and_checks_leaves():
    x = torch.randn(3, dtype=torch.cfloat)
    ops.add_(x.conj(), 1.0)
    assert x._version == 1
    leaf = torch.randn(3, dtype=torch.cfloat, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        ops.add_(leaf.conj(), 1.0)


def test_the_tag_of_an_output():
    out = torch.empty(2)
    ops.scaled.out(torch.ones(2), 3.0, out=out)
    assert out.tolist() == [3, 3] and torch.Tag.out_variant in ops.scaled.out.tags


def same_refusal(ours, torchs):
    """Both fail, with the same class and text."""
    errors = []
    for call in (ours, torchs):
        with pytest.raises(RuntimeError) as raised:
            call()
        errors.append((type(raised.value), str(raised.value)))
    assert errors[0] == errors[1]


def test_leaves_and_overlaps_are_refused_as_torch_does():
    leaf = torch.zeros(2, requires_grad=True)
    same_refusal(lambda: ops.add_(leaf, 1.0), lambda: leaf.add_(1.0))
    view = torch.zeros(4, requires_grad=True)[:2]
    same_refusal(lambda: ops.add_(view, 1.0), lambda: view.add_(1.0))
    expanded = torch.zeros(1).expand(3)
    same_refusal(lambda: ops.add_(expanded, 1.0), lambda: expanded.add_(1.0))
    with torch.no_grad():
        ops.add_(leaf, 1.0)
    assert leaf.tolist() == [1, 1] and leaf._version == 1


def test_one_tensor_twice_is_refused():
    x = torch.zeros(2)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"):
        ops.swap_(x, x)


def test_a_gradient_is_not_lost():
    x = torch.zeros(2, requires_grad=True) * 2
    with pytest.raises(NotImplementedError, match="test_types::add_: an argument requires grad, .* call it under torch.no_grad()"):
        ops.add_(x, 1.0)


def test_autograd_sees_that_a_saved_tensor_was_written_to():
    y = torch.ones(2, requires_grad=True) * 1
    z = y * y
    with torch.no_grad():
        ops.add_(y, 1.0)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()


def intermediate(x, y):
    z = x * 2
    ops.add_(z, 1.0)
    return z + 1


def inputs(x, y):
    ops.add_(x, 1.0)
    ops.swap_(x, y)
    return x * 2


def view(x, y):
    z = x + 0
    ops.add_(z[1:3], 1.0)
    ops.add_(z.view(2, -1)[0], 1.0)
    return z


def optional(x, y):
    ops.add_optional_(x, y)
    ops.add_optional_(x)
    return y + 1


def with_results(x, y):
    copy, added = ops.add_and_copy(x, y, value=2.0)
    return copy + added


def out(x, y):
    out = torch.empty_like(x)
    ops.copy_out(x, out=out)
    return out * 2


def in_a_branch(x, y):
    for _ in range(3):
        ops.add_(x, 1.0)
        y = y + x
    return y


def lists(x, y):
    # Not x beside what is made of it: README.md, Limits.
    z = x * 1
    ops.add_all_([z[1:], y], 1.0)
    return ops.add_all_and_sum([z, y], x)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("fn", [intermediate, inputs, view, optional, with_results, out, in_a_branch, lists])
def test_a_graph_does_as_eager_does(fn, backend):
    arguments = lambda: (torch.arange(4.0), torch.arange(4.0) * 10 + 1)
    eager, compiled = arguments(), arguments()
    expected = fn(*eager)
    assert torch.equal(torch.compile(fn, backend=backend, fullgraph=True)(*compiled), expected)
    for a, b in zip(eager, compiled):
        assert torch.equal(a, b)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        ops.add_(self.count, 1.0)
        y = x * 1
        ops.add_all_([y, x * 2], 2.0)
        return y + self.count


@pytest.mark.parametrize("decompose", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_an_exported_program_writes(strict, decompose):
    program = torch.export.export(Model(), (torch.ones(2),), strict=strict)
    module = (program.run_decompositions() if decompose else program).module()
    assert [module(torch.ones(2)).tolist() for _ in range(3)] == [[4, 4], [5, 5], [6, 6]]


def test_a_package_writes():
    program = torch.export.export(Model(), (torch.ones(2),))
    with tempfile.TemporaryDirectory() as folder:
        path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
        model = torch._inductor.aoti_load_package(path)
        assert [model(torch.ones(2)).tolist() for _ in range(3)] == [[4, 4], [5, 5], [6, 6]]


def test_vmap_is_refused():
    with pytest.raises(RuntimeError, match="add_|in-place|inplace"):
        torch.vmap(lambda x: ops.add_(x, 1.0))(torch.zeros(3, 2))


CHECKED = [
    ("add_all_", lambda: ([torch.ones(3), torch.zeros(2)], 1.0)), ("add_all_and_sum", lambda: ([torch.ones(3)], torch.ones(3))),
    ("add_", lambda: (torch.ones(3), 1.0)), ("swap_", lambda: (torch.ones(2), torch.zeros(2))),
    ("add_optional_", lambda: (torch.ones(2), torch.zeros(2))), ("add_optional_", lambda: (torch.ones(2), None)),
    ("add_and_copy", lambda: (torch.ones(2), torch.zeros(2))),
]


@pytest.mark.parametrize("name, arguments", CHECKED)
def test_torch_finds_nothing_wrong(name, arguments):
    torch.library.opcheck(getattr(ops, name).default, arguments())
