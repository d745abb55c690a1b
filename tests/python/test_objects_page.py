"""The table of docs/objects.md, cell by cell: what it calls "yes" gives eager's values, what it calls "no" raises an exception."""

import functools
import io
import pathlib
import re
import tempfile

import pytest
import torch

from conftest import REPO, compiles

classes, ops = torch.classes.test_ops, torch.ops.test_ops

# Of each line of the table: what is called, with an object, another one and a tensor.
CALLS = {
    "operator(`C`), method(x), method(`C`)": [
        lambda a, b, x: ops.apply_scale(a, x),
        lambda a, b, x: a.forward(x),
        lambda a, b, x: a.with_other(b, x),
        lambda a, b, x: a.like_other(b, x),
        lambda a, b, x: a.through_other(b, x),
        lambda a, b, x: a.through_other(a, x),
    ],
    "operator(`C?`) with `None`": [lambda a, b, x: ops.maybe_scale(x, None)],
    "operator(`C?`) with an object, operator(`C[]`)": [
        lambda a, b, x: ops.maybe_scale(x, a),
        lambda a, b, x: ops.all_scales(x, [a, b]),
    ],
    "operator or method that returns `C`": [
        lambda a, b, x: ops.apply_scale(ops.same_scale(a), x),
        lambda a, b, x: a.itself().forward(x),
    ],
    "method that returns a float": [lambda a, b, x: x * a.get()],
    "method that returns another number": [lambda a, b, x: x * size_of(a)],
    "constructor inside": [lambda a, b, x: classes.Scale(3.0).forward(x)],
    "property": [lambda a, b, x: x * a.factor],
    "object as attribute": [lambda a, b, x: a.forward(x)],
    "object as input": [lambda a, b, x: a.forward(x)],
}
COLUMNS = ("eager", "compile", "export, not strict", "AOTInductor")

table = None


def size_of(_):
    return table.size()


def page():
    """{line: {column: text}}"""
    lines = [line for line in (REPO / "docs/objects.md").read_text().splitlines() if line.startswith("|")]
    start = next(i for i, line in enumerate(lines) if "AOTInductor" in line)
    cells = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    assert cells(lines[start])[1:] == list(COLUMNS)
    return {cells(line)[0]: dict(zip(COLUMNS, cells(line)[1:])) for line in lines[start + 2:]}


def test_every_line_is_tried():
    assert list(page()) == list(CALLS)


class Net(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.a, self.b, self.call = classes.Scale(2.0), classes.Scale(5.0), call

    def forward(self, x):
        return self.call(self.a, self.b, x)


class Takes(torch.nn.Module):
    """The object is an input."""

    def __init__(self, call):
        super().__init__()
        self.b, self.call = classes.Scale(5.0), call

    def forward(self, a, x):
        return self.call(a, self.b, x)


def packaged(net, inputs, path):
    program = torch.export.export(net, inputs, strict=False)
    return torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(program, package_path=str(path)))


def attempt(column, line, call, path):
    """The value that comes out."""
    is_input = line == "object as input"
    net = Takes(call) if is_input else Net(call)
    inputs = (classes.Scale(2.0), torch.arange(6.0).reshape(2, 3)) if is_input else (torch.arange(6.0).reshape(2, 3),)
    if column == "eager":
        return net(*inputs)
    if column == "compile":
        return compiles(net, "inductor", fullgraph=True)[0](*inputs)
    if column == "AOTInductor":
        return packaged(net, inputs, path / "model.pt2")(*inputs)
    program = torch.export.export(net, inputs, strict=False)
    if "not saved" not in page()[line][column] and not is_input:
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        torch.testing.assert_close(torch.export.load(file).module()(*inputs), net(*inputs))
    return program.module()(*inputs)


EXPECTED = {
    "operator(`C`), method(x), method(`C`)": lambda k, x: x * (2, 2, 10, 10, 10, 4)[k],
    "operator(`C?`) with `None`": lambda k, x: x,
    "operator(`C?`) with an object, operator(`C[]`)": lambda k, x: x * (2, 10)[k],
    "operator or method that returns `C`": lambda k, x: x * 2,
    "method that returns a float": lambda k, x: x * 2,
    "method that returns another number": lambda k, x: x * 4,
    "constructor inside": lambda k, x: x * 3,
    "property": lambda k, x: x * 2,
    "object as attribute": lambda k, x: x * 2,
    "object as input": lambda k, x: x * 2,
}


@torch.no_grad()
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("line", CALLS)
def test_cell(line, column, tmp_path):
    global table
    table = classes.Table(torch.arange(4.0), 1.5, "rows")
    says = page()[line][column]
    assert re.match(r"(yes|no)\b|as a constant", says), says
    if says.startswith("no"):
        for call in CALLS[line]:
            with pytest.raises(Exception):
                attempt(column, line, call, tmp_path)
        return
    for k, value in enumerate(values_of(column, line)):
        torch.testing.assert_close(value, EXPECTED[line](k, torch.arange(6.0).reshape(2, 3)))


@functools.cache
def of_all_lines(column):
    """All that a column can do, but for objects as inputs, in one graph: compiling takes time."""
    lines = [line for line in CALLS if page()[line][column].startswith("yes") and line != "object as input"]
    run = lambda *args: tuple(tuple(call(*args) for call in CALLS[line]) for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        return dict(zip(lines, attempt(column, None, run, pathlib.Path(folder))))


def values_of(column, line):
    if column in ("compile", "AOTInductor") and line != "object as input":
        return of_all_lines(column)[line]
    return attempt(column, line, lambda *args: tuple(call(*args) for call in CALLS[line]), None)
