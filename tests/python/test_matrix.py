"""docs/types.md says what is seen: all of its columns that cost nothing, and one package of all that it calls right there
(tests/matrix has the cases; `cargo xtask matrix` measures the rest and writes the page)."""

import sys

import pytest
import torch

from conftest import REPO, TESTS

sys.path.insert(0, str(REPO / "tests/matrix"))
import columns  # noqa: E402
import table  # noqa: E402
from cases import cases  # noqa: E402

SEEN = table.seen().get(torch.__version__.split("+")[0])
measured = pytest.mark.skipif(SEEN is None, reason="the page is about other releases of torch")


def test_the_page_is_what_the_files_say():
    assert table.PAGE.read_text() == table.page()


@measured
def test_every_case_is_in_the_file():
    assert [case.key for case in cases()] == list(SEEN)


@measured
@pytest.mark.parametrize("column", ["eager", "export"])
def test_what_costs_nothing(column):
    """Whether it is right; and where it is not, which value arrives. The words of an error may change."""
    got = getattr(columns, column)(cases())
    kind = {key: verdict.split(": ")[0] for key, verdict in got.items()}
    assert kind == {key: verdicts[column].split(": ")[0] for key, verdicts in SEEN.items()}


@measured
def test_one_package_of_all_that_is_right(tmp_path):
    right = [case for case in cases() if SEEN[case.key]["python"] == SEEN[case.key]["cpp"] == columns.OK]
    assert len(right) > 60
    package = columns.package(right, tmp_path, "model")
    host = columns.build_host(tmp_path)
    expected = {case.key: columns.OK for case in right}
    assert columns.in_python(right, package) == expected
    assert columns.in_cpp(right, package, host, TESTS) == expected
