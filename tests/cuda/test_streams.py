"""Streams, graphs, devices and threads: every launch is where torch would have put it."""

import threading

import pytest
import torch

pytestmark = pytest.mark.gpu
ops = torch.ops.test_ops
identity = torch.ops.my_ops.identity_conv_op


def busy(stream):
    """Keeps the stream at work for some 200 ms. The kernels are compiled before."""
    identity(ops.cuda_scale(torch.ones(1, device="cuda"), 2.0))
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(400_000_000)


def test_side_stream_and_events():
    side, x = torch.cuda.Stream(), torch.zeros(1 << 20, device="cuda")
    identity(x)
    busy(side)
    with torch.cuda.stream(side):
        x.fill_(3)
        y = ops.cuda_scale(x, 2.0)
        z = identity(y)
        done = side.record_event()
    assert not done.query()  # the launches did not wait, and are behind the stream's work
    torch.cuda.current_stream().wait_event(done)
    assert y.eq(6).all() and z.eq(6).all()


def test_stream_as_argument_with_record_stream():
    side, x = torch.cuda.Stream(), torch.full((1 << 20,), 3.0, device="cuda")
    busy(side)
    before = torch.cuda.current_stream()
    y = ops.cuda_scale_on(x, 2.0, side)
    done = side.record_event()
    assert torch.cuda.current_stream() == before and not done.query()
    address = x.data_ptr()
    del x  # recorded: not given to anybody while the side stream is busy
    others = [torch.full((1 << 20,), 9.0, device="cuda") for _ in range(4)]
    assert all(other.data_ptr() != address for other in others)
    torch.cuda.current_stream().wait_event(done)
    assert y.eq(6).all()


def test_graph_replays_with_new_input():
    x = torch.ones(1000, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            identity(ops.cuda_scale(x, 2.0))
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = identity(ops.cuda_scale(x, 2.0))
        z = torch.ops.my_cuda_ops.to_contiguous(y.view(10, 100).t())
    for value in (5.0, 7.0, -1.0):
        x.fill_(value)
        graph.replay()
        assert y.eq(2 * value).all() and z.eq(2 * value).all() and z.shape == (100, 10)


def test_first_use_inside_a_capture(process):
    said = process("""
        import torch
        torch.ops.load_library(TESTS)
        x = torch.ones(1000, device="cuda")
        torch.zeros(1, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = torch.ops.test_ops.cuda_scale(x, 2.0)
        x.fill_(4)
        graph.replay()
        print(y.eq(8).all().item())
    """, TORCHOP_CACHE_DIR="")
    assert "True" in said


@pytest.mark.parametrize("size", [1000, 5000, 10000, 16384])
def test_reduce_overhead_behind_a_linear(size):
    linear = torch.nn.Linear(size, 64, device="cuda")

    def model(x):
        return identity(ops.cuda_scale(linear(x), 2.0))

    compiled = torch.compile(model, mode="reduce-overhead", fullgraph=True)
    with torch.no_grad():
        for _ in range(4):
            x = torch.randn(32, size, device="cuda")
            torch.compiler.cudagraph_mark_step_begin()
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-4)


def test_compiled_training_step():
    linear = torch.nn.Linear(64, 64, device="cuda")
    step = torch.compile(lambda x: identity(ops.cuda_scale(linear(x), 2.0)).square().sum(), fullgraph=True)
    x = torch.randn(8, 64, device="cuda")
    step(x).backward()
    compiled, linear.weight.grad = linear.weight.grad, None
    (linear(x) * 2).square().sum().backward()
    torch.testing.assert_close(compiled, linear.weight.grad, rtol=1e-4, atol=1e-3)


