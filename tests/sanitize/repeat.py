"""Repeats every case, for the leak check that follows under `leak_checked.py`.

    python leak_checked.py repeat.py libidentity_conv_ops.so libtorchop_sanitize_ops.so
"""

import gc
import sys
import threading

import torch

import cases

# What leaks once in a case leaks as often as this: `OFTEN` in `leak_checked.py`.
ROUNDS = 200


def tensors():
    """How many live that Python has seen: one that only C++ or Rust keeps is among them."""
    gc.collect()
    return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())


def repeat(name, case):
    before = tensors()
    for _ in range(ROUNDS):
        case()
    left = tensors() - before
    assert left < ROUNDS // 2, f"{name}: {left} tensors are still alive after {ROUNDS} rounds"


def compiled():
    """Fakes and the traced backward, without a C++ compiler."""

    def through(x):
        return torch.ops.torchop_sanitize.scale(torch.ops.my_ops.identity_conv_op(x), 2.0)

    graph = torch.compile(through, backend="aot_eager", fullgraph=True, dynamic=True)
    for size in (3, 4, 5):
        x = torch.randn(size, requires_grad=True)
        graph(x).sum().backward()
        assert torch.equal(x.grad, torch.full((size,), 2.0))


def symbolic():
    """Fakes with symbols for sizes, each round with symbols of its own."""
    from torch._dynamo.source import ConstantSource
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    for _ in range(ROUNDS):
        mode = FakeTensorMode(shape_env=ShapeEnv())
        x = mode.from_tensor(torch.rand(5, 7), static_shapes=False, source=ConstantSource("x"))
        with mode:
            assert torch.ops.my_ops.identity_conv_op(x).shape == x.shape


def in_threads(case):
    errors = []

    def work():
        try:
            for _ in range(ROUNDS // 4):
                case()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def main(*libraries):
    for library in libraries:
        torch.ops.load_library(library)
    named = cases.make()
    for name, case in named.items():
        print(name, flush=True)
        repeat(name, case)
    for name in ("call", "error", "panic", "object, Drop", "method", "call, all kinds of arguments"):
        print(f"{name}, in four threads", flush=True)
        in_threads(named[name])
    print("symbols", flush=True)
    symbolic()
    print("torch.compile", flush=True)
    compiled()
    print(f"- {len(named)} cases, {ROUNDS} times each, some in four threads")


if __name__ == "__main__":
    main(*sys.argv[1:])
