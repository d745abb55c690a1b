"""One of several processes that train together, started by `test_distributed.py`:

    python distributed_worker.py CASE RANK PROCESSES STORE

Says `CASE: right` last.
"""

import datetime
import os
import sys

import torch
import torch.nn.functional as F

BATCH, WIDTH = 8, 16


def mesh():
    from torch.distributed.device_mesh import init_device_mesh

    return init_device_mesh("cpu", (torch.distributed.get_world_size(),))


class Block(torch.nn.Module):
    """Linear layers with operators between them: Rust's, or torch's own as the reference."""

    def __init__(self, rust):
        super().__init__()
        self.rust = rust
        self.weight = torch.nn.Parameter(torch.rand(WIDTH, dtype=torch.double) + 0.5)
        self.first, self.second = (torch.nn.Linear(WIDTH, WIDTH, dtype=torch.double) for _ in range(2))

    def forward(self, x):
        if self.rust:
            normal = torch.ops.my_layers.rms_norm(x, self.weight, 1e-5)
            hidden = torch.ops.test_sharding.swish_mul(self.first(normal), x, 1.5)
            return x + torch.ops.test_sharding.cube(self.second(hidden))
        normal = F.rms_norm(x, (WIDTH,), self.weight, 1e-5)
        first = self.first(normal)
        return x + self.second(first * torch.sigmoid(1.5 * first) * x) ** 3


def model(rust):
    torch.manual_seed(1)
    return torch.nn.Sequential(Block(rust), Block(rust), torch.nn.Linear(WIDTH, 3, dtype=torch.double))


def data():
    torch.manual_seed(2)
    return torch.randn(BATCH, WIDTH, dtype=torch.double)


def loss(run, x):
    return run(x).square().mean()


def reference():
    """The gradients of one process with the whole batch, by torch's own operators."""
    whole = model(False)
    loss(whole, data()).backward()
    return {name: parameter.grad for name, parameter in whole.named_parameters()}


def mine():
    """This process's part of the batch."""
    return data().chunk(torch.distributed.get_world_size())[torch.distributed.get_rank()]


def compare(gradients):
    expected = reference()
    assert gradients.keys() == expected.keys()
    for name, gradient in gradients.items():
        torch.testing.assert_close(gradient, expected[name], msg=lambda text: f"{name}: {text}")


def ddp(compiled):
    # Several buckets, so that communication begins while the backward runs. Dynamo wants the first to be the smallest.
    module = torch.nn.parallel.DistributedDataParallel(model(True), bucket_cap_mb=None if compiled else 0.001)
    run = torch.compile(module, backend="aot_eager") if compiled else module
    for _ in range(2):
        module.zero_grad()
        loss(run, mine()).backward()
    compare({name: parameter.grad for name, parameter in module.module.named_parameters()})


def fsdp2(compiled):
    from torch.distributed.fsdp import fully_shard

    module = model(True)
    for part in module:
        fully_shard(part, mesh=mesh())
    fully_shard(module, mesh=mesh())
    if compiled:
        for part in module:
            part.compile(backend="aot_eager")
    assert all(parameter.to_local().numel() < parameter.numel() for parameter in module.parameters())
    for _ in range(2):
        module.zero_grad()
        loss(module, mine()).backward()
    compare({name: parameter.grad.full_tensor() for name, parameter in module.named_parameters()})


def fsdp1():
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    module = FullyShardedDataParallel(model(True), auto_wrap_policy=ModuleWrapPolicy({Block}), use_orig_params=True,
                                      device_id=torch.device("cpu"))
    for _ in range(2):
        module.zero_grad()
        loss(module, mine()).backward()
    with FullyShardedDataParallel.summon_full_params(module, with_grads=True):
        name_of = lambda name: name.replace("_fsdp_wrapped_module.", "")
        compare({name_of(name): parameter.grad for name, parameter in module.named_parameters()})


