"""AOTInductor packages with objects, in Python and in a C++ program: with the library before, after, and never."""

import pathlib
import subprocess

import pytest
import torch

from conftest import REPO, TESTS

classes, ops = torch.classes.test_ops, torch.ops.test_ops


class Net(torch.nn.Module):
    """Objects of two classes as attributes, two of one class, one with a tensor; methods, and operators that take objects."""

    def __init__(self):
        super().__init__()
        self.two, self.three = classes.Scale(2.0), classes.Scale(3.0)
        self.holder = classes.Holder(torch.arange(4.0))
        self.table = classes.Table(torch.arange(3.0), 1.5, "rows")
        self.custom = classes.Custom("ab", torch.full((4,), 0.5))
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.holder.forward(self.two.forward(self.linear(x)))
        y = ops.apply_scale(self.three, y) + ops.two_scales(self.two, y, self.three)
        y = self.custom.forward(self.table.forward(2.0, y))
        return ops.apply_table(y.sum(1), self.table)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package, and an input with what eager gives for it."""
    folder = tmp_path_factory.mktemp("package")
    net, x = Net().eval(), torch.rand(5, 4)
    with torch.no_grad():
        expected = net(x)
        program = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("n", min=2, max=64)},), strict=False)
        torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "model.pt2"))
        runner = torch._inductor.aoti_load_package(str(folder / "model.pt2"))
        torch.testing.assert_close(runner(x), expected)
        for n in (2, 9):
            x_n = torch.rand(n, 4)
            torch.testing.assert_close(runner(x_n), net(x_n))
    torch.save((x, expected), folder / "io.pt")
    return folder


def test_in_this_process(package):
    x, expected = torch.load(package / "io.pt")
    a, b = (torch._inductor.aoti_load_package(str(package / "model.pt2")) for _ in range(2))
    for runner in (a, b, a):
        torch.testing.assert_close(runner(x), expected)


LOAD = """
import torch
x, expected = torch.load(FOLDER + "/io.pt")
run = lambda: torch.testing.assert_close(torch._inductor.aoti_load_package(FOLDER + "/model.pt2")(x), expected)
def fails():
    try:
        run()
    except Exception as error:
        assert "test_ops" in str(error) and ("Scale" in str(error) or "Holder" in str(error) or "Table" in str(error) or "Custom" in str(error)), error
        return type(error).__name__
    raise AssertionError("no exception")
"""


@pytest.mark.parametrize("code", [
    "torch.ops.load_library(TESTS); run(); run()",
    "print(fails()); print(fails()); torch.ops.load_library(TESTS); run()",
])
def test_in_a_process_of_its_own(process, package, code):
    process(f"FOLDER = {str(package)!r}\n" + LOAD + code)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    program = tmp_path_factory.mktemp("host") / "package"
    root = pathlib.Path(torch.__file__).parent
    done = subprocess.run(
        ["g++", "-std=c++20", "-O0", f"-isystem{root}/include", f"-isystem{root}/include/torch/csrc/api/include",
         f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", REPO / "tests/host_cpp/package.cpp", "-o", program,
         f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl"],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("when", ["before", "after", "never"])
def test_in_a_program_without_python(host, package, when):
    done = subprocess.run([host, package / "model.pt2", package / "io.pt", TESTS, when], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr[-2000:]}"
