"""A fresh process that runs model.pt2 with the library; or, with `-` for it, one that forgot to load it."""

import pathlib
import sys

import torch

from common import close, say

library, folder = sys.argv[1], pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
x, expected = torch.load(folder / "io.pt")

if library == "-":
    try:
        torch._inductor.aoti_load_package(str(folder / "model.pt2"))(x)
    except Exception as error:
        text = str(error)
    else:
        sys.exit("model.pt2 ran although the library is not loaded")
    assert "my_ops" in text and "IdentityConvClass" in text, f"the error does not say what is missing:\n{text}"
    line = next(line for line in text.splitlines() if "IdentityConvClass" in line)
    say(f"without the library: {line.strip()[:200]}")
else:
    torch.ops.load_library(library)
    close(torch._inductor.aoti_load_package(str(folder / "model.pt2"))(x), expected)
    say("with the library loaded: the same numbers as eager gave in the process that made the package")
