"""What every step of the walk shares: loading the library, the two models, and how a step speaks."""

import sys

import torch

# Sizes that differ from each other in the first input: torch.compile takes equal ones for always equal.
SIZES = [(2, 3, 8, 9), (4, 3, 9, 10), (5, 3, 16, 12), (7, 3, 11, 13), (6, 3, 32, 20)]


def load():
    """Loads the library named on the command line, as a user would."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: python {sys.argv[0]} path/to/libidentity_conv_ops.so")
    torch.manual_seed(0)
    torch.ops.load_library(sys.argv[1])


class Net(torch.nn.Module):
    """Class and op before a convolution."""

    def __init__(self):
        super().__init__()
        self.check = torch.classes.my_ops.IdentityConvClass(3)
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        return self.conv(torch.ops.my_ops.identity_conv_op(self.check.forward(x)))


class OpLast(torch.nn.Module):
    """The op after the convolution: the gradient reaches the weights through the op only."""

    def __init__(self):
        super().__init__()
        self.check = torch.classes.my_ops.IdentityConvClass(3)
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        return torch.ops.my_ops.identity_conv_op(self.conv(self.check.forward(x)))


def say(line):
    """`cargo xtask demo` shows these lines under the step."""
    print(f"- {line}", flush=True)


def chain(error):
    """All that an exception and its causes say: a failed load arrives as the cause of an OSError."""
    parts = []
    while error is not None:
        parts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return "\n".join(parts)


def close(a, b):
    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
