"""The gates, and the readable table."""

import statistics

import arguments
import aten
import layers
import objects
import packages
import scale
import tensors
from counterparts import CASES, COMPILED, OPS, TITLES

# Ratios count as they are shown, with two decimals.
GATED = ("one", "five", "fourteen", "method")

SCALE = {
    "build": 1.5, "build against TORCH_FN": 0.25, "build with a backward": 1.0, "clean build of 100": 0.5, "bytes": 1.0,
    "bytes with a backward": 1.0, "load": 1.0, "load with a backward": 1.0, "growth": 1.25,
}
SCALE_TEXTS = {
    "clean build of 100": "clean build of 100 operators: of C++, headers included",
    "growth": "time to build per operator, 10 to 1,000: of that from 10 to 100",
}


def gates(results):
    """[{"gate": …, "value": …, "limit": …, "reached": …}, …]"""
    rows = []

    def gate(text, value, limit, note=""):
        rows.append({"gate": text, "value": round(value, 2), "limit": limit, "reached": round(value, 2) <= limit, "note": note})

    calls, builds, loads = results.get("calls"), results.get("builds"), results.get("loads")
    if calls:
        for case in GATED:
            times = calls["python"][case]
            gate(f"from Python, {CASES[case]}: of the C++ typed function", ratio(times, "rust", "typed"), 1.0)
        for case in ("one", "five"):
            gate(f"C++ loop, {CASES[case]}: of the empty boxed kernel", ratio(calls["loop"][case], "rust", "boxed"), 1.1)
        for case in ("one", "five", "fourteen"):
            times = calls["loop"][case]
            floor = f"the empty boxed kernel: {ratio(times, 'boxed', 'stable'):.2f}"
            gate(f"C++ loop, {CASES[case]}: of the stable ABI", ratio(times, "rust", "stable"), 0.4, floor)
    for case, times in results.get("objects", {}).items():
        note = f"of C++ without a lock: {ratio(times, 'rust', 'unlocked'):.2f}" if "unlocked" in times else ""
        gate(f"from Python, {objects.CASES[case][2]}: of the same class in C++", ratio(times, "rust", "typed"), 1.0, note)
    for title, speedup in results.get("object threads", {}).items():
        # As a time, since a gate is a most.
        gate(f"2 threads in methods of one object, {title}: time, of 1 thread's for as much", 1 / speedup, 1 / 1.8, f"{speedup:.2f} times")
    prices = results.get("arguments")
    if prices:
        plain = [case for case in prices if case not in ("none", *arguments.COMPOUND, *arguments.COUNTED)]
        worst = max(plain, key=lambda case: arguments.price(prices, case))
        gate("price of one plain argument, ns: the dearest", arguments.price(prices, worst), 1.2, worst)
        worst = max(arguments.COMPOUND, key=lambda case: prices[case]["rust"] / prices[case]["typed"])
        gate("call with four lists or strings: of the C++ typed function", prices[worst]["rust"] / prices[worst]["typed"], 1.0, worst)
    tensor = results.get("tensors")
    if tensor:
        kept = tensor["loops"]["sizes_kept"]
        gate("sizes and strides in a loop: of C++", ratio(kept, "rust", "cpp"), 1.1)
        for name in tensors.METADATA:
            gate(f"metadata in a loop, {tensors.LOOPS[name]}: of C++", ratio(tensor["loops"][name], "rust", "cpp"), 1.1)
        for name, sides in tensor["elementwise"].items():
            gate(f"element-wise, {name}: time, of torch's own", ratio(sides, "rust", "torch"), 1 / 0.95)
        one, two = (tensor["threads"][n]["min"] for n in "12")
        gate("a parallel loop on 2 threads: time, of 1 thread's", two / one, 1 / 1.8)
    for name, times in results.get("layers", {}).items():
        gate(f"rms_norm, {name}: time, of torch's eager one", ratio(times, "rust", "eager"), 1.0, f"of the compiled one: {ratio(times, 'rust', 'compiled'):.2f}")
    for case, times in results.get("packages", {}).items():
        title = packages.CASES[case][0]
        gate(f"load the library and the package of {title}: of C++", ratio(times["load"], "rust", "cpp"), 1.05)
        if case == "example":
            gate(f"run {title}: of C++", ratio(times["run"], "rust", "cpp"), 1.05)
        else:
            # So small that the checks show, which C++ has not.
            gate(f"run {title}: ns beyond C++", times["run"]["rust"]["min"] - times["run"]["cpp"]["min"], 150.0)
    if "aten" in results:
        prices = {case: ratio(times, "rust", "cpp") for case, times in results["aten"].items()}
        worst = max(prices, key=prices.get)
        gate("a call of torch's operators on 3 x 4: of C++, the median of all", statistics.median(prices.values()), 1.3)
        gate("a call of torch's operators on 3 x 4: of C++, the dearest", prices[worst], 1.3, aten.CASES[worst])
    if builds:
        gate("rebuild after one edit: of g++", ratio(builds, "rust", "typed"), 0.25)
    if "scale" in results:
        for name, limit in SCALE.items():
            ours, theirs = scale.summary(results["scale"])[name]
            gate(SCALE_TEXTS.get(name, f"1,000 operators, {name} per operator: of C++"), ours / theirs, limit)
    if loads:
        gate("load: milliseconds beyond the C++ library's", loads["rust"]["min"] - loads["typed"]["min"], 5.0)
    return rows


