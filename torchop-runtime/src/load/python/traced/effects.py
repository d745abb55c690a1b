"""Calls that count beside their results, while PyTorch traces: of methods that change the object (`&mut self`), and of operators with
an effect. The state of objects, the order of calls.

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


# What such a call is, why a number that it gives cannot be kept, what may come in another order, and the way out.
A_CHANGE = (
    "changes its object",
    "methods change the object",
    "a second call of a method in this graph, of a class whose methods change its objects",
    "method",
)
AN_EFFECT = ("has an effect", "each call counts", "a second call in this graph that has an effect", "operator")


def no_number_in_a_program(name, function, words):
    """A number that depends on what came before would stand in an exported program as it is now, for all calls to come."""

    def has_number(value):
        if isinstance(value, (list, tuple)):
            return any(has_number(item) for item in value)
        return value is not None and not isinstance(value, torch.Tensor)

    def call(*args, **by_name):
        result = function(*args, **by_name)
        if torch.compiler.is_exporting() and has_number(result):
            raise RuntimeError(
                f"{name}: returns a {type(result).__name__}, which an exported program would keep as it is now, while {words[1]}; "
                "return it as a tensor"
            )
        return result

    return call


def holder():
    """`cond` or another of torch's functions whose branches and bodies torch, as of 2.15, traces without the order of effects: calls there
    that give no tensor would be left out of the compiled graph, others break it. `None` elsewhere, and before functions become graphs.
    """
    frame, ordering = sys._getframe(), False
    while frame is not None:
        folder, _, file = frame.f_code.co_filename.rpartition("_higher_order_ops")
        name = file[1:].removesuffix(".py") if folder else ""
        ordering = ordering or name == "effects"
        if ordering and name in ("cond", "while_loop", "map", "scan", "associative_scan"):
            return name
        frame = frame.f_back
    return None


def not_in_a_branch(name, function, words):
    def call(*args, **by_name):
        if (around := holder()) is not None:
            raise RuntimeError(
                f"{name}: {words[0]}, inside `{around}`, where torch {torch.__version__} keeps no effects in a compiled graph; call it outside"
            )
        return function(*args, **by_name)

    return call


def keeps_order():
    """Whether inductor keeps the order of calls that change objects."""
    version = torch.__version__.split("+")[0]
    return tuple(int(part) for part in version.split(".")[:2]) >= (2, 15)


def in_order(name, changes, function, words=A_CHANGE):
    """Before torch 2.15, inductor may run such calls of a graph in another order, without a word. So one that changes something
    leaves the graph under torch.compile, and AOTInductor, which cannot leave it, takes one a graph.
    """
    function = no_number_in_a_program(name, function, words)
    if changes:
        function = not_in_a_branch(name, function, words)
    if keeps_order():
        return function
    version = torch.__version__.split("+")[0]

    def call(*args, **by_name):
        compiling = sys.modules["torch._guards"].CompileContext.try_get() is not None
        if changes and compiling and not torch.compiler.is_exporting():
            raise sys.modules["torch._subclasses.fake_tensor"].UnsupportedOperatorException(
                f"{name}: {words[0]}, and torch {version} may run such calls out of order in a compiled graph; compile "
                "without fullgraph=True, or with torch 2.15 or newer"
            )
        inductor = sys.modules.get("torch._inductor.virtualized")
        # An attribute that the stand-in outside of lowering does not have.
        if inductor is not None and getattr(inductor.V.graph, "effectful_ops", None):
            raise RuntimeError(
                f"{name}: {words[2]}; torch {version} may run them out of order; use torch 2.15 or newer, or do it all in one {words[3]}"
            )
        return function(*args, **by_name)

    return call


def effectful_fake(name, fake):
    """The fake of an operator with an effect."""
    return in_order(name, True, fake, AN_EFFECT)
