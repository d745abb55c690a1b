"""Objects end once, on any thread, at any time."""

import gc
import threading

import torch

from conftest import alive

classes, ops = torch.classes.test_ops, torch.ops.test_ops


def test_a_panic_in_drop_ends_nothing():
    before = ops.drops()
    for _ in range(3):
        classes.BadDrop()
    things = [classes.BadDrop()]
    thread = threading.Thread(target=things.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert ops.drops() == before + 4
    assert classes.Scale(2.0).factor == 2.0


def test_a_panic_in_drop_that_nobody_can_be_told(process):
    """All that is written to stderr is refused."""
    said = process("""
        import gc, os, torch
        torch.ops.load_library(TESTS)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, 2)
        before = torch.ops.test_ops.drops()
        torch.classes.test_ops.BadDrop()
        gc.collect()
        print("drops", torch.ops.test_ops.drops() - before, flush=True)
        # Python would complain of its own stderr.
        os._exit(0)
    """)
    assert said == "drops 1\n"


def test_the_last_reference_may_go_on_another_thread():
    before = alive()
    things = [classes.Counted("") for _ in range(50)]
    threads = [threading.Thread(target=lambda: [things.pop() for _ in range(10)]) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alive() == before


EXIT = """
import sys, atexit, threading, torch
torch.ops.load_library(EXAMPLE)
torch.ops.load_library(TESTS)
C = torch.classes.test_ops
class Keep:
    kept = [C.Counted(""), C.Tally(1), C.Queue(), C.BadDrop(), C.Bag([1])]
module_level = Keep.kept + [C.Counted("").forward]
torch.kept_here = module_level
C.Queue().push(torch.ones(2))
ring = [C.Counted("")]
ring.append(ring)
"""


def test_objects_that_live_at_exit(process):
    assert "done" in process(EXIT + "print('done')")
    assert "done" in process(EXIT + "atexit.register(lambda: print(C.Tally(3).add() == 4 and 'done'))")


def test_exit_while_threads_wait_for_an_object(process):
    """One thread never leaves a method; others wait for it, with and without Python's lock in hand. (Threads that come back while
    Python shuts down end the process, in torch's own calls too.)"""
    out = process(
        EXIT
        + """
import copy, time
lib = torch.library.Library("test_ops", "IMPL")
lib.impl("in_python", lambda x: threading.Event().wait(), "CPU")
tally = C.Tally(0)
calls = (lambda: tally.change_and_call(torch.ones(1)), tally.add, lambda: tally.count, lambda: copy.deepcopy(tally))
for call in calls:
    threading.Thread(target=call, daemon=True).start()
    time.sleep(0.1)
print("done", flush=True)
"""
    )
    assert "done" in out
