"""Tells `torch.distributed.tensor` how sharded tensors go through the operators that say `sharding = pointwise`.

Stands behind `lazily.py`, in the same namespace. Imports nothing: the module gets its rules when somebody imports it, which takes half a
second.
"""


def register_sharding_rules(names):
    import sys

    MODULE = "torch.distributed.tensor"
    apply = lazily("sharding_rules", names)
    if sys.modules.get(MODULE) is not None:
        return apply()

    class Finder:
        """Is there until the module is imported; others of its kind, and the real one, come after it."""

        def find_spec(self, name, path=None, target=None):
            if name != MODULE or self not in sys.meta_path:
                return None
            import importlib.util

            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            if spec is None or spec.loader is None:
                return spec
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                try:
                    apply()
                except Exception as error:
                    import warnings

                    warnings.warn(f"the sharding rules of {', '.join(names)} could not be registered: {error!r}")

            spec.loader.exec_module = exec_module
            return spec

    waiting = Finder()
    sys.meta_path.insert(0, waiting)
    return lambda: waiting in sys.meta_path and sys.meta_path.remove(waiting)


