"""Registers what PyTorch only takes from Python: a fake class for every class of one library, and fakes for operators that take
objects.

Stands behind `lazily.py`, in the same namespace. Imports nothing: what is needed is in `sys.modules` once torch is.
"""


def register(classes, ops):
    import sys

    torch = sys.modules.get("torch")
    registry = sys.modules.get("torch._library.fake_class_registry")
    if torch is None or registry is None:
        return

    def fake_class(qualified, methods, effects):
        # Is filled when its first object is made. PyTorch asks whether objects are instances of the class that it was given.
        unflatten = lazily("unflatten", qualified, methods, effects)
        return type(qualified.split("::")[1], (), {"__obj_unflatten__": classmethod(lambda cls, flat: unflatten(cls, flat))})

    def add_gradient(name, gradient, library):
        held, backward, needs, gradients, constant = gradient
        namespace, packet = name.split("::")
        packet, _, overload = packet.partition(".")
        namespace = getattr(torch.ops, namespace)
        if not hasattr(namespace, held):
            return  # has none that torch could trace
        held_fake = lazily("held_fake")
        backward_fake = lazily("backward_fake", len(gradients))
        torch.library.register_fake(f"{namespace.name}::{held}", held_fake, lib=library)
        torch.library.register_fake(f"{namespace.name}::{backward}", backward_fake, lib=library)
        op = getattr(getattr(namespace, packet), overload or "default")
        held, backward = getattr(namespace, held).default, getattr(namespace, backward).default
        call = lazily("recorded", op, held, backward, needs, gradients, constant)
        # Both, or neither is looked at. Others meet the fake, which refuses.
        for key in ("AutogradCPU", "AutogradCUDA"):
            op.py_impl(getattr(torch._C.DispatchKey, key))(call)

    def take_back():
        # torch.ops keeps the operators that it was asked for; the library takes these back, and a handle would dangle.
        for qualified in done:
            registry.deregister_fake_class(qualified)
        for library in libraries:
            library._destroy()
        for name, hidden, gradient, effect, constant in ops:
            namespace = getattr(torch.ops, name.split("::")[0])
            for op in (hidden, name.split("::")[1].split(".")[0], *(gradient or ())[:2]):
                if namespace.__dict__.pop(op, None) is not None and op in namespace._dir:
                    namespace._dir.remove(op)

    done, libraries = [], []
    try:
        for qualified, fields, methods, effects in classes:
            if fields is not None:
                registry.register_fake_class(qualified, fake_class(qualified, methods, effects))
                done.append(qualified)
        for name, hidden, gradient, effect, constant in ops:
            namespace, local = name.split("::")
            library = torch.library.Library(namespace, "FRAGMENT")
            libraries.append(library)
            torch.library.register_fake(name, lazily("op_fake", name, hidden, effect, constant), lib=library)
            if gradient is not None:
                add_gradient(name, gradient, library)
            # PyTorch's own way past autocast is closed to operators that are given stand-ins.
            for key in ("AutocastCPU", "AutocastCUDA"):
                if not torch._C._dispatch_has_kernel_for_dispatch_key(name, key):
                    library.impl(local, torch.library.fallthrough_kernel, key)
        # The fakes live as long as these.
        vars(torch.library).setdefault("_torchop_libraries", []).extend(libraries)
    except BaseException:
        take_back()
        raise
