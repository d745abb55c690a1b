"""AOTInductor: makes model.pt2, and an input and what eager gives for it: io.pt for serve.py and the C++ host, x.f32 and y.f32 for the
Rust host."""

import pathlib
import sys

import torch

from common import Net, close, load, say

load()
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
folder.mkdir(parents=True, exist_ok=True)

model = Net().eval()
x = torch.randn(2, 3, 8, 8)
with torch.no_grad():
    expected = model(x)
    program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: torch.export.Dim("batch", min=1, max=64)}})
    package = torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "model.pt2"))
    runner = torch._inductor.aoti_load_package(package)
    close(runner(x), expected)
    for n in (1, 7):
        x_n = torch.randn(n, 3, 8, 8)
        close(runner(x_n), model(x_n))
torch.save((x, expected), folder / "io.pt")
for name, tensor in {"x": x, "y": expected}.items():
    (folder / f"{name}.f32").write_bytes(tensor.numpy().astype("<f4").tobytes())
say("eager in Python: y = " + ", ".join(f"{number:.4f}" for number in expected.flatten()[:4].tolist()) + ", …")
say(f"{folder / 'model.pt2'}: equals eager in this process, for batches of 1, 2 and 7")
