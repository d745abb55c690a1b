"""What the macros know of torch by heart, compared with torch: tags and namespaces."""

import re

import pytest
import torch

from conftest import REPO


def words(path, name):
    """The strings in a Rust constant."""
    text = (REPO / "torchop-macros/src" / path).read_text()
    body = re.search(rf"const {name}: .*?= \[(.*?)\];", text, re.DOTALL)[1]
    named = [re.search(rf'const {word}: &str = "(\w+)"', text)[1] for word in re.findall(r"^    ([A-Z]+),", body, re.MULTILINE)]
    return set(re.findall(r'"(\w+)"', body)) | set(named)


# Tags that torch 2.11 does not have.
NEWER_TAGS = {"out", "inplace"}


def test_tags():
    tags = set(torch.Tag.__members__)
    known = words("op/tags.rs", "TAGS")
    assert tags <= known
    assert known - tags <= NEWER_TAGS


def test_dispatch_keys():
    known = words("op/keys.rs", "TORCH")
    assert len(known) > 25 and all(torch._C._dispatch_key_parse(key) for key in known)
    with pytest.raises(RuntimeError):
        torch._C._dispatch_key_parse("NoSuchKey")


def test_namespaces(process):
    """All that torch registers, once its parts are imported, and what else `torch.ops` has."""
    known = words("schema/namespace.rs", "TORCHS_OWN")
    printed = process("""
        import torch, torch._inductor.compile_fx, torch.distributed.tensor, torch.distributed.fsdp, torch.onnx, torch._export
        import torch.ao.quantization.fx, torch.nested, torch.nn.attention.flex_attention, torch.ao.nn.quantized
        print(*{name.split("::")[0] for name in torch._C._dispatch_get_all_op_names()}, *dir(torch.ops))
    """)
    there = {name for name in printed.split() if not name.startswith("__")}
    # Attributes of every module and class in Python, which torch.ops has as well.
    there -= {"_dir", "name", "__file__"} | set(dir(type(torch)))
    assert {"aten", "prims", "inductor", "quantized_decomposed"} <= there
    assert there <= known, sorted(there - known)


@pytest.mark.parametrize("name, call", [("Named", lambda thing, x: thing.by_two(x)), ("Named_by", lambda thing, x: thing.two(x))])
def test_methods_that_would_share_a_hidden_name(name, call):
    """The operators: one_compile/tensors.py and one_compile/objects.py."""
    x, thing = torch.rand(3, 4), getattr(torch.classes.test_ops, name)(2.0)
    compiled = torch.compile(call, backend="aot_eager", fullgraph=True)(thing, x)
    expected = x * 2 if name == "Named" else (x * 2)[None]
    assert compiled.shape == expected.shape and torch.equal(compiled, expected) and torch.equal(call(thing, x), expected)
