"""Methods that change their object, in the order in which they were written: eager, compiled, exported, packaged. Right or refused."""

import io

import pytest
import torch

from conftest import TORCH, compiles

classes = torch.classes.test_ops

# Before 2.15, inductor and AOTInductor may run such calls out of order.
ORDERED = TORCH >= (2, 15)
BACKENDS = pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])


def filled(n=2, size=3):
    """More than any pass over the graph takes: PyTorch runs fakes again on the state that is left over."""
    queue = classes.Queue()
    for i in range(n):
        queue.push(torch.full((size,), 7.0 + i))
    return queue


def values(queue):
    return [value.tolist() for value in dict(queue.__obj_flatten__())["values"]]


def program(queue, x):
    y = x.sin() + 1
    queue.push(y)
    queue.push(x * 2)
    a = queue.pop()
    queue.push(a + 10)
    b = queue.pop()
    c = queue.pop()
    queue.push(b - c)
    return a + b * 100 + c * 10000


def program_with_number(queue, x):
    return program(queue, x) + queue.size()


class Net(torch.nn.Module):
    def __init__(self, run, *queues):
        super().__init__()
        self.run, self.queues = run, queues
        self.queue = queues[0]

    def forward(self, x):
        return self.run(self.queue, x)


def same(a, b, queue_a, queue_b):
    torch.testing.assert_close(a, b)
    assert values(queue_a) == values(queue_b)


@torch.no_grad()
@BACKENDS
@pytest.mark.parametrize("how, program", [("attribute", program), ("input", program_with_number)])
def test_compiled(backend, how, program):
    ours, eager = filled(20), filled(20)
    if how == "attribute":
        net = Net(program, ours)
        fn, _ = compiles(net, backend)
    else:
        compiled, _ = compiles(program, backend)
        fn = lambda x: compiled(ours, x)
    for k in range(3):
        x = torch.arange(3.0) + k
        same(fn(x), program(eager, x), ours, eager)


@torch.no_grad()
@BACKENDS
def test_whole_graphs_are_right_or_refused(backend):
    fn, _ = compiles(program, backend, fullgraph=True)
    ours, eager, x = filled(20), filled(20), torch.arange(3.0)
    if ORDERED:
        same(fn(ours, x), program(eager, x), ours, eager)
    else:
        with pytest.raises(Exception, match=r"test_ops::Queue\.push: changes its object.*out of order"):
            fn(ours, x)
        assert values(ours) == values(eager), "nothing was done"


@torch.no_grad()
@BACKENDS
def test_calls_without_outputs_are_made(backend):
    def run(queue, x):
        queue.push(x + 1)
        queue.clear()
        queue.push(x + 2)
        queue.push(x + 3)

    fn, _ = compiles(run, backend)
    queue, x = filled(), torch.ones(2)
    for _ in range(3):
        fn(queue, x)
        assert values(queue) == [[3.0, 3.0], [4.0, 4.0]]


@torch.no_grad()
@BACKENDS
def test_the_number_of_calls_is_that_of_eager(backend):
    def run(tally, x):
        tally.add()
        y = x + 1
        tally.add(2)
        return y * 2

    fn, _ = compiles(run, backend)
    tally, x = classes.Tally(0), torch.ones(2)
    for k in range(1, 5):
        assert torch.equal(fn(tally, x), torch.full((2,), 4.0))
        assert tally.count == 3 * k


@torch.no_grad()
@BACKENDS
def test_numbers_from_a_changing_method(backend):
    fn, _ = compiles(lambda tally, x: x * tally.add(), backend)
    tally, x = classes.Tally(0), torch.ones(2)
    assert [fn(tally, x)[0].item() for _ in range(4)] == [1, 2, 3, 4]


@torch.no_grad()
def test_a_changed_state_is_seen_by_guards():
    fn, _ = compiles(lambda queue, x: x + queue.size(), fullgraph=True)
    queue, x = filled(2), torch.zeros(2)
    for n in range(2, 6):
        assert fn(queue, x)[0].item() == n
        queue.push(x)


