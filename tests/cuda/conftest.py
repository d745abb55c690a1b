"""The libraries under test, on CUDA. `cargo xtask cuda` builds and carries them, and says how to run this on a machine with a GPU.

The variables `TORCHOP_LIB_EXAMPLE` and so on name the files. What needs a GPU is skipped without one.
"""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))  # the CPU's tests of the same operators

LIBRARIES = {}
for name in ("EXAMPLE", "TESTS", "TO_CONTIGUOUS", "RMS_NORM", "DLPACK"):
    path = os.environ.get(f"TORCHOP_LIB_{name}")
    if not path:
        pytest.exit(f"TORCHOP_LIB_{name} is not set: it names a library under test; `cargo xtask test` builds it and sets it", 2)
    LIBRARIES[name] = os.path.abspath(path)
    torch.ops.load_library(LIBRARIES[name])

GPUS = torch.cuda.device_count()
os.environ["RUST_BACKTRACE"] = "0"


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu(count): needs that many GPUs")


def pytest_collection_modifyitems(items):
    for item in items:
        wanted = [*[mark.args[0] if mark.args else 1 for mark in item.iter_markers("gpu")]]
        if wanted and GPUS < max(wanted):
            item.add_marker(pytest.mark.skip(reason=f"needs {max(wanted)} GPU(s), torch sees {GPUS} here"))


@pytest.fixture(autouse=True)
def clean():
    torch.manual_seed(0)
    yield
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()


@pytest.fixture
def libraries():
    """Paths, by name."""
    return LIBRARIES


@pytest.fixture
def process(tmp_path):
    """Runs Python text in a process of its own; gives what it prints."""

    def run(code, expect=0, **variables):
        head = "".join(f"{name} = {path!r}\n" for name, path in LIBRARIES.items())
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", head + textwrap.dedent(code)],
            capture_output=True, text=True, timeout=300, env={**os.environ, **variables},
        )
        assert done.returncode == expect, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    return run