def tensors():
    """Operators that say `sharding = pointwise`, on sharded tensors."""
    from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

    ops, ranks = torch.ops.test_sharding, mesh()
    placed = lambda t, placement: distribute_tensor(t, ranks, [placement])
    torch.manual_seed(3)
    x, y, row = torch.randn(6, 4, dtype=torch.double), torch.randn(6, 4, dtype=torch.double), torch.randn(4, dtype=torch.double)
    swish_mul = lambda x, y, beta: x * torch.sigmoid(beta * x) * y

    for placement in (Shard(0), Shard(1), Shard(-1), Replicate()):
        d = placed(x, placement).requires_grad_()
        cubed = ops.cube(d)
        expected = placement if placement != Shard(-1) else Shard(1)
        assert isinstance(cubed, DTensor) and cubed.placements == (expected,), (cubed.placements, placement)
        torch.testing.assert_close(cubed.full_tensor(), x**3)
        gradient, = torch.autograd.grad(cubed.sum(), d)
        torch.testing.assert_close(gradient.full_tensor(), 3 * x**2)

    # Two tensors: placed alike, differently, one of them broadcast or a plain number's.
    for a, b in ((Shard(0), Shard(0)), (Shard(0), Shard(1)), (Replicate(), Shard(1)), (Shard(1), Replicate())):
        for second in (y, row, y[:, :1], y[:1]):
            if b == Shard(1) and second.dim() == 1:
                b = Shard(0)
            dx, dy = placed(x, a).requires_grad_(), placed(second, b).requires_grad_()
            result = ops.swish_mul(dx, dy, 0.5)
            torch.testing.assert_close(result.full_tensor(), swish_mul(x, second, 0.5))
            lx, ly = x.clone().requires_grad_(), second.clone().requires_grad_()
            expected = torch.autograd.grad(swish_mul(lx, ly, 0.5).square().sum(), (lx, ly))
            for ours, theirs in zip(torch.autograd.grad(result.square().sum(), (dx, dy)), expected):
                torch.testing.assert_close(ours.full_tensor(), theirs)

    # Sharded where both can be: no process holds the whole result.
    assert ops.swish_mul(placed(x, Shard(0)), placed(row, Replicate())).placements == (Shard(0),)
    assert ops.swish_mul(placed(x, Shard(1)), placed(row, Shard(0))).placements == (Shard(1),)

    # Numbers, keywords, lists, optional tensors, several results.
    d = placed(x, Shard(0))
    for beta in (0.5, 2.0):
        torch.testing.assert_close(ops.swish_mul(d, placed(y, Shard(0)), beta).full_tensor(), swish_mul(x, y, beta))
    total = ops.total([d, placed(y, Shard(1)), placed(row, Replicate())], None)
    torch.testing.assert_close(total.full_tensor(), x + y + row)
    torch.testing.assert_close(ops.total([d], other=placed(row, Replicate())).full_tensor(), x + row)
    plus, minus = ops.plus_minus(d, placed(y, Shard(0)))
    assert plus.placements == minus.placements == (Shard(0),)
    torch.testing.assert_close((plus.full_tensor(), minus.full_tensor()), (x + y, x - y))
    for dtype in (torch.float32, torch.float64, torch.float32):
        cast = ops.cast(d, dtype)
        assert cast.dtype == cast.to_local().dtype == dtype
        torch.testing.assert_close(cast.full_tensor(), x.to(dtype))

    compiled = torch.compile(lambda z: ops.cube(z).sin(), backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(d).full_tensor(), (x**3).sin())

    # Without a word in Rust, torch says what is missing.
    try:
        ops.unsaid(d)
    except NotImplementedError as error:
        assert "test_sharding.unsaid" in str(error) and "sharding strategy" in str(error), error
    else:
        raise AssertionError("no error")


