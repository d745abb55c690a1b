"""What the fakes of one library do stands in the files of `traced`, whose text is `TRACED`. It is compiled when PyTorch first traces:
that takes longer than the rest of a load.

Run by the load hook before the files beside it, in one namespace.
"""

traced = {}


def lazily(maker, *described):
    """The function that the one of `traced` named `maker` makes of these, made at the first call."""
    made = []

    def call(*args, **by_name):
        if not made:
            if not traced:
                namespace = {}
                exec(compile(TRACED, "<torchop fakes>", "exec"), namespace)
                traced.update(namespace)
            made.append(traced[maker](*described))
        return made[0](*args, **by_name)

    return call
