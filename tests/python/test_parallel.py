"""Loops on torch's intra-op threads."""

import threading

import pytest
import torch

from conftest import raised

ops = torch.ops.test_parallel


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000, 100_003])
@pytest.mark.parametrize("grain", [0, 1, 64, 1 << 40])
def test_each_number_comes_once(count, grain, threads):
    for number in (1, 2, 3):
        threads(number)
        parts, on, total, once = ops.parts(count, grain)
        assert once and total == count * (count - 1) // 2
        assert on <= number and on <= parts
        if count == 0:
            assert parts == 0
        elif number == 1 or count <= grain:
            assert (parts, on) == (1, 1)
        elif count >= 1000 and grain <= 64:
            assert (parts, on) == (number, number)


def test_set_num_threads_is_honoured(threads):
    for number in (1, 2, 4):
        threads(number)
        assert ops.threads() == torch.get_num_threads() == number
        assert ops.parts(10_000, 1)[1] == number


def test_set_num_threads_of_rust(threads):
    for number in (3, 1, 2):
        ops.set_threads(number)
        assert torch.get_num_threads() == ops.threads() == number
        assert ops.parts(10_000, 1)[1] == number
    for number in (0, 2**31, 2**40):
        kind, text = raised(lambda number=number: ops.set_threads(number))
        assert kind == "ValueError" and "expected at least 1 thread" in text and f"got {number}" in text
    assert torch.get_num_threads() == 2


def test_loops_in_loops_stay_on_their_thread(threads):
    threads(2)
    assert ops.nested(50) == (2500, True)


def test_the_first_error_is_returned(threads):
    for number in (1, 2):
        threads(number)
        for _ in range(20):
            assert raised(lambda: ops.fails(100, 77, False)) == ("IndexError", "number 77")
            kind, text = raised(lambda: ops.fails(100, 3, True))
            assert kind == "RuntimeError" and "panicked at" in text and "parallel.rs" in text and "number 3 of 1000" in text
        assert ops.fails(100, 100, False) is None


def test_strided_rows(threads):
    threads(2)
    for make in (lambda x: x, lambda x: x.t(), lambda x: x[::2, 1::3], lambda x: x[:, :1]):
        x = make(torch.rand(600, 400) + 0.1)
        expected = x / x.sum(1, keepdim=True)
        ops.normalise_(x)
        torch.testing.assert_close(x, expected)


def test_chunks(threads):
    threads(2)
    x = torch.empty(100_001)
    ops.number_chunks_(x, 1000)
    assert torch.equal(x, (torch.arange(100_001) // 1000).float())
    assert raised(lambda: ops.number_chunks_(x, 0))[0] == "ValueError"


def test_chunks_that_are_read(threads):
    for number in (1, 2, 3):
        threads(number)
        for count, length in ((0, 3), (1, 3), (100_001, 7), (100_001, 50_000), (6, 3)):
            x = torch.rand(count, dtype=torch.float64)
            sums, lengths = ops.of_chunks(x, length)
            chunks = x.split(length) if count else ()
            assert lengths == [len(chunk) for chunk in chunks]
            torch.testing.assert_close(sums, [float(chunk.sum()) for chunk in chunks])
    assert raised(lambda: ops.of_chunks(torch.ones(2).double(), 0))[0] == "ValueError"


def test_parts_along_the_first_dimension_are_read(threads):
    threads(2)
    x = torch.rand(400, 30, 50, dtype=torch.float64)
    for view in (x, x.transpose(0, 2), x[::3, :, 1:], x[:, 0, 0], x[:0], x[:1].expand(500, 30, 50)):
        sums, lengths = ops.of_outer(view)
        assert lengths == [view[0].numel() for _ in range(len(view))]
        torch.testing.assert_close(sums, [float(part.sum()) for part in view])
    kind, text = raised(lambda: ops.of_outer(torch.tensor(1.0).double()))
    assert kind == "ValueError" and "without dimensions" in text


def test_operators_inside_are_as_outside(threads):
    threads(2)
    assert ops.operators_inside(torch.ones(3, requires_grad=True)) is False


def test_several_python_threads(threads):
    threads(2)
    failed = []

    def work():
        for _ in range(50):
            if ops.parts(1000, 1)[2:] != (499_500, True):
                failed.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert not failed


def test_data_loader_workers(process):
    out = process(
        """
        import torch
        torch.ops.load_library(TESTS)
        torch.set_num_threads(2)
        print(torch.ops.test_parallel.parts(10000, 1)[:2])     # the pool is there before the fork
        class Data(torch.utils.data.Dataset):
            def __len__(self): return 8
            def __getitem__(self, n):
                x = torch.rand(600, 400) + 0.1
                torch.ops.test_parallel.normalise_(x)
                return x.sum(), torch.tensor(torch.ops.test_parallel.parts(10000, 1)[:2])
        for total, parts in torch.utils.data.DataLoader(Data(), batch_size=4, num_workers=2, multiprocessing_context="fork"):
            assert (total - 600).abs().max() < 1e-2, total
            print(parts.tolist())
        print(torch.ops.test_parallel.parts(10000, 1)[:2])
        """
    )
    assert out.count("(2, 2)") == 2 and out.count("[1, 1]") == 8, out