def ratio(times, name, against, what="min"):
    return times[name][what] / times[against][what]


def table(results):
    lines = [f"torchop's bench, torch {results['torch']}, {results['machine']}"]
    calls = results.get("calls")
    for way, title in (("python", "From Python"), ("loop", "From a C++ loop, boxed")):
        if not calls:
            break
        lines += ["", f"{title}: ns per call, smallest (median); after the bar, torchop's time as a ratio of the smallest, of the medians"]
        for case, case_title in CASES.items():
            times = calls[way][case]
            lines.append(f"  {case_title}")
            for name in OPS if way == "python" else COMPILED:
                if name in times:
                    row = f"    {TITLES[name]:<28}{times[name]['min']:>9.1f} ({times[name]['median']:.1f})"
                    if name != "rust":
                        row = f"{row:<58} | {ratio(times, 'rust', name):.2f}  {ratio(times, 'rust', name, 'median'):.2f}"
                    lines.append(row)
    if "objects" in results:
        lines += ["", "Objects, from Python: ns, smallest (median)               torchop                  C++"]
        for case, times in results["objects"].items():
            lines.append(f"  {objects.CASES[case][2]:<40}{pair(times['rust']):>24} {pair(times['typed']):>20}")
    for title, speedup in results.get("object threads", {}).items():
        lines.append(f"  2 threads in `&self` methods of one object, {title}: {speedup:.2f} times one")
    if "arguments" in results:
        lines += argument_table(results["arguments"])
    builds, loads, sizes = results.get("builds"), results.get("loads"), results.get("sizes")
    lines += ["", "                                 torchop          C++"]
    if builds:
        if "clean" in builds:
            lines.append(f"Clean build, s          {builds['clean']:>16.1f}")
        lines.append(f"Build after one edit, s {builds['rust']['min']:>16.2f} {builds['typed']['min']:>12.2f}")
    if sizes:
        for what in ("built", "stripped"):
            lines.append(f"Size {what:<8}, kB       {sizes['rust'][what] / 1e3:>16.0f} {sizes['typed'][what] / 1e3:>12.0f}")
    if loads:
        lines.append(f"Load, ms (median)       {pair(loads['rust']):>16} {pair(loads['typed']):>12}")
    if "scale" in results:
        lines += scale_table(results["scale"])
    if "tensors" in results:
        lines += ["", *tensors.lines(results["tensors"])]
    if "layers" in results:
        lines += ["", *layers.lines(results["layers"])]
    if "packages" in results:
        lines += ["", *packages.lines(results["packages"])]
    if "aten" in results:
        lines += ["", *aten.lines(results["aten"])]
    rows = gates(results)
    if rows:
        lines += ["", "Gates"]
    for row in rows:
        state = "reached" if row["reached"] else "MISSED "
        note = f"   ({row['note']})" if row["note"] else ""
        lines.append(f"  {state} {row['value']:>6.2f}  at most {row['limit']:.2f}  {row['gate']}{note}")
    return "\n".join(lines) + "\n"


def argument_table(prices):
    lines = ["", "One argument, ns beyond the empty boxed kernel        torchop   C++ typed | call with four, of the C++ typed"]
    for case in prices:
        if case != "none":
            ours, theirs = (arguments.price(prices, case, name) for name in ("rust", "typed"))
            lines.append(f"  {case:<48}{ours:>10.2f} {theirs:>11.2f} | {prices[case]['rust'] / prices[case]['typed']:.2f}")
    return lines


def scale_table(results):
    titles = {
        "rust": "torchop: kernel, fake", "rust_backward": "torchop: and backward", "typed": "C++: kernel, fake",
        "torch_fn": "C++: the same, TORCH_FN", "typed_backward": "C++: autograd::Function",
    }
    lines = ["", f"Many operators of 50 signatures {'number':>8} {'build, s':>10} {'kB, stripped':>14} {'load, ms':>10}"]
    for variant, rows in results.items():
        for count, row in rows.items():
            lines.append(f"  {titles[variant]:<30}{count:>8} {row['build']:>10.2f} {row['bytes'] / 1e3:>14.0f} {row['load']:>10.2f}")
    return lines


def pair(values):
    return f"{values['min']:.2f} ({values['median']:.2f})"
