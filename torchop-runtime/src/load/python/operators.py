"""Gives PyTorch what it only takes from Python: the fakes of operators whose results have sizes that depend on data, and of those that
take no tensor; and which operators have an effect beside their results.

Stands behind `lazily.py`, in the same namespace. Imports nothing.
"""


def register_operators(operators):
    import sys

    torch = sys.modules.get("torch")
    library = sys.modules.get("torch.library")
    if torch is None or library is None or not operators:
        return lambda: None

    def device_of(values):
        devices = [value for value in values if isinstance(value, torch.device)]
        return devices[0] if devices else torch.get_default_device()

    def fake_of(op, hidden, dynamic, anchored):
        names = [argument.name for argument in op._schema.arguments]
        defaults = {a.name: a.default_value for a in op._schema.arguments if a.has_default_value()}

        def fake(*args, **by_name):
            values = list(args)
            for name in names[len(args):]:
                values.append(by_name[name] if name in by_name else defaults[name])
            anchor = [torch.empty((), device=device_of(values))] if anchored else []
            sizes = []
            if dynamic:
                context = library.get_ctx()
                sizes = [context.new_dynamic_size() for _ in range(dynamic)]
            return hidden(*values, *sizes, *anchor)

        return fake

    def find(name):
        namespace, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        return getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")

    done = []

    def take_back():
        # torch.ops keeps the operators that it was asked for; the library takes these back, and a handle would dangle.
        for lib in done:
            lib._destroy()
        for name, hidden, _, _, _ in operators:
            for qualified in filter(None, (name, hidden)):
                namespace, _, rest = qualified.partition("::")
                namespace, packet = getattr(torch.ops, namespace), rest.partition(".")[0]
                if namespace.__dict__.pop(packet, None) is not None and packet in namespace._dir:
                    namespace._dir.remove(packet)

    try:
        for name, hidden, dynamic, anchored, effect in operators:
            lib = library.Library(name.partition("::")[0], "FRAGMENT")
            done.append(lib)
            if effect:
                lib._register_effectful_op(name, sys.modules["torch._library.effects"].EffectType.ORDERED)
            if hidden is not False:
                fake = fake_of(find(name), find(hidden), dynamic, anchored) if hidden else lambda *_, **__: None
                fake = lazily("effectful_fake", name, fake) if effect else fake
                library.register_fake(name, fake, lib=lib)
        # The registrations last as long as these.
        vars(library).setdefault("_torchop_libraries", []).extend(done)
    except BaseException:
        take_back()
        raise
    return take_back
