"""Training in several processes on torch's own engines, and sharded tensors (sharding.rs): two real processes, over gloo."""

import os
import pathlib
import subprocess
import sys

import pytest
import torch

from conftest import EXAMPLE, TESTS

import distributed_worker

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no torch.distributed")
WORKER = pathlib.Path(__file__).with_name("distributed_worker.py")
RMS_NORM = os.environ.get("TORCHOP_LIB_RMS_NORM") or os.path.join(os.path.dirname(EXAMPLE), "librms_norm_ops.so")


@pytest.mark.parametrize("case", distributed_worker.CASES)
def test_two_processes(case, tmp_path):
    variables = {"TORCHOP_LIB_EXAMPLE": EXAMPLE, "TORCHOP_LIB_TESTS": TESTS, "TORCHOP_LIB_RMS_NORM": RMS_NORM,
                 "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    processes = []
    for rank in range(2):
        command = [sys.executable, "-W", "ignore", str(WORKER), case, str(rank), "2", str(tmp_path / "store")]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                          env={**os.environ, **variables}))
    try:
        outputs = [process.communicate(timeout=600)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for rank, (process, output) in enumerate(zip(processes, outputs)):
        assert process.returncode == 0 and output.splitlines()[-1] == f"{case}: right", f"process {rank}:\n{output}"


def test_a_load_imports_nothing_and_says_nothing(process):
    said = process("""
        import sys, torch
        torch.ops.load_library(EXAMPLE)
        before = set(sys.modules)
        torch.ops.load_library(TESTS)
        print(sorted(name for name in set(sys.modules) - before if "distributed" in name))
        # The rules come with the module, whoever imports it.
        import torch.distributed.tensor as tensor
        rules = tensor.DTensor._op_dispatcher.sharding_propagator.op_strategy_funcs
        print(torch.ops.test_sharding.cube.default in rules, torch.ops.test_sharding.unsaid.default in rules)
        print(tensor.__spec__.loader is not None, tensor.Shard(0))
    """)
    assert said.splitlines()[:2] == ["[]", "True False"]


def test_without_the_module_nothing_happens(process):
    """A build of torch without it, or somebody who forbids the import."""
    said = process("""
        import sys, torch
        sys.modules["torch.distributed.tensor"] = None
        torch.ops.load_library(TESTS)
        print(torch.ops.test_sharding.cube(torch.tensor(2.0)).item())
    """)
    assert said.strip() == "8.0"
