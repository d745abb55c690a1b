"""Classes with methods that change the object (`&mut self`), while PyTorch traces: the state, the order of calls.

Stands before the other files of this folder, in the same namespace.
"""

import sys

torch = sys.modules["torch"]


def keep_state(fake, entries):
    """What became of a fake object."""
    fake._torchop_state = {name: value for name, value in entries if not name.startswith("#")}
    for name, value in fake._torchop_state.items():
        if not callable(getattr(fake, name, None)):
            setattr(fake, name, value)


def changing_fake(op, results, before_call):
    """The fake of a method that changes its object: the operator behind it gives `results` results and then the new state."""

    def method(self, *args, **by_name):
        before_call(self, args, by_name)
        # Torch asks the arguments for a device; there may be no tensor among them. One without dimensions goes with any.
        outputs = op(torch.empty(()), *self._torchop_state.values(), *args, **by_name)
        if outputs is None:
            outputs = ()
        elif results + len(self._torchop_state) == 1:
            outputs = (outputs,)
        keep_state(self, zip(self._torchop_state, outputs[results:]))
        return None if results == 0 else outputs[0] if results == 1 else tuple(outputs[:results])

    return method


def no_number_in_a_program(name, function):
    """A number that depends on the object's state would stand in an exported program as it is now, for all calls to come."""

    def has_number(value):
        if isinstance(value, (list, tuple)):
            return any(has_number(item) for item in value)
        return value is not None and not isinstance(value, torch.Tensor)

    def method(self, *args, **by_name):
        result = function(self, *args, **by_name)
        if torch.compiler.is_exporting() and has_number(result):
            raise RuntimeError(
                f"{name}: returns a {type(result).__name__}, which an exported program would keep as it is now, while methods change "
                "the object; return it as a tensor"
            )
        return result

    return method


def keeps_order():
    """Whether inductor keeps the order of calls that change objects."""
    version = torch.__version__.split("+")[0]
    return tuple(int(part) for part in version.split(".")[:2]) >= (2, 15)


def in_order(name, changes, function):
    """Before torch 2.15, inductor may run calls of a graph that change objects in another order, without a word. So a call that
    changes its object leaves the graph under torch.compile, and AOTInductor, which cannot leave it, takes one call a graph of
    a class with such methods.
    """
    function = no_number_in_a_program(name, function)
    if keeps_order():
        return function
    version = torch.__version__.split("+")[0]

    def method(self, *args, **by_name):
        compiling = sys.modules["torch._guards"].CompileContext.try_get() is not None
        if changes and compiling and not torch.compiler.is_exporting():
            raise sys.modules["torch._subclasses.fake_tensor"].UnsupportedOperatorException(
                f"{name}: changes its object, and torch {version} may run such calls out of order in a compiled graph; compile "
                "without fullgraph=True, or with torch 2.15 or newer"
            )
        inductor = sys.modules.get("torch._inductor.virtualized")
        # An attribute that the stand-in outside of lowering does not have.
        if inductor is not None and getattr(inductor.V.graph, "effectful_ops", None):
            raise RuntimeError(
                f"{name}: a second call of a method in this graph, of a class whose methods change its objects; torch {version} "
                "may run them out of order; use torch 2.15 or newer, or do it all in one method"
            )
        return function(self, *args, **by_name)

    return method


