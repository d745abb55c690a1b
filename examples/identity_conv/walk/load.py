"""`torch.ops.load_library` alone; the same file twice; a second copy of it."""

import pathlib
import shutil
import sys
import tempfile

import torch

from common import chain, say

lib = pathlib.Path(sys.argv[1]).resolve()
torch.ops.load_library(str(lib))
ones = torch.ones(2, 3)
assert torch.equal(torch.ops.my_ops.identity_conv_op(ones), ones)
assert torch.classes.my_ops.IdentityConvClass(3).channels == 3
say("loaded by torch.ops.load_library alone: the op and the class answer")

torch.ops.load_library(str(lib))
assert torch.equal(torch.ops.my_ops.identity_conv_op(ones), ones)
say("loading the same file again does nothing")

with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder, "libsecond_copy.so").resolve()
    shutil.copy(lib, copy)
    try:
        torch.ops.load_library(str(copy))
    except Exception as error:
        text = chain(error)
    else:
        sys.exit("a second copy of the library, at another path, was loaded without an exception")
    assert str(lib) in text, f"the message does not name the first file, {lib}:\n{text}"
    assert str(copy) in text, f"the message does not name the second file, {copy}:\n{text}"
    print(text)
assert torch.equal(torch.ops.my_ops.identity_conv_op(ones), ones)
say("a second copy at another path is a Python exception that names both files; the first one still works")
