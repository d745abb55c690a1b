"""One compile for five sizes of every operator of the examples and of the methods of their classes; exported sizes stay symbolic."""

import pytest
import torch

from conftest import EXAMPLE, TORCH, library
from one_compile.case import Case, plain
from one_compile.checks import exported_for_all_sizes, one_compile, one_compile_with_gradients

LIBRARIES = [EXAMPLE, *(library(f"TORCHOP_LIB_{name}") for name in ("QUEUE", "RMS_NORM", "TO_CONTIGUOUS", "TOKENIZER", "WEIGHTS"))]
for file in LIBRARIES:
    torch.ops.load_library(file)
ops, layers, text = torch.ops.my_ops, torch.ops.my_layers, torch.ops.text_ops
Tokenizer, TensorQueue, Linear = torch.classes.text_ops.Tokenizer, torch.classes.queue_ops.TensorQueue, torch.classes.my_weights.Linear
IdentityConv = torch.classes.my_ops.IdentityConvClass


def weighted(n):
    return plain(n), torch.rand(4)


def both_sizes(n):
    return torch.rand(n, n + 30), torch.rand(n + 30)


OPERATORS = {
    "my_ops::identity_conv_op": Case(ops.identity_conv_op),
    "my_cuda_ops::to_contiguous": Case(lambda x: torch.ops.my_cuda_ops.to_contiguous(x.t())),
    "my_layers::rms_norm": Case(lambda x, w: layers.rms_norm(x, w, 1e-5), both_sizes),
    "my_layers::fused_rms_norm": Case(lambda x, w: layers.fused_rms_norm(x, w, 1e-5), weighted),
    "my_layers::rms_norm_backward": Case(
        lambda g, x, w, r: layers.rms_norm_backward(g, x, w, r, 1e-5, True), lambda n: (plain(n), *weighted(n), torch.rand(n, 1))),
    "text_ops::strip": Case(lambda x: text.strip(x, 0), lambda n: (torch.arange(n) % 7 % 3,)),
}
DIFFERENTIABLE = ["my_ops::identity_conv_op", "my_cuda_ops::to_contiguous", "my_layers::rms_norm", "my_layers::fused_rms_norm", "my_layers::rms_norm_backward"]


def tokens(n):
    return Tokenizer.train(["some text to be learnt"], 260), torch.full((n,), 101, dtype=torch.uint8)


def queue(n):
    queue = TensorQueue(100)
    # More than any pass over the graph takes.
    for i in range(6):
        queue.push(torch.full((7,), float(i)))
    return queue, plain(n)


def push_and_pop(queue, x):
    queue.push(x * 2)
    return queue.pop().sum() + x


METHODS = {
    "my_ops::IdentityConvClass.forward": Case(lambda conv, x: conv.forward(x * 2), lambda n: (IdentityConv(4), plain(n))),
    "my_weights::Linear.forward": Case(lambda linear, x: linear.forward(x) * 2, lambda n: (Linear(torch.rand(7, 4), torch.rand(7), 0.5), plain(n))),
    "text_ops::Tokenizer.encode": Case(lambda tokenizer, x: tokenizer.encode(x) + 1, tokens),
    "queue_ops::TensorQueue": Case(push_and_pop, queue, breaks="" if TORCH >= (2, 15) else "changes its object"),
}


def test_the_table_is_complete():
    there = [name for name in torch._C._dispatch_get_all_op_names() if any(f"registered at {file}:" in torch._C._dispatch_dump(name) for file in LIBRARIES)]
    assert {name for name in there if "::_" not in name} == OPERATORS.keys()


@pytest.mark.parametrize("name", OPERATORS)
def test_one_compile_for_five_sizes(name):
    one_compile(name, OPERATORS[name])


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_one_compile_for_five_sizes_with_gradients(name):
    one_compile_with_gradients(OPERATORS[name])


@torch.no_grad()
@pytest.mark.parametrize("name", METHODS)
def test_one_compile_for_five_sizes_of_methods(name):
    one_compile(None, METHODS[name])


@pytest.mark.parametrize("name", OPERATORS)
def test_exported_sizes_stay_symbolic(name):
    exported_for_all_sizes(OPERATORS[name])


@torch.no_grad()
@pytest.mark.parametrize("name", METHODS)
def test_exported_sizes_stay_symbolic_of_methods(name):
    exported_for_all_sizes(METHODS[name])
