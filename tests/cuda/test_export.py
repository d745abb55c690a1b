"""torch.export and AOTInductor for CUDA: in Python, and in a C++ program without Python."""

import os
import pathlib
import shutil
import subprocess

import pytest
import torch

pytestmark = pytest.mark.gpu
REPO = pathlib.Path(__file__).resolve().parents[2]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x):
        y = torch.ops.my_ops.identity_conv_op(self.conv(x).permute(0, 2, 3, 1))
        return torch.ops.my_ops.identity_conv_op(torch.relu(y).permute(0, 3, 1, 2))


@pytest.fixture(scope="module")
def packaged(tmp_path_factory):
    """model.pt2 and io.pt. The package's code is compiled by the system's g++, as the C++ program is."""
    folder = tmp_path_factory.mktemp("package")
    os.environ["CXX"] = shutil.which("g++") if not os.path.exists("/usr/bin/g++") else "/usr/bin/g++"
    model, x = Net().eval().cuda(), torch.randn(2, 3, 8, 8, device="cuda")
    with torch.no_grad():
        program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: torch.export.Dim("batch", min=1, max=64)}})
        assert torch.equal(program.module()(x), model(x))
        torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "model.pt2"))
        torch.save((x, model(x)), folder / "io.pt")
    return folder, model


def test_package_in_python(packaged):
    folder, model = packaged
    runner = torch._inductor.aoti_load_package(str(folder / "model.pt2"))
    with torch.no_grad():
        for n in (1, 2, 7):
            x = torch.randn(n, 3, 8, 8, device="cuda")
            torch.testing.assert_close(runner(x), model(x), rtol=1e-3, atol=1e-4)


def test_package_in_a_cpp_program(packaged, libraries):
    folder, _ = packaged
    torch_dir = pathlib.Path(torch.__file__).parent
    program = folder / "host"
    subprocess.run(
        [os.environ["CXX"], "-std=c++20", str(REPO / "examples/identity_conv/host/main.cpp"), "-o", str(program),
         "-isystem", str(torch_dir / "include"), "-isystem", str(torch_dir / "include/torch/csrc/api/include"), f"-L{torch_dir / 'lib'}",
         "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl", f"-Wl,-rpath,{torch_dir / 'lib'}"],
        check=True,
    )
    done = subprocess.run([str(program), libraries["EXAMPLE"], str(folder / "model.pt2"), str(folder / "io.pt")],
                          capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the numbers that Python saw" in done.stdout and "an object of the class, made from C++" in done.stdout


def test_exported_program_is_saved_and_loaded(packaged, tmp_path):
    _, model = packaged
    x = torch.randn(2, 3, 8, 8, device="cuda")
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "program.pt2")
    torch.testing.assert_close(torch.export.load(tmp_path / "program.pt2").module()(x), model(x))
