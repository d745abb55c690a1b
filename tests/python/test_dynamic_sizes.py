"""Fakes that ask torch for sizes which depend on data, beside torch's own operators (dynamic_sizes.rs)."""

import pytest
import torch
from conftest import TORCH, compiles, raised

ops = torch.ops.test_ops

TWO = torch.tensor([[1.0, 0, 2], [0, 3, 0]])
NONE = torch.zeros(2, 3)
ALL = torch.ones(2, 3)
LARGER = torch.ones(4, 5)


def boxes(n, seed=0):
    generator = torch.Generator().manual_seed(seed)
    corner, size = torch.rand(n, 2, generator=generator), torch.rand(n, 2, generator=generator)
    return torch.cat([corner, corner + size], 1), torch.rand(n, generator=generator)


def reference_nms(boxes, scores, threshold):
    kept = []
    for i in scores.argsort(descending=True).tolist():
        a = boxes[i].double()
        for j in kept:
            b = boxes[j].double()
            both = (torch.minimum(a[2:], b[2:]) - torch.maximum(a[:2], b[:2])).clamp(min=0).prod()
            either = (a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both
            if both / either > threshold:
                break
        else:
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


@pytest.mark.parametrize("x", [TWO, NONE, ALL, torch.tensor(1.0), torch.zeros(0, 4), TWO.t()])
def test_eager(x):
    rows = ops.nonzero_rows(x)
    assert torch.equal(rows, x.nonzero()) and rows.is_contiguous()
    above, rest = ops.split_at(x, limit=1.0)
    assert torch.equal(above, x[x > 1.0]) and torch.equal(rest, x[x <= 1.0])


@pytest.mark.parametrize("n", [0, 1, 2, 20])
def test_nms(n):
    b, s = boxes(n)
    assert torch.equal(ops.nms(b, s, 0.3), reference_nms(b, s, 0.3))


def test_the_tag_says_so():
    assert torch.Tag.dynamic_output_shape in ops.nonzero_rows.default.tags
    assert torch.Tag.dynamic_output_shape not in ops.pieces.default.tags


CASES = {
    "one size": (lambda x: ops.nonzero_rows(x) * 2 + 1, [TWO, NONE, ALL]),
    "two sizes": (lambda x: [t * 2 for t in ops.split_at(x, limit=0.5)], [TWO, NONE, ALL]),
    "a keyword left out": (lambda x: ops.split_at(x)[1] + 1, [TWO, NONE, ALL]),
    "one size twice": (lambda x: (lambda v, p, c: (v * c, p + 1))(*ops.distinct(x)), [TWO, NONE, ALL]),
    "nms": (lambda x: ops.nms(x[:, :4], x[:, 4], 0.3) + 1, [torch.cat([b, s[:, None]], 1) for b, s in (boxes(6, i) for i in range(3))]),
}


def equal(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("case", CASES)
def test_one_full_graph_for_all(case, backend, dynamic):
    fn, inputs = CASES[case]
    compiled, graphs = compiles(fn, backend, fullgraph=True, dynamic=dynamic)
    for x in inputs:
        assert equal(compiled(x), fn(x))
    if dynamic and case == "one size":
        assert torch.equal(compiled(LARGER), fn(LARGER))
    assert len(graphs) == 1


@pytest.mark.parametrize("capture", [False, True])
def test_without_fullgraph_capture_decides(capture):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=capture):
        compiled, graphs = compiles(lambda x: ops.nonzero_rows(x * 1) * 2, "aot_eager")
        assert torch.equal(compiled(TWO), TWO.nonzero() * 2)
        assert len(graphs) == (1 if capture else 2)


class Model(torch.nn.Module):
    def forward(self, x):
        above, rest = ops.split_at(x, limit=0.5)
        return ops.nonzero_rows(x) + 1, above * 2, rest


ROWS = {"x": {0: torch.export.Dim("rows", min=2, max=64)}}


@pytest.mark.parametrize("strict", [False, True])
def test_export_and_save(strict, tmp_path):
    program = torch.export.export(Model(), (TWO,), strict=strict, dynamic_shapes=ROWS)
    torch.export.save(program, tmp_path / "m.pt2")
    for loaded in (program, torch.export.load(tmp_path / "m.pt2")):
        for x in (TWO, NONE, torch.ones(7, 3)):
            assert equal(loaded.module()(x), Model()(x))


def test_a_package(tmp_path):
    program = torch.export.export(Model(), (TWO,), dynamic_shapes=ROWS)
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "m.pt2"))
    model = torch._inductor.aoti_load_package(path)
    for x in (TWO, NONE, torch.ones(7, 3)):
        assert equal(model(x), Model()(x))


@pytest.mark.parametrize("args", [(TWO,), (NONE,)])
@pytest.mark.parametrize("op", ["nonzero_rows", "split_at", "distinct"])
def test_opcheck(op, args):
    assert set(torch.library.opcheck(getattr(ops, op).default, args).values()) == {"SUCCESS"}


def test_a_size_that_nobody_knows_is_no_number():
    # The exception is torch's own, so that Dynamo leaves the call to eager mode where it may.
    fn = lambda x: ops.nonzero_too_early(x) * 2
    compiled, graphs = compiles(fn, "eager", fullgraph=False)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        assert torch.equal(compiled(TWO), fn(TWO))
    compiled, _ = compiles(fn, "eager", fullgraph=True)
    name, text = raised(lambda: compiled(TWO))
    assert "nbacked" in text or "data-dependent" in text or "data dependent" in text, text


def test_a_meta_tensor_is_refused():
    name, text = raised(lambda: ops.nonzero_rows(TWO.to("meta")))
    assert "fake impl" in text or "data-dependent" in text or "meta" in text.lower(), text


def test_what_a_fake_checks_fails_while_torch_traces():
    compiled, _ = compiles(lambda b, s: ops.nms(b, s, 0.5), "eager", fullgraph=True)
    _, text = raised(lambda: compiled(torch.rand(3, 4), torch.rand(2)))
    assert "expected one score for each box" in text


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_no_tensor_goes_in(backend):
    fn = lambda n: ops.countdown(n) + 1
    compiled, graphs = compiles(fn, backend, fullgraph=True, dynamic=True)
    for n in (3, 5, 8, 11, 40):
        assert torch.equal(compiled(n), torch.arange(n, 0, -1) + 1)
    assert len(graphs) == 1
    with torch._subclasses.FakeTensorMode():
        assert ops.countdown(3).device.type == "cpu" and ops.countdown(3).shape == (3,)
        assert ops.countdown(3, device=torch.device("cuda:1")).device == torch.device("cuda:1")


def test_no_tensor_goes_in_exported():
    class Counts(torch.nn.Module):
        def forward(self, x):
            return ops.countdown(x.shape[0]) + x

    program = torch.export.export(Counts(), (torch.ones(4),), dynamic_shapes={"x": {0: torch.export.Dim.AUTO}})
    assert program.module()(torch.zeros(6)).tolist() == [6, 5, 4, 3, 2, 1]


def test_loading_again_in_a_new_process_and_failing_loads(process):
    out = process("""
        import torch
        torch.ops.load_library(TESTS)
        torch.ops.load_library(TESTS)
        f = torch.compile(lambda x: torch.ops.test_ops.nonzero_rows(x), backend="eager", fullgraph=True)
        print(f(torch.tensor([0., 1.])).tolist())
    """)
    assert "[[1]]" in out