@torch.no_grad()
@BACKENDS
def test_every_change_of_a_number_is_seen(backend):
    """Dynamo takes an int or float that changes for one that may be anything, and PyTorch's fakes see one value of it."""
    fn, _ = compiles(lambda tally, x: x * tally.next(), backend, fullgraph=True)
    x = torch.ones(2)
    for count in (3, 4, 5, 6, 3, -1):
        assert fn(classes.Tally(count, 2), x)[0].item() == count + 2
    if backend == "inductor":
        return  # takes no float from a method, of any class
    fn, _ = compiles(lambda scale, x: x * scale.get(), backend, fullgraph=True)
    for factor in (1.0, 2.0, 3.0, 2.5, -0.5):
        assert fn(classes.Scale(factor), x)[0].item() == factor


@torch.no_grad()
@pytest.mark.parametrize("saved", [False, True])
def test_exported(saved):
    net, eager = Net(program, filled(20)), Net(program, filled(20))
    exported = torch.export.export(net, (torch.arange(3.0),), strict=False)
    assert values(net.queue) == values(filled(20)), "export leaves the object alone"
    if saved:
        file = io.BytesIO()
        torch.export.save(exported, file)
        file.seek(0)
        exported = torch.export.load(file)
    module = exported.module()
    for k in range(3):
        x = torch.arange(3.0) + k
        torch.testing.assert_close(module(x), eager(x))


@torch.no_grad()
@pytest.mark.parametrize("strict", [False, True])
def test_a_number_is_not_exported(strict):
    """It would stand in the program as it is now."""
    with pytest.raises(Exception, match=r"test_ops::Tally\.next: returns a int, which an exported program would keep as it is now"):
        torch.export.export(Net(lambda tally, x: x + tally.next(), classes.Tally(1)), (torch.ones(2),), strict=strict)


def packaged(net, x, path):
    exported = torch.export.export(net, (x,), strict=False)
    return torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(exported, package_path=str(path)))


@torch.no_grad()
def test_packaged(tmp_path):
    net, eager, x = Net(program, filled(20)), Net(program, filled(20)), torch.arange(3.0)
    if not ORDERED:
        with pytest.raises(Exception, match=r"test_ops::Queue\.\w+: a second call of a method in this graph"):
            packaged(net, x, tmp_path / "model.pt2")
        return
    run = packaged(net, x, tmp_path / "model.pt2")
    for k in range(3):
        torch.testing.assert_close(run(x + k), eager(x + k))


def push_one(queue, x):
    queue.push(x + 1)
    return x * 2


def pop_one(queue, x):
    return queue.pop() + x


@torch.no_grad()
@pytest.mark.parametrize("run", [push_one, pop_one])
def test_one_call_packaged(tmp_path, run):
    """Right on every torch: there is no order to lose."""
    net, eager, x = Net(run, filled(20)), Net(run, filled(20)), torch.arange(3.0)
    module = packaged(net, x, tmp_path / "model.pt2")
    for k in range(3):
        torch.testing.assert_close(module(x + k), eager(x + k))


@BACKENDS
def test_gradient_through_a_queue_is_right_or_refused(backend):
    def run(queue, x):
        queue.push(x * 2)
        return queue.pop().sum()

    x = torch.rand(3, requires_grad=True)
    (expected,) = torch.autograd.grad(run(classes.Queue(), x), x)
    assert torch.equal(expected, torch.full((3,), 2.0))
    fn, _ = compiles(run, backend)
    (gradient,) = torch.autograd.grad(fn(classes.Queue(), x), x)
    assert torch.equal(gradient, expected)
    fn, _ = compiles(run, backend, fullgraph=True)
    with pytest.raises(Exception, match="PyTorch drops the gradient of class methods|changes its object"):
        fn(classes.Queue(), x)


def test_state_is_not_handed_out():
    queue = filled()
    with pytest.raises(RuntimeError, match=r"Queue\.peek: result 0 shares its memory.*deep_clone"):
        queue.peek()
    assert queue.pop().tolist() == [7.0] * 3, "what leaves the state may go"
