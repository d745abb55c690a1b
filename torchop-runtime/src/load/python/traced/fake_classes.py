"""The fakes of one library: of its classes, and of its operators that take objects.

Stands behind `effects.py` and `object_gradients.py`, in the same namespace, which is made when PyTorch first traces.
"""

registry = sys.modules["torch._library.fake_class_registry"]
unsupported = sys.modules["torch._subclasses.fake_tensor"].UnsupportedOperatorException

torchbind = sys.modules.get("torch._higher_order_ops.torchbind")
call_script_method = getattr(torchbind, "_orig_scriptmethod_call", torch.ScriptMethod.__call__)


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, (registry.FakeScriptObject, torch.ScriptObject)):
        yield from tensors_in(getattr(stand_in(value), "_torchop_state", {}))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)


def refuse_lost_gradient(name, state, args, what="class methods"):
    # PyTorch drops the gradient of these in a compiled graph, without a word. Dynamo alone sees
    # requires_grad; it takes this exception as a reason to leave the call to eager mode.
    if not torch.is_grad_enabled() or torch.compiler.is_exporting():
        return
    if any(t.requires_grad for t in tensors_in((state, args))):
        raise unsupported(
            f"{name}: an argument requires grad, and PyTorch drops the gradient of {what} in a compiled graph; "
            "call it under torch.no_grad(), or compile without fullgraph=True"
        )


def method_with_fake(name, op):
    def method(self, *args, **by_name):
        state = self._torchop_state.values()
        refuse_lost_gradient(name, list(state), [*args, *by_name.values()])
        return op(*state, *args, **by_name)

    return method


def method_like(name, index, argument):
    def method(self, *args, **by_name):
        refuse_lost_gradient(name, list(self._torchop_state.values()), [*args, *by_name.values()])
        return torch.empty_like(args[index] if index < len(args) else by_name[argument])

    return method


def plain(value):
    # What the object is made of goes through a place where torch tells types by looking at values: none for an empty list.
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return tuple((plain(key), plain(item)) for key, item in value.items())
    return value


def with_fakes(fake):
    # A real object of the class, which holds fakes.
    made = torch.ScriptObject.__new__(torch.ScriptObject)
    entries = tuple((key, plain(value)) for key, value in fake._torchop_state.items())
    made.__setstate__(((("#flat", True), *entries), fake._torchop_class))
    return made


def method_itself(name, method, keeps_gradient, changes):
    def call(self, *args, **by_name):
        if not keeps_gradient:
            refuse_lost_gradient(name, list(self._torchop_state.values()), [*args, *by_name.values()])
        made = with_fakes(self)
        run = with_real_objects(lambda *args, **by_name: call_script_method(made._get_method(method), *args, **by_name))
        result = run(*args, **by_name)
        if changes:
            keep_state(self, call_script_method(made._get_method("__obj_flatten__")))
        return result

    return call


def gradient_check(name):
    def check(self, args, by_name):
        refuse_lost_gradient(name, list(self._torchop_state.values()), [*args, *by_name.values()])

    return check


def getter(name, field):
    def method(self):
        if field not in self._torchop_state:
            raise NotImplementedError(f"{name}: this property cannot be read while PyTorch traces: it is no entry of the state")
        return self._torchop_state[field]

    return method


def method_with_several_results(name):
    def method(self, *args, **by_name):
        text = (
            f"{name}: PyTorch's compiled graphs take one result from a method, and this one has several; return a list, or "
            "write an operator that takes the object"
        )
        # Dynamo leaves the call to eager mode.
        raise (NotImplementedError if torch.compiler.is_exporting() else unsupported)(text)

    return method


def cannot_move(name):
    def method(self, device):
        raise NotImplementedError(f"{name}: an object cannot be moved while PyTorch traces; move it before")

    return method


def method_without_fake(name):
    method_name = name.rpartition(".")[2]

    def method(self, *args, **by_name):
        raise NotImplementedError(
            f"{name}: this method has no fake, so PyTorch cannot trace it; write one in Rust with `#[fake({method_name})]`, "
            "or mark the method `#[method(fake = like(x))]` if its result is like argument `x`, or `#[method(composite)]` "
            "if it only calls torch's operators"
        )

    return method


def stand_in(value):
    # What PyTorch traces with where an object is: a fake, a fake in its wrapper, or, in strict export, the object itself.
    if isinstance(value, registry.FakeScriptObject):
        return value.wrapped_obj
    if isinstance(value, torch.ScriptObject) and (mode := torch._guards.detect_fake_mode()) is not None:
        return registry.maybe_to_fake_obj(mode, value).wrapped_obj
    return value


def real(value):
    # For the Rust function behind a fake.
    value = stand_in(value)
    return with_fakes(value) if hasattr(value, "_torchop_state") else value


def with_real_objects(call):
    return lambda *args, **by_name: call(*map(real, args), **{key: real(value) for key, value in by_name.items()})


def op_fake(name, hidden, effect, constant):
    op = getattr(getattr(torch.ops, name.split("::")[0]), hidden).default

    def fake(*args, **by_name):
        args = [stand_in(value) for value in args]
        by_name = {key: stand_in(value) for key, value in by_name.items()}
        values = [getattr(value, "_torchop_state", value) for value in [*args, *by_name.values()]]
        if not constant:
            refuse_lost_gradient(name, [], values, "operators that take objects")
        call = lambda _: op(*map(real, args), **{key: real(value) for key, value in by_name.items()})
        if effect:
            call = in_order(name, True, call, AN_EFFECT)
        elif any(getattr(value, "_torchop_changes", False) for value in [*args, *by_name.values()]):
            call = in_order(name, False, call)
        return call(None)

    return fake


def unflatten(qualified, methods, effects):
    """Makes the stand-in of an object from its entries: an object of the fake class, which has the methods' fakes from then on."""
    namespace, name = qualified.split("::")
    attributes = {"_torchop_changes": effects is not None}
    for attribute, (kind, method, fake, results) in methods.items():
        full = f"{qualified}.{method}"
        changes, changed = (effects or {}).get(attribute, (False, None))
        if fake is not None and results > 1:
            function = method_with_several_results(full)
        elif isinstance(fake, tuple):
            function = method_like(full, *fake)
        elif isinstance(fake, bool):
            function = method_itself(full, method, keeps_gradient=not fake, changes=changes)
        elif fake is not None:
            op = with_real_objects(getattr(getattr(torch.ops, namespace), fake).default)
            function = method_with_fake(full, op)
            if changed is not None:
                function = changing_fake(op, changed, gradient_check(full))
        elif kind == "to":
            function = cannot_move(full)
        elif kind == "getter":
            function = getter(full, method)
        else:
            function = method_without_fake(full)
        if effects and kind != "getter":
            function = in_order(full, changes, function)
        attributes[attribute] = function

    def made_of(fake_class, flat):
        if not hasattr(fake_class, "_torchop_changes"):
            for attribute, value in attributes.items():
                setattr(fake_class, attribute, value)
        made = fake_class.__new__(fake_class)
        # What begins with # is for guards alone.
        made._torchop_state = {key: value for key, value in flat if not key.startswith("#")}
        made._torchop_class = f"__torch__.torch.classes.{namespace}.{name}"
        # Dynamo reads the flattened entries as attributes.
        for key, value in flat:
            if key not in methods:
                setattr(made, key, value)
        return made

    return made_of
