"""Methods with `&mut self`: one at a time, never inside each other, never a deadlock."""

import copy
import io
import os
import pickle
import threading
import time

import pytest
import torch

from conftest import raised

classes = torch.classes.test_ops


def together(count, run, seconds=60):
    """Runs it in as many threads; their exceptions come back."""
    errors, start = [], threading.Barrier(count)

    def body(number):
        start.wait()
        try:
            run(number)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=body, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
        assert not thread.is_alive(), "a thread hangs"
    return errors


def test_no_call_is_lost():
    tally = classes.Tally(0, 1)
    assert together(16, lambda _: [tally.add() for _ in range(1000)]) == []
    assert tally.count == 16_000


def test_readers_and_writers():
    """The label is written and read whole."""
    tally = classes.Tally(0, 1, "a" * 50)
    seen = set()

    def run(number):
        for _ in range(500):
            if number % 2:
                tally.label = "ab"[number % 4 // 2] * 50
            else:
                seen.add(tally.label)
                tally.same(tally)

    assert together(8, run) == []
    assert seen <= {"a" * 50, "b" * 50}


def test_a_waiting_thread_lets_python_run(in_python):
    """One thread is inside a method that needs Python to go on; others wait for the object, one with Python's lock in hand."""
    tally, entered, x = classes.Tally(5), threading.Event(), torch.ones(1)

    def slow(x):
        entered.set()
        time.sleep(0.3)
        return x + 1

    in_python["call"] = slow
    results = {}

    def wait_and(name, call):
        entered.wait()
        time.sleep(0.05)
        results[name] = call()

    waiters = {
        "method": lambda: tally.add(),
        "property": lambda: tally.label,
        # Python's pickling calls it with its lock held.
        "copy": lambda: copy.deepcopy(tally).label,
        "state": lambda: tally.__getstate__(),
    }
    threads = [threading.Thread(target=wait_and, args=item, daemon=True) for item in waiters.items()]
    threads.append(threading.Thread(target=lambda: results.update(changer=tally.change_and_call(x)), daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive(), "a deadlock"
    assert torch.equal(results["changer"], x + 1) and results["property"] == "tally"
    assert tally.count == 7


@pytest.mark.parametrize("inner", ["count", "add", "set", "take_from", "getstate", "flatten", "same"])
@pytest.mark.parametrize("outer", ["change_and_call", "read_and_call"])
def test_a_method_inside_a_method(in_python, outer, inner):
    tally, other, outcome = classes.Tally(3), classes.Tally(1), []
    calls = {
        "count": lambda: tally.count,
        "add": lambda: tally.add(),
        "set": lambda: setattr(tally, "count", 9),
        "take_from": lambda: other.take_from(tally),
        "getstate": lambda: tally.__getstate__(),
        "flatten": lambda: tally.__obj_flatten__(),
        "same": lambda: tally.same(tally),
    }
    changes = inner in ("add", "set")

    def call(x):
        try:
            calls[inner]()
            outcome.append(None)
        except RuntimeError as error:
            outcome.append(str(error))
        return x + 1

    in_python["call"] = call
    getattr(tally, outer)(torch.ones(1))
    (text,) = outcome
    if outer == "change_and_call":
        assert "Tally" in text and "is being changed by a method further up in this call" in text
    elif changes:
        assert "Tally" in text and "in use by a method further up in this call" in text
    else:
        assert text is None
    assert tally.add(0) == tally.count, "it can be used again"


def test_the_object_as_its_own_argument():
    tally = classes.Tally(3)
    kind, text = raised(lambda: tally.take_from(tally))
    assert kind == "RuntimeError" and "argument 'other'" in text and "being changed" in text
    assert tally.count == 3 and tally.same(tally)


def test_two_objects_that_want_each_other():
    """Either order of two threads ends: well, or with an error that says so; nothing is lost or counted twice."""
    a, b = classes.Tally(1), classes.Tally(0)
    done = [0, 0]

    def run(number):
        for _ in range(2000):
            try:
                (a, b)[number].take_from((b, a)[number]) if number == 0 else b.take_from(a)
                done[number] += 1
                a.count = 1
                b.count = 0
            except RuntimeError as error:
                assert "would never end" in str(error)

    assert together(2, run) == []
    assert done[0] + done[1] > 0


def test_an_error_leaves_the_object_usable():
    tally = classes.Tally(1)
    assert raised(tally.add_and_fail) == ("ValueError", "told to fail")
    assert tally.count == 2 and tally.add() == 3
    assert raised(lambda: setattr(tally, "label", ""))[0] == "ValueError" and tally.label == "tally"


def test_a_panic_leaves_it_broken():
    tally, other = classes.Tally(1), classes.Tally(1)
    kind, text = raised(tally.add_and_panic)
    assert kind == "RuntimeError" and "half done" in text
    for call in (tally.add, lambda: tally.count, lambda: setattr(tally, "count", 1), lambda: other.take_from(tally), lambda: copy.deepcopy(tally)):
        kind, text = raised(call)
        assert kind == "RuntimeError" and "panicked while it changed it" in text and "make a new one" in text
    assert other.add() == 2


def test_a_waiter_learns_that_it_broke(in_python):
    tally, entered = classes.Tally(1), threading.Event()

    def fail(x):
        entered.set()
        time.sleep(0.2)
        raise ValueError("from Python")

    in_python["call"] = fail
    outcome = []

    def waiter():
        entered.wait()
        outcome.append(tally.add())

    thread = threading.Thread(target=waiter, daemon=True)
    thread.start()
    assert raised(lambda: tally.change_and_call(torch.ones(1)))[0] == "ValueError"
    thread.join(30)
    assert outcome == [3], "an exception of Python's is an error, no panic"


# Set it to a minute or more before a release.
SECONDS = float(os.environ.get("TORCHOP_LOAD_SECONDS", "4"))


def test_under_load_for_some_seconds(in_python):
    """Everything at once: methods that need Python inside, properties, pickles, copies, errors, objects that want each other. Pickles,
    copies and properties wait with Python's lock in hand, methods without. Nobody hangs, nothing is lost."""
    tallies = [classes.Tally(0) for _ in range(3)]
    pots = [classes.Tally(0) for _ in range(3)]
    queue = classes.Queue()
    queue.push(torch.zeros(2))
    in_python["call"] = lambda x: x + 1
    x, end, counts, refused = torch.ones(1), time.monotonic() + SECONDS, [0] * 8, [0] * 8

    def run(number):
        k = number
        while time.monotonic() < end:
            k += 1
            tally = tallies[k % 3]
            tally.add()
            counts[number] += 1
            kind = k % 9
            if kind == 0:
                tally.change_and_call(x)
                counts[number] += 1
            elif kind == 1:
                tally.read_and_call(x)
            elif kind == 2:
                assert copy.deepcopy(tally).step == 1
            elif kind == 3:
                raised(tally.add_and_fail)
                counts[number] += 1
            elif kind == 4:
                tally.label = "other"
                assert tally.label in ("tally", "other") and tally.count > 0
            elif kind == 5:
                assert pickle.loads(pickle.dumps(tally)).count > 0
            elif kind == 6:
                queue.push(x)
                queue.pop()
                assert len(pickle.loads(pickle.dumps(queue)).__obj_flatten__()[0][1]) > 0
            elif kind == 7:
                # Two objects, in either order: an error where neither would end.
                try:
                    pots[k % 3].take_from(pots[(k + number) % 3])
                except RuntimeError as error:
                    assert "would never end" in str(error) or "being changed" in str(error)
                    refused[number] += 1
            else:
                file = io.BytesIO()
                torch.save(tally, file)
                file.seek(0)
                assert torch.load(file, weights_only=False).step == 1 and dict(tally.__obj_flatten__())["count"] > 0

    assert together(8, run, SECONDS + 60) == []
    assert sum(tally.count for tally in tallies) == sum(counts)
    print(f"{sum(counts):,} changes, {sum(refused):,} calls refused")


@pytest.mark.parametrize("kind", ["Tally", "Counted"])
def test_methods_that_only_read_run_at_once(in_python, kind):
    """Two threads are inside methods of one object at the same time; `bench/` measures the speed."""
    met = threading.Barrier(2, timeout=20)

    def meet(x):
        met.wait()
        return x + 1

    in_python["call"] = meet
    thing = classes.Tally(1) if kind == "Tally" else classes.Counted("")
    call = thing.read_and_call if kind == "Tally" else thing.call_out
    assert together(2, lambda _: call(torch.ones(1))) == []
