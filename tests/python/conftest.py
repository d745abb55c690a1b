"""The libraries under test, loaded once, and what several test files share.

`TORCHOP_LIB_EXAMPLE` and `TORCHOP_LIB_TESTS` name the files, others the files of single tests (`cargo xtask test` sets them).
"""

import gc
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
import torch

TORCH = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
REPO = pathlib.Path(__file__).resolve().parents[2]


def library(variable):
    path = os.environ.get(variable)
    if not path:
        pytest.exit(f"{variable} is not set: it names the library under test; `cargo xtask test` builds it and sets it", 2)
    return os.path.abspath(path)


# What its checks compare is shown.
pytest.register_assert_rewrite("one_compile")

# Some tests panic hundreds of times.
os.environ["RUST_BACKTRACE"] = "0"

EXAMPLE = library("TORCHOP_LIB_EXAMPLE")
TESTS = library("TORCHOP_LIB_TESTS")

torch.ops.load_library(EXAMPLE)
torch.ops.load_library(TESTS)

# The CPU kernel of `test_ops::in_python`; a test puts there what it needs.
python_kernel = {"call": lambda x: x + 1}
_in_python = torch.library.Library("test_ops", "IMPL")
_in_python.impl("in_python", lambda x: python_kernel["call"](x), "CPU")


@pytest.fixture
def in_python():
    """`in_python["call"] = f` makes f the kernel of `test_ops::in_python`."""
    before = dict(python_kernel)
    yield python_kernel
    python_kernel.update(before)


@pytest.fixture(autouse=True)
def clean():
    """No test sees the graphs or random numbers of another."""
    torch.manual_seed(0)
    yield
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()


@pytest.fixture
def process():
    """Runs Python text in a process of its own; gives its standard output. `EXAMPLE` and `TESTS` are the paths."""

    def run(code, expect=0, **variables):
        code = f"EXAMPLE, TESTS = {EXAMPLE!r}, {TESTS!r}\n" + textwrap.dedent(code)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            capture_output=True, text=True, timeout=120, env={**os.environ, **variables},
        )
        assert done.returncode == expect, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    return run


def raised(call):
    """The exception's class name and its text, without the address of this test."""
    try:
        result = call()
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError(f"no exception, but {result!r}")


def chain(error):
    """All exceptions behind an exception, the outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def compiles(fn, backend="aot_eager", **options):
    """`fn` compiled afresh, and a list that grows by one graph per compile."""
    torch._dynamo.reset()
    graphs = []
    inner = torch._dynamo.lookup_backend(backend)

    def counting(graph, inputs):
        graphs.append(graph)
        return inner(graph, inputs)

    return torch.compile(fn, backend=counting, **options), graphs


def alive():
    """How many `test_ops::Counted` live."""
    gc.collect()
    return torch.ops.test_ops.alive()
