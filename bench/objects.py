"""Time of what is done with objects from Python: constructor, property, setter, method that changes the object; and how far two
threads in methods that only read get. Against the same classes in C++, in turns, as in `calls.py`."""

import json
import statistics
import sys
import threading
import time
import timeit
from pathlib import Path

import torch

import calls
import counterparts

CASES = {
    "constructor": ("C(7)", "Counter", "constructor"),
    "property": ("c.start", "Counter", "property"),
    "method": ("f(x)", "Counter", "method, 1 tensor"),
    "changing": ("f(x)", "Tally", "`&mut self` method, 1 tensor"),
    "changing property": ("c.count", "Tally", "property of a class that changes"),
    "setter": ("c.count = 3", "Tally", "property written"),
}
METHODS = {"method": "count", "changing": "add"}
# `rust` is held against `typed`; `unlocked` is a C++ class without a lock, where `typed` has one.
NAMES = ("rust", "typed", "unlocked")


def timers(case):
    statement, kind, _ = CASES[case]
    result = {}
    for name in NAMES:
        if name == "unlocked" and kind != "Tally":
            continue
        namespace = getattr(torch.classes, "bench_rust" if name == "rust" else "bench_typed")
        make = getattr(namespace, "Unlocked" if name == "unlocked" else kind)
        thing = make(7)
        names = {"C": make, "c": thing, "x": torch.ones(4), "f": getattr(thing, METHODS.get(case, "__init__"), None)}
        timer = timeit.Timer(statement, globals=names)
        result[name] = lambda count, timer=timer: timer.timeit(count) / count * 1e9
    return result


def in_this_process(rust, cpp, quick):
    counterparts.load(rust, counterparts.built(cpp))
    return {case: calls.take_turns(timers(case), 20 if quick else 60, 2_000) for case in CASES}


def measure(run, rust, cpp, quick):
    """{case: {name: {"min": ns, "median": ns}}}"""
    processes = []
    for number in range(2 if quick else 5):
        print(f"objects: process {number + 1}", flush=True)
        output = run([__file__, str(rust), str(cpp), "quick" if quick else "full"])
        processes.append(json.loads(output.splitlines()[-1]))
    return {
        case: {
            name: {
                "min": min(min(process[case][name]) for process in processes),
                "median": statistics.median(ns for process in processes for ns in process[case][name]),
            }
            for name in processes[0][case]
        }
        for case in CASES
    }


# Rounds of `work`, which does nothing but compute in a method that reads: some tenths of a second.
ROUNDS = 100_000_000


def speedups(run, rust, quick):
    """{class: how much two threads did of what one did in the same time}, in a fresh process."""
    print("objects: two threads", flush=True)
    return json.loads(run([__file__, str(rust), "-", "threads, quick" if quick else "threads"]).splitlines()[-1])


def speedups_here(rust, quick):
    torch.ops.load_library(rust)
    things = {"a class that stays as it is": "Counter", "a class that changes": "Tally"}
    objects = {title: getattr(torch.classes.bench_rust, name)(7) for title, name in things.items()}
    return {title: speedup(lambda thing=thing: thing.work(ROUNDS), 3 if quick else 10) for title, thing in objects.items()}


def speedup(call, tries):
    """The most that two threads did of what one did in the same time."""
    best = 0.0
    for _ in range(tries):
        spent = {}
        for count in (1, 2):
            threads = [threading.Thread(target=call) for _ in range(count)]
            start = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            spent[count] = time.perf_counter() - start
        best = max(best, 2 * spent[1] / spent[2])
    return best


if __name__ == "__main__":
    rust, cpp, what = sys.argv[1:]
    if what.startswith("threads"):
        print(json.dumps(speedups_here(rust, what != "threads")))
    else:
        print(json.dumps(in_this_process(rust, Path(cpp), what == "quick")))