def test_a_thread_that_never_used_cuda():
    x, out = torch.ones(1000, device="cuda"), []
    torch.cuda.synchronize()
    # Memory of the right size is in the cache, so that torch itself makes no call into CUDA on the thread.
    del (cached := [torch.empty_like(x)])[:]
    threads = [threading.Thread(target=lambda: out.append(ops.cuda_scale(x, 3.0))) for _ in range(8)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert len(out) == 8 and all(y.eq(3).all() for y in out)


def test_many_threads_compile_once(process):
    said = process("""
        import threading, torch
        torch.ops.load_library(TESTS)
        x, out = torch.ones(1000, device="cuda"), []
        go = threading.Barrier(8)
        def work():
            go.wait()
            out.append(torch.ops.test_ops.cuda_scale(x, 3.0))
        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads], [t.join() for t in threads]
        print(len(out), all(y.eq(3).all() for y in out))
    """, TORCHOP_CACHE_DIR="")
    assert "8 True" in said


def test_launch_blocking(process):
    said = process("""
        import torch
        torch.ops.load_library(TESTS), torch.ops.load_library(EXAMPLE)
        x = torch.randn(1000, device="cuda")
        print(torch.equal(torch.ops.my_ops.identity_conv_op(torch.ops.test_ops.cuda_scale(x, 2.0)), x * 2))
    """, CUDA_LAUNCH_BLOCKING="1")
    assert "True" in said


def test_current_device_inside_a_kernel():
    x = torch.ones(3, device="cuda")
    assert ops.cuda_current([torch.ones(1), x], "").device == x.device


@pytest.mark.gpu(2)
@pytest.mark.parametrize("end, error", [("", None), ("error", ValueError), ("panic", RuntimeError)])
def test_second_device_is_current_meanwhile(end, error):
    xs = [torch.ones(3), torch.ones(3, device="cuda:1"), torch.ones(3, device="cuda:0")]
    assert torch.cuda.current_device() == 0
    if error:
        with pytest.raises(error, match="on cuda:1"):
            ops.cuda_current(xs, end)
    else:
        assert ops.cuda_current(xs, end).device == torch.device("cuda:1")
    assert torch.cuda.current_device() == 0


@pytest.mark.gpu(2)
@pytest.mark.parametrize("op", [ops.cuda_scale, ops.cuda_scale_composite, ops.cuda_scale_twice], ids=str)
def test_second_device(op):
    for device in ("cuda:1", "cuda:0", "cuda:1"):
        x = torch.randn(1000, 3, device=device).t()
        y = op(x, 2.0)
        assert y.device == x.device and torch.equal(y, x * (4 if op is ops.cuda_scale_twice else 2))
        assert torch.equal(identity(x), x) and identity(x).device == x.device
        assert torch.equal(torch.ops.my_cuda_ops.to_contiguous(x), x)
        assert torch.cuda.current_device() == 0


@pytest.mark.gpu(2)
def test_second_device_with_a_side_stream_and_backward():
    with torch.cuda.device(1):
        side = torch.cuda.Stream()
    x = torch.randn(1000, device="cuda:1", requires_grad=True)
    torch.cuda.synchronize(1)
    with torch.cuda.stream(side):
        y = ops.cuda_scale(x, 2.0)
    torch.cuda.synchronize(1)
    y.sum().backward()
    assert x.grad.eq(2).all() and torch.cuda.current_device() == 0
    z = ops.cuda_scale_on(x.detach(), 2.0, side)
    torch.cuda.synchronize(1)
    assert torch.equal(z, x * 2) and torch.cuda.current_device() == 0


@pytest.mark.gpu(2)
def test_two_devices_in_one_launch():
    with pytest.raises(RuntimeError, match="CUDA kernel `add`, argument `y`: expected all tensors on cuda:0, found one on cuda:1"):
        ops.cuda_add(torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1"))


def test_a_launch_without_tensors_is_on_the_current_device():
    ops.cuda_nothing()
    torch.cuda.synchronize()
    if torch.cuda.device_count() > 1:
        with torch.cuda.device(1):
            ops.cuda_nothing()
            torch.cuda.synchronize()
    assert torch.cuda.current_device() == 0