def odd_tensors():
    """Parts of different sizes or none, sums that are not taken yet, sizes that do not go together, compiled for all sizes."""
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

    ops, ranks, rank = torch.ops.test_sharding, mesh(), torch.distributed.get_rank()
    placed = lambda t, placement: distribute_tensor(t, ranks, [placement])
    swish_mul = lambda x, y: x * torch.sigmoid(x) * y
    torch.manual_seed(4)
    x, y = torch.randn(7, 5, dtype=torch.double), torch.randn(7, 5, dtype=torch.double)
    placements = (Shard(0), Shard(1), Replicate())
    for a, b in ((x, y), (x[:1], y), (x, y[:, :1]), (x[:1], y[:1]), (x[:0], y[:0]), (x[:1], y[:0]), (x, torch.stack([y, x]))):
        for first in placements:
            for second in placements:
                torch.testing.assert_close(ops.swish_mul(placed(a, first), placed(b, second)).full_tensor(), swish_mul(a, b))
    torch.testing.assert_close(ops.swish_mul(placed(x, Shard(1)), placed(y[0, 0], Replicate())).full_tensor(), swish_mul(x, y[0, 0]))

    # What the processes hold is to be added up before anything that is not linear, in both directions.
    for reduction, whole in (("sum", 3 * x), ("avg", 1.5 * x)):
        for other in placements:
            partial = DTensor.from_local(x * (rank + 1), ranks, [Partial(reduction)]).requires_grad_()
            torch.testing.assert_close(ops.cube(partial).full_tensor(), whole**3)
            result = ops.swish_mul(partial, placed(y, other))
            torch.testing.assert_close(result.full_tensor(), swish_mul(whole, y))
            gradient, = torch.autograd.grad(result.sum(), partial)
            leaf = whole.clone().requires_grad_()
            torch.testing.assert_close(gradient.full_tensor(), torch.autograd.grad(swish_mul(leaf, y).sum(), leaf)[0])

    # Right by chance in one process, an error in another, were it not for the rule.
    for a, b in ((x, y[:4]), (x, y[:, :3]), (x, torch.stack([y, x], 1))):
        try:
            ops.swish_mul(placed(a, Shard(0)), placed(b, Shard(0)))
        except Exception as error:
            assert "test_sharding.swish_mul" in str(error) and "cannot be broadcast together" in str(error), error
        else:
            raise AssertionError("no error")

    for backend in ("aot_eager", "inductor"):
        graphs, inner = [], torch._dynamo.lookup_backend(backend)
        torch._dynamo.reset()
        compiled = torch.compile(lambda x, y: ops.swish_mul(x, y).sin(), fullgraph=True, dynamic=True,
                                 backend=lambda graph, inputs: graphs.append(graph) or inner(graph, inputs))
        for rows in (4, 6, 7, 9):
            leaves = [torch.randn(rows, 5, dtype=torch.double, generator=torch.Generator().manual_seed(k)).requires_grad_() for k in (rows, 1)]
            parts = [placed(leaf.detach(), Shard(0)).requires_grad_() for leaf in leaves]
            result, expected = compiled(*parts), swish_mul(*leaves).sin()
            torch.testing.assert_close(result.full_tensor(), expected)
            for ours, theirs in zip(torch.autograd.grad(result.sum(), parts), torch.autograd.grad(expected.sum(), leaves)):
                torch.testing.assert_close(ours.full_tensor(), theirs)
        assert len(graphs) == 1, len(graphs)


def tensors_imported_before():
    from torch.distributed.tensor import Shard, distribute_tensor

    load()
    x = distribute_tensor(torch.arange(6.0), mesh(), [Shard(0)])
    assert torch.equal(torch.ops.test_sharding.cube(x).full_tensor(), torch.arange(6.0) ** 3)


def tensors_imported_after():
    load()
    assert "torch.distributed.tensor" not in sys.modules, "a load imports nothing"
    tensors()


def load():
    for variable in ("TORCHOP_LIB_EXAMPLE", "TORCHOP_LIB_RMS_NORM", "TORCHOP_LIB_TESTS"):
        torch.ops.load_library(os.environ[variable])


CASES = {
    "training": lambda: (load(), ddp(False), fsdp2(False), fsdp1()),
    "training, compiled": lambda: (load(), ddp(True), fsdp2(True)),
    "tensors, imported before": tensors_imported_before,
    "tensors, imported after": tensors_imported_after,
    "odd tensors": lambda: (load(), odd_tensors()),
}


def main():
    case, rank, processes, store = sys.argv[1:]
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=int(rank), world_size=int(processes),
                                         timeout=datetime.timedelta(seconds=300))
    CASES[case]()
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    print(f"{case}: right", flush=True)
    # torch 2.11 aborts at times when it tears down what was compiled beside gloo, with operators of its own as well.
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
