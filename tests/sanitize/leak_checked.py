"""Runs a script or a module under AddressSanitizer as Python would, then looks for leaks.

    python leak_checked.py repeat.py ARGUMENTS…
    python leak_checked.py -m pytest ARGUMENTS…

Memory errors end the process where they happen, by the sanitizer itself. Leaks are looked for here, once the script is done.
Python and torch leave memory behind too, so a leak counts as ours if a function of our libraries allocated it, or if it
happened as often as `repeat.py` makes rounds, Python's own objects aside. A tensor that Python has seen is never a leak to the
sanitizer, since Python's garbage collector knows it: `repeat.py` counts those.
"""

import ctypes
import gc
import os
import re
import runpy
import sys
import tempfile

OURS = re.compile(r"/lib(\w+_ops|torchop_test_\w+)\.so\b")
OFTEN = 200
# Python's own objects, told by who called malloc.
PYTHONS = re.compile(r"^#1 .*/(lib)?python[\w.]*\)$", re.M)
# A symbol's node is held by a tagged address, in which the sanitizer sees none: what torch's caches hold of a test session looks lost.
# `repeat.py` makes symbols in rounds, and none of them may be.
SYMBOLS = "PythonSymNodeImpl"
# Callers that tell one leak from another. Torch's libraries keep no frame pointers: further up, the stack is guesswork.
CALLERS = 3


def report():
    """LeakSanitizer's report, suppressions left out; empty if there is nothing."""
    sanitizer = ctypes.CDLL(None)
    with tempfile.TemporaryDirectory() as folder:
        gc.collect()
        sanitizer.__sanitizer_set_report_path(os.path.join(folder, "leaks").encode())
        sanitizer.__lsan_do_recoverable_leak_check()
        sanitizer.__sanitizer_set_report_path(b"stderr")
        files = [os.path.join(folder, name) for name in os.listdir(folder)]
        return "".join(open(file, errors="replace").read() for file in files)


def leaks(report):
    """From a place to the number of objects that leaked there, and the first block about it."""
    places = {}
    for block in re.split(r"\n\n+", report):
        head = re.match(r"(Direct|Indirect) leak of \d+ byte\(s\) in (\d+) object\(s\)", block)
        if head:
            addresses = dict.fromkeys(re.findall(r"^#\d+ (0x\w+)", block, re.M))
            place = (head[1], *list(addresses)[: CALLERS + 1])
            objects, first = places.get(place, (0, block))
            places[place] = (objects + int(head[2]), first)
    return places


def ours(places, session):
    found = []
    for objects, block in places.values():
        if session and SYMBOLS in block and not OURS.search(block):
            continue
        if OURS.search(block) or (objects >= OFTEN and not PYTHONS.search(block)):
            found.append(f"{objects} such leaks, the first of them:\n{block}")
    return found


def run(arguments):
    """0, or what the script exits with."""
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as exit:
        return exit.code or 0
    return 0


def main():
    # Programs that the script starts (compilers, other Pythons) leak as they please.
    os.environ["ASAN_OPTIONS"] += ":detect_leaks=0"
    session = sys.argv[1:3] == ["-m", "pytest"]
    if status := run(sys.argv[1:]):
        sys.exit(status)
    # Only once: the sanitizer knows the names in those libraries that were there at its first report.
    places = leaks(report())
    if found := ours(places, session):
        sys.exit("\n\n".join(found) + f"\n\nmemory leaks, from {len(found)} places")
    print(f"- no leak of ours ({len(places)} places where Python and torch leave memory behind)")


if __name__ == "__main__":
    main()
