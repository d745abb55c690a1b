"""Gradients of operators that take objects, while PyTorch traces: there such an operator goes past its autograd kernel, since
stand-ins for objects live in Python alone. So the gradient is recorded here, by way of two hidden operators: one keeps the objects
in a tensor, since the graph of a backward is given tensors and no objects; the other is the backward in Rust.

Stands behind `effects.py`, in the same namespace.
"""

import functools

# Same order as `SlotKind` in torchop-runtime.
ARGUMENT, OUTPUT, GRADIENT, NEEDS_GRAD = range(4)


def recorded(op, held, backward, needs, gradients, constant):
    """A call of `op` that records its gradient. `held` and `backward` are the two hidden operators; then come what the backward takes, in
    order, the arguments that it gives gradients for, and the results without a gradient.
    """
    schema = op._schema.arguments
    is_object = [isinstance(argument.type, torch.ClassType) for argument in schema]

    def below_autograd(call, values):
        with torch._C._AutoDispatchBelowAutograd():
            positional = [value for argument, value in zip(schema, values) if not argument.kwarg_only]
            return call(*positional, **{a.name: value for a, value in zip(schema, values) if a.kwarg_only})

    def is_ordered(values):
        # Whether such a call may be one of several in a graph.
        return keeps_order() or not any(getattr(stand_in(value), "_torchop_changes", False) for value in values)

    def all_values(args, by_name):
        given = list(args)
        for argument in schema[len(args):]:
            given.append(by_name[argument.name] if argument.name in by_name else argument.default_value)
        return given

    def tensors_in(values):
        # From each tensor to the argument that it is in, and its place if that is a list.
        for index, value in enumerate(values):
            if isinstance(value, torch.Tensor):
                yield (index, None), value
            elif isinstance(value, (list, tuple)):
                yield from (((index, k), item) for k, item in enumerate(value) if isinstance(item, torch.Tensor))

    def with_tensors(values, places, tensors):
        values = [list(value) if isinstance(value, (list, tuple)) else value for value in values]
        for (index, k), tensor in zip(places, tensors):
            if k is None:
                values[index] = tensor
            else:
                values[index][k] = tensor
        return values

    def keep(value, saved):
        # Tensors go where autograd and PyTorch's partition of the graph see them. Gives what makes the value again of them.
        if isinstance(value, torch.Tensor):
            saved.append(value)
            return lambda tensors, place=len(saved) - 1: tensors[place]
        if isinstance(value, (list, tuple)):
            parts = [keep(item, saved) for item in value]
            return lambda tensors: [part(tensors) for part in parts]
        return lambda tensors: value

    class Recorded(torch.autograd.Function):
        @staticmethod
        def forward(ctx, values, places, *tensors):
            values = with_tensors(values, places, tensors)
            result = below_autograd(op, values)
            # Of several, torch makes a tuple or a list.
            results = tuple(result) if len(op._schema.returns) > 1 else (result,)
            with torch._C._AutoDispatchBelowAutograd():
                objects = [values[index] for kind, index, _ in needs if kind == ARGUMENT and is_object[index]]
                saved = [held(*objects, tensors[0])]
            ctx.sources = []
            for kind, index, _ in needs:
                if kind == ARGUMENT:
                    ctx.sources.append(None if is_object[index] else keep(values[index], saved))
                else:
                    ctx.sources.append(keep(results[index], saved) if kind == OUTPUT else None)
            ctx.likes = [keep(values[index], saved) for index in gradients]
            ctx.save_for_backward(*saved)
            ctx.places = places
            ctx.zeros = [
                functools.partial(torch.zeros, tuple(value.shape), dtype=value.dtype, device=value.device)
                if isinstance(value, torch.Tensor)
                else None
                for value in results
            ]
            ctx.set_materialize_grads(False)
            ctx.mark_non_differentiable(*[results[i] for i in constant if isinstance(results[i], torch.Tensor)])
            return results if len(results) > 1 else result

        @staticmethod
        def backward(ctx, *grads):
            tensors = ctx.saved_tensors
            wanted = dict(zip(ctx.places, ctx.needs_input_grad[2:]))
            first_wanted = {}
            for (index, _), is_wanted in wanted.items():
                first_wanted.setdefault(index, is_wanted)
            values = []
            for (kind, index, optional), source in zip(needs, ctx.sources):
                if kind == GRADIENT:
                    missing = grads[index] is None and not optional
                    values.append(ctx.zeros[index]() if missing else grads[index])
                elif kind == NEEDS_GRAD:
                    values.append(first_wanted.get(index, False))
                elif source is not None:
                    values.append(source(tensors))
            result = backward(tensors[0], *values, *[like(tensors) for like in ctx.likes])
            given = dict(zip(gradients, result if len(gradients) > 1 else (result,)))
            found = []
            for index, k in ctx.places:
                gradient = given.get(index)
                if gradient is not None and k is not None:
                    gradient = gradient[k]
                found.append(gradient if wanted[(index, k)] else None)
            return (None, None, *found)

    def call(*args, **by_name):
        values = all_values(args, by_name)
        found = list(tensors_in(values))
        # An exported program keeps the operator as it is. Where the order of calls is not safe, the fake refuses.
        needs_grad = torch.is_grad_enabled() and any(tensor.requires_grad for _, tensor in found)
        if not needs_grad or torch.compiler.is_exporting() or not is_ordered(values):
            return below_autograd(op, values)
        places, tensors = zip(*found)
        return Recorded.apply(values, places, *tensors)

    return call


def held_fake():
    return lambda *_: torch.empty(1, dtype=torch.uint8)


def backward_fake(count):
    """Gives the gradients of `count` arguments, which are the last values."""

    def like(value):
        if isinstance(value, (list, tuple)):
            return [like(item) for item in value]
        return torch.empty(()) if value is None else torch.empty_like(value)

    def fake(*values):
        found = [like(value) for value in values[len(values) - count:]]
        return found[0] if count == 1 else tuple(found)

    return fake
