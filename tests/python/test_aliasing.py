"""No op or method gives its argument, its state or a view of them away: inductor would make wrong numbers of it."""

import pytest
import torch

from conftest import compiles

ops = torch.ops.test_ops
Holder = torch.classes.test_ops.Holder
SHARES = "shares its memory"
grads = pytest.mark.parametrize("grad", [False, True], ids=["plain", "grad"])


@pytest.mark.parametrize("how", ["input", "view", "kept"])
def test_op_result_that_is_not_its_own_is_refused(how):
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=f"test_ops::alias: result 0 {SHARES}.*deep_clone"):
        ops.alias(x, how)


@grads
@pytest.mark.parametrize("how", ["fresh", "view of fresh"])
def test_op_result_of_its_own_is_no_alias(how, grad):
    x = torch.ones(2, 3, requires_grad=grad)
    with torch.no_grad():
        assert torch.equal(ops.alias(x, how).flatten(), x.flatten())
    assert torch.equal(ops.alias(x.detach(), how).flatten(), x.detach().flatten())
    with torch.inference_mode():
        ops.alias(torch.ones(2), how)


def test_one_tensor_as_two_results_is_refused():
    with pytest.raises(RuntimeError, match=SHARES):
        ops.alias_pair(torch.ones(2))


def test_lists_are_looked_into():
    xs = [torch.ones(2), torch.ones(3)]
    assert [torch.equal(a, b) for a, b in zip(ops.alias_list(xs, True), xs, strict=True)] == [True, True]
    with pytest.raises(RuntimeError, match=f"test_ops::alias_list: result 0 {SHARES}"):
        ops.alias_list(xs, False)


@grads
@pytest.mark.parametrize("what", ["state", "view of state", "argument", "view of argument"])
def test_method_result_that_is_not_its_own_is_refused(what, grad):
    x = torch.ones(2, 3, requires_grad=grad)
    holder = Holder(torch.full((2, 3), 2.0, requires_grad=grad))
    with pytest.raises(RuntimeError, match=rf"test_ops::Holder\.give: result 0 {SHARES}"):
        holder.give(x, what)
    with torch.no_grad(), pytest.raises(RuntimeError, match=SHARES):
        holder.give(x, what)


@grads
@pytest.mark.parametrize("what", ["copy", "view of copy", "product"])
def test_method_result_of_its_own_is_no_alias(what, grad):
    x = torch.ones(2, 3, requires_grad=grad)
    holder = Holder(torch.full((2, 3), 2.0, requires_grad=grad))
    y = holder.give(x, what)
    assert torch.equal(y.flatten(), torch.full((6,), 2.0))
    assert y.requires_grad == grad
    with torch.no_grad():
        assert torch.equal(holder.give(x, what), y)


def test_method_lists_are_looked_into():
    holder = Holder(torch.ones(2))
    assert len(holder.give_list(False)) == 2
    with pytest.raises(RuntimeError, match=rf"test_ops::Holder\.give_list: result 0 {SHARES}"):
        holder.give_list(True)


def test_getter_may_show_the_state():
    w = torch.ones(2)
    assert torch.equal(Holder(w).weight, w)


@torch.no_grad()
@pytest.mark.parametrize("what", ["state", "copy"])
def test_compiled_method_never_writes_to_the_object(what):
    holder = Holder(torch.full((4,), 7.0))
    fn, _ = compiles(lambda x: holder.give(x, what) + x, "inductor", fullgraph=True)
    for _ in range(3):
        if what == "state":
            with pytest.raises(RuntimeError, match=SHARES):
                fn(torch.full((4,), 7.0))
        else:
            assert torch.equal(fn(torch.full((4,), 7.0)), torch.full((4,), 14.0))
        assert torch.equal(holder.weight, torch.full((4,), 7.0))
