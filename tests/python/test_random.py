"""Random operators: reproducible by seed and by generator, also under checkpoint (random.rs)."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

ops = torch.ops.test_ops


@pytest.mark.parametrize("draw", [lambda x, g=None: ops.dropout(x, 0.5, generator=g)[0], lambda x, g=None: ops.own_draw(x, generator=g)])
def test_seeds_and_generators(draw):
    x = torch.ones(50)
    torch.manual_seed(3)
    a, b = draw(x), draw(x)
    torch.manual_seed(3)
    assert torch.equal(draw(x), a) and torch.equal(draw(x), b) and not torch.equal(a, b)
    make = lambda: torch.Generator().manual_seed(7)
    generator, state = make(), torch.get_rng_state()
    c, d = draw(x, generator), draw(x, generator)
    assert torch.equal(draw(x, make()), c) and not torch.equal(c, d)
    assert torch.equal(torch.get_rng_state(), state)


def test_dropout_is_torchs_arithmetic():
    x = torch.rand(1000, requires_grad=True)
    y, kept = ops.dropout(x, 0.25)
    assert torch.allclose(y, x * kept / 0.75) and not kept.requires_grad and 650 < kept.sum() < 850
    y.sum().backward()
    assert torch.allclose(x.grad, kept / 0.75)


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_draws_the_same_again(reentrant):
    x = torch.rand(50, requires_grad=True)
    draws = []

    def fn(x):
        y, kept = ops.dropout(x, 0.5)
        draws.append(kept)
        return y * y

    y = checkpoint(fn, x, use_reentrant=reentrant)
    y.sum().backward()
    assert len(draws) == 2 and torch.equal(*draws)
    assert torch.allclose(x.grad, (2 * x * draws[0] * 4).detach())


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_by_seed(backend):
    fn = torch.compile(lambda x: ops.dropout(x, 0.5)[0] + ops.own_draw(x), backend=backend, fullgraph=True)
    x = torch.ones(20)
    torch.manual_seed(5)
    a, b = fn(x), fn(x)
    torch.manual_seed(5)
    assert torch.equal(fn(x), a) and torch.equal(fn(x), b) and not torch.equal(a, b)


def test_the_tag_reaches_torch():
    assert torch.Tag.nondeterministic_seeded in ops.dropout.default.tags


def test_all_tags_of_torch_are_known():
    import pathlib
    import re

    text = (pathlib.Path(__file__).parents[2] / "torchop-macros/src/op/tags.rs").read_text()
    known = set(re.findall(r'"(\w+)"', text))
    theirs = {name for name in dir(torch.Tag) if isinstance(getattr(torch.Tag, name), torch.Tag)}
    assert theirs <= known
