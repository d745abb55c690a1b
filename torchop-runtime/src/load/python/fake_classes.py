"""Gives PyTorch's tracing a fake class for every class of one library.

Run by the load hook, in a namespace of its own. Imports nothing: what is needed is in `sys.modules` once torch is.
"""


def register(classes):
    import sys

    torch = sys.modules.get("torch")
    registry = sys.modules.get("torch._library.fake_class_registry")
    if torch is None or registry is None:
        return
    unsupported = sys.modules["torch._subclasses.fake_tensor"].UnsupportedOperatorException

    def tensors_in(value):
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from tensors_in(item)

    def refuse_lost_gradient(name, state, args):
        # PyTorch drops the gradient of class methods in a compiled graph, without a word. Dynamo alone sees
        # requires_grad; it takes this exception as a reason to leave the call to eager mode.
        if not torch.is_grad_enabled() or torch.compiler.is_exporting():
            return
        if any(t.requires_grad for t in tensors_in((state, args))):
            raise unsupported(
                f"{name}: an argument requires grad, and PyTorch drops the gradient of class methods in a compiled "
                "graph; call it under torch.no_grad(), or compile without fullgraph=True"
            )

    def method_with_fake(name, op):
        def method(self, *args, **by_name):
            state = self._torchop_state.values()
            refuse_lost_gradient(name, list(state), [*args, *by_name.values()])
            return op(*state, *args, **by_name)

        return method

    def gradient_check(name):
        def check(self, args, by_name):
            refuse_lost_gradient(name, list(self._torchop_state.values()), [*args, *by_name.values()])

        return check

    def getter(name, field):
        def method(self):
            if field not in self._torchop_state:
                raise NotImplementedError(f"{name}: this property cannot be read while PyTorch traces: it is no field of the struct")
            return self._torchop_state[field]

        return method

    def method_without_fake(name):
        def method(self, *args, **by_name):
            raise NotImplementedError(
                f"{name}: this method has no fake, so PyTorch cannot trace it; write one in Rust with `#[fake({name.rpartition('.')[2]})]`"
            )

        return method

    def fake_class(qualified, methods, effects):
        namespace, name = qualified.split("::")

        class Fake:
            @classmethod
            def __obj_unflatten__(cls, flat):
                self = cls.__new__(cls)
                # What begins with # is for guards alone.
                self._torchop_state = {key: value for key, value in flat if not key.startswith("#")}
                # Dynamo reads the flattened entries as attributes.
                for key, value in flat:
                    setattr(self, key, value)
                return self

        for attribute, (kind, method, fake) in methods.items():
            full = f"{qualified}.{method}"
            if fake is not None:
                op = getattr(getattr(torch.ops, namespace), fake).default
                function = method_with_fake(full, op)
                if effects and effects[attribute][1] is not None:
                    function = changing_fake(op, effects[attribute][1], gradient_check(full))
            elif kind == "getter":
                function = getter(full, method)
            else:
                function = method_without_fake(full)
            if effects and kind != "getter":
                function = in_order(full, effects[attribute][0], function)
            setattr(Fake, attribute, function)
        Fake.__name__ = Fake.__qualname__ = name
        return Fake

    def take_back():
        # torch.ops keeps the operators that it was asked for; the library takes these back, and a handle would dangle.
        for qualified, _, methods, _ in classes:
            if qualified in done:
                registry.deregister_fake_class(qualified)
            namespace = getattr(torch.ops, qualified.split("::")[0])
            for _, _, fake in methods.values():
                if namespace.__dict__.pop(fake, None) is not None and fake in namespace._dir:
                    namespace._dir.remove(fake)

    done = []
    try:
        for qualified, fields, methods, effects in classes:
            if fields is not None:
                registry.register_fake_class(qualified, fake_class(qualified, methods, effects))
                done.append(qualified)
    except BaseException:
        take_back()
        raise
