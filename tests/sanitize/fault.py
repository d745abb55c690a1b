"""Calls one planted fault as often as `repeat.py` repeats a case. Without the sanitizer nobody notices.

    python leak_checked.py fault.py use_after_free libidentity_conv_ops.so libtorchop_sanitize_ops.so
"""

import sys

import torch

from repeat import repeat


def main(fault, *libraries):
    for library in libraries:
        torch.ops.load_library(library)
    call = getattr(torch.ops.torchop_sanitize, fault)
    repeat(fault, lambda: call(torch.ones(5)))
    print("survived")


if __name__ == "__main__":
    main(*sys.argv[1:])
