"""The libraries give nothing away and take nothing that a process without Python lacks."""

import re
import shutil
import subprocess

import pytest

from conftest import EXAMPLE, REPO, TESTS

libraries = pytest.mark.parametrize("path", [EXAMPLE, TESTS], ids=["example", "tests"])


def tool(*command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} on this machine")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@libraries
def test_nothing_is_exported(path):
    assert tool("nm", "-D", "--defined-only", path) == ""


@libraries
def test_no_symbol_of_python_is_wanted(path):
    undefined = tool("nm", "-D", "--undefined-only", path)
    assert not re.search(r"\b_?Py[A-Z_]\w*|pybind11", undefined)
    assert not re.search(r"\b(cuda|cu)[A-Z]\w*", undefined)


@libraries
def test_needed_libraries(path):
    dynamic = tool("readelf", "-d", path)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic))
    allowed = {"libtorch_cpu.so", "libc10.so", "libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libm.so.6",
               "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
    assert {"libtorch_cpu.so", "libc10.so"} <= needed <= allowed, needed


@libraries
def test_no_path_of_the_build_machine_is_searched(path):
    dynamic = tool("readelf", "-d", path)
    assert "RUNPATH" not in dynamic and "RPATH" not in dynamic
    assert str(REPO) not in dynamic
