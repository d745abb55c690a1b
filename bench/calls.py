"""Time per call, from Python and from a C++ loop. Counterparts take turns in one process; several processes, since where
code and data come to lie shifts a process by some percent."""

import json
import statistics
import sys
import timeit
from pathlib import Path

import torch

import counterparts

CLASS = "__torch__.torch.classes.{}.Counter"


def python_calls(name, case):
    """A statement that calls the operator or method once, and its names."""
    x, y = torch.ones(4), torch.ones(4)
    if case == "method":
        counter = getattr(torch.classes, f"bench_{name}").Counter(7)
        return "f(x)", {"f": counter.count, "x": x}
    op = getattr(getattr(torch.ops, f"bench_{name}"), case)
    if case == "written":
        return "f(x, y)", {"f": op, "x": x, "y": y}
    if case == "five":
        return "f(x, y, 1.5, 7, True)", {"f": op, "x": x, "y": y}
    arguments = ", ".join(["x"] * (14 if case == "fourteen" else 1))
    return f"f({arguments})", {"f": op, "x": x}


def take_turns(timers, rounds, calls):
    """Nanoseconds per call of each round: {name: [ns, …]}. The order turns with the round."""
    names = list(timers)
    times = {name: [] for name in names}
    for name in names:
        timers[name](calls)  # warm
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            times[name].append(timers[name](calls))
    return times


def in_this_process(rust, cpp, quick):
    """{"python": {case: {name: [ns, …]}}, "loop": …}"""
    loop = counterparts.load(rust, counterparts.built(cpp))
    rounds = 20 if quick else 60
    result = {"python": {}, "loop": {}}
    for case in counterparts.CASES:
        timers = {}
        for name in counterparts.SIDES.get(case, counterparts.OPS):
            statement, names = python_calls(name, case)
            timer = timeit.Timer(statement, globals=names)
            timers[name] = lambda calls, timer=timer: timer.timeit(calls) / calls * 1e9
        result["python"][case] = take_turns(timers, rounds, 2_000)
        timers = {}
        for name in counterparts.SIDES.get(case, counterparts.COMPILED):
            if case == "method":
                timers[name] = lambda calls, c=CLASS.format(f"bench_{name}").encode(): loop.bench_method(c, b"count", calls)
            else:
                timers[name] = lambda calls, op=f"bench_{name}::{case}".encode(): loop.bench_op(op, calls)
        result["loop"][case] = take_turns(timers, rounds, 20_000)
        if any(ns < 0 for times in result["loop"][case].values() for ns in times):
            raise RuntimeError(f"{case}: the C++ loop failed; its message is above")
    return result


def measure(run, rust, cpp, quick):
    """Over all processes: {"python": {case: {name: {"min": ns, "median": ns}}}, "loop": …}

    The smallest is that of the process in which the machine let the counterpart be fastest; a ratio of smallest times is
    therefore one of undisturbed times.
    """
    processes = []
    for number in range(2 if quick else 5):
        print(f"calls: process {number + 1}", flush=True)
        output = run([__file__, str(rust), str(cpp), "quick" if quick else "full"])
        processes.append(json.loads(output.splitlines()[-1]))
    return {
        way: {
            case: {
                name: {
                    "min": min(min(process[way][case][name]) for process in processes),
                    "median": statistics.median(ns for process in processes for ns in process[way][case][name]),
                }
                for name in names
            }
            for case, names in cases.items()
        }
        for way, cases in processes[0].items()
    }


if __name__ == "__main__":
    rust, cpp, speed = sys.argv[1:]
    print(json.dumps(in_this_process(rust, Path(cpp), speed == "quick")))
