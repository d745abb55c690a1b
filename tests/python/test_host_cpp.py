"""The test ops in a C++ program without Python: `tests/host_cpp/host.cpp`, one check per test."""

import os
import pathlib
import re
import subprocess

import pytest
import torch

from conftest import EXAMPLE, REPO, TESTS

SOURCE = REPO / "tests/host_cpp/host.cpp"
CHECKS = re.findall(r'^    \{"([\w-]+)", \[\]', SOURCE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    program = tmp_path_factory.mktemp("host") / "host"
    root = pathlib.Path(torch.__file__).parent
    done = subprocess.run(
        ["g++", "-std=c++20", "-O1", f"-isystem{root}/include", f"-isystem{root}/include/torch/csrc/api/include",
         f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", SOURCE, "-o", program, f"-L{root}/lib",
         f"-Wl,-rpath,{root}/lib", "-ltorch_cpu", "-lc10", "-ldl", "-pthread"],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    return program


def test_every_check_has_a_test(host):
    assert subprocess.run([host, "--list"], capture_output=True, text=True).stdout.split() == sorted(CHECKS)


@pytest.mark.parametrize("check", CHECKS)
def test_host(host, check):
    done = subprocess.run([host, TESTS, check], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr[-2000:]}"


def test_a_failed_load_is_a_line_on_stderr(host, tmp_path):
    """Two libraries of the same names: the program lives, and reads why."""
    copy = tmp_path / "copy.so"
    copy.write_bytes(pathlib.Path(TESTS).read_bytes())
    preload = " ".join(filter(None, (os.environ.get("LD_PRELOAD"), TESTS)))
    environment = {**os.environ, "LD_PRELOAD": preload}
    done = subprocess.run([host, copy, "op"], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    assert "torchop: not loaded" in done.stderr and str(copy) in done.stderr and TESTS in done.stderr
    assert EXAMPLE not in done.stderr
