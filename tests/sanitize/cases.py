"""What is repeated: calls that succeed, fail and panic, objects, methods, backward. None may leave anything behind.

A case is a function without arguments; `CASES` gives it its name. Both libraries must be loaded before `make` is called.
"""

import copy
import io
import pickle

import torch


def make():
    example, ours = torch.ops.my_ops, torch.ops.torchop_sanitize
    Conv = torch.classes.my_ops.IdentityConvClass
    Counted, Stateful = torch.classes.torchop_sanitize.Counted, torch.classes.torchop_sanitize.Stateful
    x, image, sparse = torch.randn(4), torch.randn(2, 3, 4), torch.eye(3).to_sparse()
    leaf = torch.randn(4, requires_grad=True)
    conv, counted = Conv(3), Counted(x, "success")
    stateful = Stateful(x, [x, x + 1], "name", [1, 2])
    Changing, BadEnd = torch.classes.torchop_sanitize.Changing, torch.classes.torchop_sanitize.BadEnd
    changing, other = Changing(x), Changing(x)

    def refused(error, text, call, *args):
        try:
            call(*args)
        except error as caught:
            assert text in str(caught), f"{text!r} is not in: {caught}"
        else:
            raise AssertionError(f"no {error.__name__}")

    def backward(op, *args):
        leaf.grad = None
        op(leaf, *args).sum().backward()

    def backward_twice():
        (grad,) = torch.autograd.grad(ours.scale(leaf, 3.0).square().sum(), leaf, create_graph=True)
        torch.autograd.grad(grad.sum(), leaf)

    def save_and_load(thing):
        file = io.BytesIO()
        torch.save(thing, file)
        file.seek(0)
        return torch.load(file, weights_only=False)

    def written(count):
        changing.count = count

    def held_for_a_backward():
        held = ours._held_times_held(counted, x)
        return ours._backward_times_held(held, x, x)

    arguments = (x, [x, x], None, "text", [1, 2, 3], [0.5, 2.0], ["a", "bc"])
    return {
        "call": lambda: example.identity_conv_op(x),
        "call, non-contiguous": lambda: example.identity_conv_op(image.transpose(1, 2)[..., 1:]),
        "call, meta": lambda: example.identity_conv_op(image.to("meta")),
        "call, all kinds of arguments": lambda: ours.arguments(*arguments),
        "call, wrong argument": lambda: refused(RuntimeError, "", ours.scale, x, "two"),
        "call, wrong device": lambda: refused(NotImplementedError, "SparseCPU", example.identity_conv_op, sparse),
        "error": lambda: refused(ValueError, "asked to fail", ours.fail, x),
        "error of torch": lambda: refused(RuntimeError, "invalid shape dimension", ours.fail_in_torch, x),
        "error, alias": lambda: refused(RuntimeError, "shares its memory", ours.alias, x),
        "panic": lambda: refused(RuntimeError, "asked to panic", ours.panics, x),
        "backward": lambda: backward(example.identity_conv_op),
        "backward, saved tensors": lambda: backward(ours.scale, 2.0),
        "backward of backward": backward_twice,
        "backward, never run": lambda: ours.scale(leaf, 2.0),
        "backward, error": lambda: refused(ValueError, "asked to fail", backward, ours.bad_backward, False),
        "backward, panic": lambda: refused(RuntimeError, "asked to panic", backward, ours.bad_backward, True),
        "object": lambda: Conv(3),
        "object, Drop": lambda: Counted(x, "success"),
        "object, error": lambda: refused(ValueError, "channels must be positive", Conv, 0),
        "object, error after it was made": lambda: refused(ValueError, "asked to fail", Counted, x, "error"),
        "object, panic": lambda: refused(RuntimeError, "asked to panic", Counted, x, "panic"),
        "object, copies": lambda: (copy.deepcopy(stateful), pickle.loads(pickle.dumps(conv)), save_and_load(stateful)),
        "object, flattened": lambda: stateful.__obj_flatten__(),
        "object, Drop panics": lambda: BadEnd(x),
        "object, held for a backward": held_for_a_backward,
        "object, copies of a class that changes": lambda: (copy.deepcopy(changing), pickle.loads(pickle.dumps(changing)), save_and_load(changing)),
        "object, handles": lambda: (changing.choose(other, True), changing.choose(changing, False), ours.longest([changing, other])),
        "object, handle of another class": lambda: refused(TypeError, "Changing", changing.choose, counted, True),
        "backward, object": lambda: backward(lambda x: ours.times_held(Counted(x.detach(), "success"), x)),
        "method": lambda: conv.forward(image),
        "method, &mut self": lambda: changing.exchange(x, "success"),
        "method, &mut self, error": lambda: refused(ValueError, "asked to fail", changing.exchange, x, "error"),
        "method, &mut self, panic": lambda: refused(RuntimeError, "asked to panic", Changing(x).exchange, x, "panic"),
        "method, &mut self, inside": lambda: refused(RuntimeError, "in use by a method further up", changing.clear, changing),
        "method, another object changes": lambda: changing.clear(other),
        "method, static": lambda: Changing.holding(x, "success"),
        "method, static, error": lambda: refused(ValueError, "asked to fail", Changing.holding, x, "error"),
        "property, written": lambda: (written(3), changing.count),
        "property, error": lambda: refused(ValueError, "asked to fail", written, -1),
        "method, state": lambda: (stateful.sum(), stateful.describe(), conv.channels),
        "method, error": lambda: refused(ValueError, "3 channels", conv.forward, x),
        "method, panic": lambda: refused(RuntimeError, "asked to panic", counted.add, x, "panic"),
    }
