"""Python's capsules around what `tests/dlpack` gives and takes."""

import ctypes

import torch

ops = torch.ops.test_dlpack
NAMES = {True: b"dltensor_versioned", False: b"dltensor"}
USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
python.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)


class Given:
    """What `give` made, for whoever asks with `__dlpack__`."""

    def __init__(self, x):
        self.address, self.device = ops.give(x), x.__dlpack_device__()

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.address, NAMES[True], None)

    def __dlpack_device__(self):
        return self.device


def take(x, versioned=True, **options):
    """By torch's or numpy's own capsule."""
    capsule = x.__dlpack__(max_version=(1, 0), **options) if versioned else x.__dlpack__(**options)
    address = python.PyCapsule_GetPointer(capsule, NAMES[versioned])
    python.PyCapsule_SetName(capsule, USED[versioned])
    return ops.take(address, versioned)
