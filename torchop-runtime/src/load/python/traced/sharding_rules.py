"""The rules for sharded tensors. Run when `torch.distributed.tensor` is there."""


def pointwise_rule(op):
    """The ways in which a call can be sharded: in one of the dimensions of the results, or not at all."""
    from torch.distributed.tensor import Replicate, Shard

    schema, outputs = op._schema.arguments, len(op._schema.returns)

    def tensors(value):
        if hasattr(value, "tensor_meta"):
            return [value]
        return [item for part in value for item in tensors(part)] if isinstance(value, (list, tuple)) else []

    def rule(*args, **by_name):
        values = [*args, *(by_name[argument.name] for argument in schema[len(args):] if argument.name in by_name)]
        shapes = [tuple(tensor.shape) for value in values for tensor in tensors(value)]
        rank = max(map(len, shapes))
        found = [([Replicate()] * outputs, [Replicate()] * len(shapes))]
        for dim in range(rank):
            # A tensor that is broadcast in this dimension is whole everywhere.
            own = [dim - rank + len(shape) for shape in shapes]
            sizes = [shape[at] for shape, at in zip(shapes, own) if at >= 0]
            size = next((size for size in sizes if size != 1), 1)
            if any(other != 1 and other != size for other in sizes):
                raise ValueError(
                    f"{op}: sizes {', '.join(str(list(shape)) for shape in shapes)} cannot be broadcast together, as the tensors of "
                    "an operator that says `sharding = pointwise` must"
                )
            inputs = [Shard(at) if at >= 0 and shape[at] == size else Replicate() for shape, at in zip(shapes, own)]
            found.append(([Shard(dim)] * outputs, inputs))
        return found

    return rule


def sharding_rules(names):
    def apply():
        import sys

        from torch.distributed.tensor import DTensor
        from torch.distributed.tensor._op_schema import RuntimeSchemaInfo
        from torch.distributed.tensor.experimental import register_sharding

        propagator, done = DTensor._op_dispatcher.sharding_propagator, []
        for name in names:
            namespace, _, rest = name.partition("::")
            packet, _, overload = rest.partition(".")
            op = getattr(getattr(getattr(sys.modules["torch"].ops, namespace), packet), overload or "default")
            register_sharding(op)(pointwise_rule(op))
            # Results are remembered by the arguments; by default numbers other than integers do not count, nor do dtypes.
            plain = [n for n, a in enumerate(op._schema.arguments) if "Tensor" not in str(a.type) and not a.kwarg_only]
            by_name = [a.name for a in op._schema.arguments if "Tensor" not in str(a.type) and a.kwarg_only]
            propagator.op_to_schema_info[op] = RuntimeSchemaInfo(min(plain, default=100), by_name or None, needs_pytree=True)
            done.append(op)

        def take_back():
            for op in done:
                propagator.op_strategy_funcs.pop(op, None)
                propagator.op_to_schema_info.pop(op, None)

        return take_back

    return apply


