"""examples/weights: a class that holds weights, saved, moved, traced and trained through."""

import copy
import io
import os

import pytest
import torch
import torch.nn.functional as F

from conftest import EXAMPLE, compiles, raised

LIBRARY = os.environ.get("TORCHOP_LIB_WEIGHTS") or os.path.join(os.path.dirname(EXAMPLE), "libweights_ops.so")
torch.ops.load_library(LIBRARY)
Linear = torch.classes.my_weights.Linear


class Layer(torch.nn.Module):
    """The pattern of the example's documentation."""

    def __init__(self, weight):
        super().__init__()
        self.linear = Linear(weight, None)

    def forward(self, x):
        return self.linear.forward(x)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.linear = self.linear.to(fn(torch.empty(0)).device)
        return self


def layer():
    return Linear(torch.rand(3, 4), torch.rand(3), 0.5)


def test_values_and_gradients():
    w, b, x = torch.rand(3, 4), torch.rand(3), torch.rand(5, 4, requires_grad=True)
    y, expected = Linear(w, b, 0.5).forward(x), 0.5 * F.linear(x, w, b)
    torch.testing.assert_close(y, expected)
    (g,), (e,) = torch.autograd.grad(y.sum(), x), torch.autograd.grad(expected.sum(), x)
    torch.testing.assert_close(g, e)


def test_it_keeps_copies():
    w = torch.rand(3, 4)
    thing = Linear(w, None)
    before = w.clone()
    w.zero_()
    assert torch.equal(thing.weight, before)


@pytest.mark.parametrize("args, text", [
    ((torch.rand(3), None), "expected a weight of 2 dimensions, got 1"),
    ((torch.rand(3, 4), torch.rand(2)), "expected a bias of 3 elements"),
])
def test_wrong_weights(args, text):
    kind, message = raised(lambda: Linear(*args))
    assert kind == "ValueError" and text in message


def test_saved_and_read_by_version():
    thing, x = layer(), torch.rand(2, 4)
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    assert torch.equal(torch.load(file, weights_only=False).forward(x), thing.forward(x))
    old = torch.ScriptObject.__new__(torch.ScriptObject)
    old.__setstate__(((("weight", thing.weight), ("bias", None)), "__torch__.torch.classes.my_weights.Linear"))
    torch.testing.assert_close(old.forward(x), F.linear(x, thing.weight))
    assert old.scale() == 1.0


def test_moved_to_a_device():
    thing = layer()
    there = thing.to("meta")
    assert there.weight.device.type == "meta" and there.weight.shape == (3, 4) and there.scale() == 0.5
    assert thing.weight.device.type == "cpu"
    assert there.forward(torch.rand(2, 4, device="meta")).shape == (2, 3)
    again = thing.to(torch.device("cpu"))
    assert again.weight.data_ptr() == thing.weight.data_ptr()


def test_a_tensor_elsewhere_is_named():
    for thing, x in ((layer(), torch.rand(2, 4, device="meta")), (layer().to("meta"), torch.rand(2, 4))):
        kind, text = raised(lambda: thing.forward(x))
        assert kind == "RuntimeError" and "found a tensor on device" in text and "to(device)" in text


def test_a_module_moves_it_along():
    net = torch.nn.Sequential(Layer(torch.rand(3, 4)), torch.nn.Linear(3, 2))
    other = copy.deepcopy(net).to("meta")
    assert other[0].linear.weight.device.type == "meta" and net[0].linear.weight.device.type == "cpu"
    assert other(torch.rand(5, 4, device="meta")).shape == (5, 2)
    # A move to another dtype leaves the object alone.
    assert net.double()[0].linear.weight.dtype == torch.float32


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_module_moves_it_to_cuda():
    net = Layer(torch.rand(3, 4))
    x = torch.rand(2, 4)
    expected = net(x)
    torch.testing.assert_close(net.cuda()(x.cuda()).cpu(), expected)


@torch.no_grad()
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(backend):
    thing = layer()
    fn, graphs = compiles(lambda x: thing.forward(x) * 2, backend, fullgraph=True, dynamic=True)
    compiled = []
    for n in (2, 5, 7):
        x = torch.rand(n, 4)
        torch.testing.assert_close(fn(x), thing.forward(x) * 2)
        compiled.append(len(graphs))
    # No size but the first is compiled for. (Dynamo may begin anew within that.)
    assert compiled == compiled[:1] * 3


@torch.no_grad()
def test_exported():
    net, x = Layer(torch.rand(3, 4)), torch.rand(5, 4)
    program = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("n", min=2)},), strict=False)
    for n in (2, 6):
        x = torch.rand(n, 4)
        torch.testing.assert_close(program.module()(x), net(x))
