"""Runs a script or a module under AddressSanitizer as Python would, then looks for leaks.

    python leak_checked.py repeat.py ARGUMENTS…
    python leak_checked.py -m pytest ARGUMENTS…

Memory errors end the process where they happen, by the sanitizer itself. Leaks are looked for here, once the script is done:
Python and torch leave memory behind too, so a leak counts as ours if a function of our libraries allocated it, or if there are
at least as many of it as `repeat.py` makes rounds (a reference that we forgot, to what somebody else had allocated).
"""

import ctypes
import gc
import os
import re
import runpy
import sys
import tempfile

OURS = re.compile(r"\blib\w+_ops\.so")
REPEATED = 200


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


def ours(report):
    leaks = re.findall(r"^((?:Direct|Indirect) leak of \d+ byte\(s\) in (\d+) object\(s\).*?)(?:\n\n|\Z)", report, re.M | re.S)
    return [leak for leak, objects in leaks if OURS.search(leak) or int(objects) >= REPEATED], len(leaks)


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
    if status := run(sys.argv[1:]):
        sys.exit(status)
    found, all_of_them = ours(report())
    if found:
        sys.exit("\n\n".join(found) + f"\n\n{len(found)} leaks")
    print(f"- no leak of ours ({all_of_them} places where Python and torch leave memory behind)")


if __name__ == "__main__":
    main()
