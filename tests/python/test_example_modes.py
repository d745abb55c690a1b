"""The example's op under every mode of torch, and its class."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from conftest import compiles

op = torch.ops.my_ops.identity_conv_op


def test_requires_grad_and_no_grad():
    x = torch.randn(2, 3, requires_grad=True)
    y = op(x)
    assert y.requires_grad and not y.is_leaf and "identity_conv_op" in y.grad_fn.name()
    (g,) = torch.autograd.grad(y, x, torch.full((2, 3), 2.0))
    assert torch.equal(g, torch.full((2, 3), 2.0))
    with torch.no_grad():
        assert not op(x).requires_grad


def test_inference_mode():
    x = torch.randn(2, 3)
    with torch.inference_mode():
        y = op(x)
        assert y.is_inference() and torch.equal(op(y), x)
    assert torch.equal(op(y), x) and not op(y).requires_grad


def test_inference_tensor_beside_autograd():
    with torch.inference_mode():
        y = torch.randn(2, 3)
    x = torch.randn(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        torch.ops.test_ops.product(x, y)


def test_autocast_leaves_it_alone():
    x = torch.randn(2, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert op(x).dtype == torch.float32 and torch.equal(op(x), x)


@pytest.mark.filterwarnings("ignore")
def test_vmap_equals_a_loop():
    x = torch.randn(4, 3, 2)
    assert torch.equal(torch.vmap(op)(x), x)
    assert torch.equal(torch.vmap(op, in_dims=2, out_dims=1)(x), x.movedim(2, 1))
    assert torch.equal(torch.vmap(torch.vmap(op))(x), x)


@pytest.mark.filterwarnings("ignore")
def test_functional_transforms():
    x = torch.randn(3, dtype=torch.double)
    f = lambda x: (op(x) ** 3).sum()
    assert torch.allclose(torch.func.grad(f)(x), 3 * x**2)
    assert torch.allclose(torch.func.jacrev(op)(x), torch.eye(3, dtype=torch.double))
    assert torch.allclose(torch.func.jacrev(torch.func.jacrev(lambda x: op(x) ** 3))(x).sum((1, 2)), 6 * x)
    assert torch.allclose(torch.vmap(torch.func.grad(f))(torch.stack([x, 2 * x])), 3 * torch.stack([x, 2 * x]) ** 2)
    y, pull = torch.func.vjp(op, x)
    assert torch.equal(pull(torch.ones_like(y))[0], torch.ones_like(x))


def test_forward_mode_is_refused_by_name():
    x = torch.randn(3)
    with pytest.raises(NotImplementedError, match="my_ops::identity_conv_op.*forward-mode"):
        torch.func.jvp(op, (x,), (x,))


def test_fake_tensors():
    with FakeTensorMode() as mode:
        x = mode.from_tensor(torch.randn(4, 3).t())
        y = op(x)
        assert type(y) is type(x) and y.shape == (3, 4) and y.stride() == x.stride() and y.device.type == "cpu"


def test_dispatch_mode_sees_the_call_once():
    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Log(), Log():
        op(torch.randn(2))
    assert seen.count("my_ops.identity_conv_op.default") == 2
    assert len(seen) == 2 or set(seen) <= {"my_ops.identity_conv_op.default", "aten.randn.default"}


def test_python_subclass():
    class Logged(torch.Tensor):
        pass

    x = torch.randn(2, 3).as_subclass(Logged)
    assert type(op(x)) is Logged and torch.equal(op(x), x)


def test_saved_hooks_anomaly_and_checkpoint():
    x = torch.randn(3, requires_grad=True)
    with torch.autograd.graph.save_on_cpu(), torch.autograd.detect_anomaly(check_nan=True):
        (g,) = torch.autograd.grad(torch.ops.test_ops.product(op(x), x).sum(), x)
    assert torch.allclose(g, 2 * x)
    y = torch.utils.checkpoint.checkpoint(lambda x: torch.ops.test_ops.product(op(x), x), x, use_reentrant=False)
    assert torch.allclose(torch.autograd.grad(y.sum(), x)[0], 2 * x)


def test_opcheck():
    for x in (torch.randn(2, 3), torch.randn(2, 3, requires_grad=True), torch.randn(4, 3).t(), torch.randn(4, 6)[::2, 1:]):
        assert set(torch.library.opcheck(op, (x,)).values()) == {"SUCCESS"}


def test_one_compile_for_five_sizes():
    fn, graphs = compiles(lambda x: op(x * 2) + 1, fullgraph=True, dynamic=True)
    for n in range(3, 8):
        x = torch.randn(n, n + 10)
        assert torch.equal(fn(x), x * 2 + 1)
    assert len(graphs) == 1


def test_class_checks_its_channels():
    conv = torch.classes.my_ops.IdentityConvClass(3)
    x = torch.randn(2, 3, 4)
    assert conv.channels == 3 and torch.equal(conv.forward(x), x)
    with pytest.raises(ValueError, match=r"^expected 3 channels in dimension 1, got 5$"):
        conv.forward(torch.ones(2, 5))
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        conv.forward(torch.ones(3))
    with pytest.raises(ValueError, match="^channels must be positive, got 0$"):
        torch.classes.my_ops.IdentityConvClass(0)
