"""The example of a class whose methods change the object: `examples/queue`."""

import copy
import threading

import pytest
import torch

from conftest import compiles, library, raised

torch.ops.load_library(library("TORCHOP_LIB_QUEUE"))
TensorQueue = torch.classes.queue_ops.TensorQueue


def test_eager():
    queue, a, b = TensorQueue(capacity=2), torch.rand(3), torch.rand(2)
    queue.push(a)
    queue.push(b)
    assert (len(queue), queue.capacity, TensorQueue().capacity) == (2, 2, 16)
    assert raised(lambda: queue.push(a)) == ("IndexError", "the queue is full: it holds 2 tensors")
    kept = a.clone()
    a.zero_()
    assert torch.equal(queue.pop(), kept) and torch.equal(queue.pop(), b) and not queue
    assert raised(queue.pop) == ("IndexError", "the queue is empty")
    assert raised(lambda: TensorQueue(0)) == ("ValueError", "capacity must be positive, got 0")


def test_a_copy_is_another_queue():
    queue = TensorQueue()
    queue.push(torch.ones(2))
    other = copy.deepcopy(queue)
    other.pop()
    assert (len(queue), len(other)) == (1, 0)


def test_many_threads():
    queue = TensorQueue(100_000)
    threads = [threading.Thread(target=lambda: [queue.push(torch.ones(1)) for _ in range(500)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(queue) == 4000 and sum(queue.pop().item() for _ in range(4000)) == 4000


@torch.no_grad()
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled(backend):
    def step(queue, x):
        queue.push(x * 2)
        queue.push(x * 3)
        return queue.pop() + x

    fn, _ = compiles(step, backend)
    ours, eager = TensorQueue(100), TensorQueue(100)
    for queue in (ours, eager):
        for i in range(12):
            queue.push(torch.full((3,), float(i)))
    for k in range(3):
        x = torch.rand(3) + k
        torch.testing.assert_close(fn(ours, x), step(eager, x))
    assert len(ours) == len(eager)
    for _ in range(len(eager)):
        torch.testing.assert_close(ours.pop(), eager.pop())
