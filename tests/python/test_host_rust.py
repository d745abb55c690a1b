"""Packages in Rust programs without Python: `tests/host_rust`, one check per test. `TORCHOP_HOST_PROGRAMS` is the folder of the programs."""

import os
import pathlib
import re
import subprocess

import pytest
import torch

from conftest import EXAMPLE, REPO, TORCH, library

PROGRAMS = pathlib.Path(library("TORCHOP_HOST_PROGRAMS"))
torch.ops.load_library(PROGRAMS / "libtorchop_host_tests.so")
CHECKS = [
    (name, check)
    for name in ("plain", "linked")
    for check in re.findall(r'^        \("([^"]+)", \w+\),$', (REPO / f"tests/host_rust/src/bin/{name}.rs").read_text(), re.MULTILINE)
]


class Net(torch.nn.Module):
    """Class and op of the example before a convolution."""

    def __init__(self):
        super().__init__()
        self.check = torch.classes.my_ops.IdentityConvClass(3)
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        return self.conv(torch.ops.my_ops.identity_conv_op(self.check.forward(x)))


class Two(torch.nn.Module):
    """Two inputs, one of them by name, that share a size; several results, one of them a weight as it is."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 4))
        self.register_buffer("shift", torch.randn(4))

    def forward(self, x, *, mask):
        y = torch.ops.host_ops.scaled(x @ self.weight, 2.0) * mask[:, None] + self.shift
        triple, _ = torch.ops.host_ops.triple_and_square(x)
        return {"y": y, "sum": y.sum(), "rest": [self.weight, triple]}


class Scales(torch.nn.Module):
    """`x * 5` by two objects, or by one before torch 2.15, which takes one call of such a class in a graph."""

    def __init__(self):
        super().__init__()
        two, Scale = TORCH >= (2, 15), torch.classes.host_ops.Scale
        self.first, self.second = Scale(2.0 if two else 5.0), Scale(3.0) if two else None

    def forward(self, x):
        y = self.first.forward(x)
        return y if self.second is None else y + self.second.forward(x)


class Panics(torch.nn.Module):
    def forward(self, x):
        return torch.ops.host_ops.panics(x)


def package(model, path, args, kwargs=None, dynamic_shapes=None, **configs):
    program = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
    torch._inductor.aoti_compile_and_package(program, package_path=str(path), inductor_configs=configs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")

    def save(name, tensor):
        (folder / f"{name}.f32").write_bytes(tensor.detach().contiguous().numpy().astype("<f4").tobytes())

    torch.manual_seed(0)
    with torch.no_grad():
        net, batch = Net().eval(), torch.export.Dim("batch", max=64)
        package(net, folder / "net.pt2", (torch.randn(2, 3, 8, 8),), dynamic_shapes={"x": {0: batch}},
                **{"aot_inductor.metadata": {"answer": "42"}})
        for n, name in ((1, "net1"), (2, "net"), (64, "net64")):
            x = torch.randn(n, 3, 8, 8)
            save(f"{name}.x", x)
            save(f"{name}.y", net(x))

        two, x, mask = Two().eval(), torch.randn(5, 3), torch.randn(5)
        package(two, folder / "two.pt2", (x,), {"mask": mask}, {"x": {0: batch}, "mask": {0: batch}})
        new = torch.randn(3, 4)
        for name, tensor in {"x": x, "mask": mask, "new": new, "old": two.weight, "triple": x * 3}.items():
            save(f"two.{name}", tensor)
        for updated in "", ".updated":
            results = two(x, mask=mask)
            save(f"two.y{updated}", results["y"])
            save(f"two.sum{updated}", results["sum"])
            save(f"two.weight{updated}", results["rest"][0])
            two.weight.copy_(new)

        package(Panics(), folder / "panics.pt2", (torch.randn(3),))
        package(Scales(), folder / "objects.pt2", (torch.randn(3),))
        # Python says whether torch gives them away.
        if not hasattr(torch._C._aoti.AOTIModelPackageLoader, "get_custom_objs"):
            (folder / "keeps_objects").touch()
    return folder


def test_every_check_has_a_test():
    for program in ("plain", "linked"):
        said = subprocess.run([PROGRAMS / program, "--list"], capture_output=True, text=True, env=environment(), check=True).stdout
        assert said.splitlines() == [check for name, check in CHECKS if name == program]


def environment():
    """As for any program that is run by itself and has no folder of libtorch written into it."""
    return {**os.environ, "LD_LIBRARY_PATH": f"{pathlib.Path(torch.__file__).parent}/lib"}


@pytest.mark.parametrize(("program", "check"), CHECKS)
def test_host(folder, program, check):
    done = subprocess.run([PROGRAMS / program, folder, EXAMPLE, check], capture_output=True, text=True, timeout=120, env=environment())
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr[-3000:]}"
    assert done.stdout.endswith("passed\n")
