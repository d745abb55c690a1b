"""The example of a tokenizer: `examples/tokenizer`, alone and in one package with an embedding, in Python, C++ and Rust."""

import copy
import os
import pathlib
import pickle
import subprocess

import pytest
import torch

from conftest import REPO, compiles, library, raised

LIBRARY = library("TORCHOP_LIB_TOKENIZER")
torch.ops.load_library(LIBRARY)
Tokenizer, strip = torch.classes.text_ops.Tokenizer, torch.ops.text_ops.strip

TRAINED_ON = (REPO / "README.md").read_text().splitlines()
TEXTS = ["the tensor of the operator", "Größe, 大きさ, 🦀", "x", "  two  spaces\n\ttab", "of " * 100]


def as_bytes(text):
    return torch.tensor(list(text.encode()), dtype=torch.uint8)


def as_text(tensor):
    return bytes(strip(tensor, 0).tolist()).decode()


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(TRAINED_ON, 600)


class Classifier(torch.nn.Module):
    """From bytes to logits."""

    def __init__(self, tokenizer):
        super().__init__()
        self.tokenizer = tokenizer
        self.embedding = torch.nn.Embedding(tokenizer.vocabulary, 16)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, text):
        ids = strip(self.tokenizer.encode(text), -1)
        return self.head(self.embedding(ids).mean(0))


@pytest.mark.parametrize("text", TEXTS)
def test_there_and_back(tokenizer, text):
    data = as_bytes(text)
    ids = tokenizer.encode(data)
    assert (ids.dtype, ids.shape) == (torch.int64, data.shape)
    tokens = strip(ids, -1)
    assert 0 < len(tokens) <= len(data) and (tokens >= 0).all() and (tokens < tokenizer.vocabulary).all()
    assert torch.equal(ids[: len(tokens)], tokens) and (ids[len(tokens):] == -1).all()
    assert as_text(tokenizer.decode(ids, len(data))) == text
    assert as_text(tokenizer.decode(tokens, len(data) + 7)) == text


def test_frequent_words_are_one_token(tokenizer):
    assert tokenizer.vocabulary == 600
    text = "of of of of"
    assert len(strip(tokenizer.encode(as_bytes(text)), -1)) == 4
    # Byte-level BPE writes a space as Ġ.
    ids = strip(tokenizer.encode(as_bytes(text)), -1)
    assert ids.tolist()[1:] == [tokenizer.token("Ġof")] * 3
    assert tokenizer.token("no such token") is None


def test_any_layout_and_no_text(tokenizer):
    data = as_bytes("the tensor of the operator")
    spread = torch.stack([data, data], 1)[:, 0]
    assert not spread.is_contiguous() and torch.equal(tokenizer.encode(spread), tokenizer.encode(data))
    empty = tokenizer.encode(as_bytes(""))
    assert empty.shape == (0,) and tokenizer.decode(empty, 0).shape == (0,)


def test_errors(tokenizer):
    kind, text = raised(lambda: tokenizer.encode(torch.tensor([104, 255], dtype=torch.uint8)))
    assert kind == "ValueError" and "the text is no UTF-8" in text and "index 1" in text
    kind, text = raised(lambda: tokenizer.encode(torch.ones(3)))
    assert kind == "TypeError" and "'text'" in text and "uint8" in text and "float32" in text
    assert "expected a tensor of 1 dimension, got 2" in raised(lambda: tokenizer.encode(torch.ones(2, 2, dtype=torch.uint8)))[1]
    for token in (-2, tokenizer.vocabulary, 2**32 - 1, 2**40, -(2**63)):
        kind, text = raised(lambda: tokenizer.decode(torch.tensor([1, token]), 3))
        assert kind == "ValueError" and f"expected tokens, or -1, in `ids`, got {token}, which is none" in text
    for length in (-1, -(2**63)):
        assert f"`length` is {length}" in raised(lambda: tokenizer.decode(torch.tensor([1]), length))[1]
    # More memory than there is.
    for length in (2**48, 2**62, 2**63 - 1):
        assert raised(lambda: tokenizer.decode(torch.tensor([1]), length))[0] == "RuntimeError"
    kind, text = raised(lambda: tokenizer.decode(tokenizer.encode(as_bytes("text")), 3))
    assert kind == "ValueError" and "the text has 4 bytes, `length` is 3" in text
    kind, text = raised(lambda: Tokenizer("no JSON"))
    assert kind == "ValueError" and "no tokenizer" in text


def test_state(tokenizer, tmp_path):
    data = as_bytes(TEXTS[1])
    torch.save(tokenizer, tmp_path / "tokenizer.pt")
    copies = [pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer), torch.load(tmp_path / "tokenizer.pt", weights_only=False)]
    for other in copies:
        assert torch.equal(other.encode(data), tokenizer.encode(data)) and other.vocabulary == tokenizer.vocabulary


@torch.no_grad()
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled(tokenizer, backend):
    model = Classifier(tokenizer).eval()
    fn, graphs = compiles(model, backend, fullgraph=True, dynamic=True)
    fn(as_bytes(TEXTS[0]))
    # Dynamo may call the backend twice for one compile.
    compiled = len(graphs)
    for text in TEXTS[:2] + TEXTS[3:]:
        torch.testing.assert_close(fn(as_bytes(text)), model(as_bytes(text)))
    assert len(graphs) == compiled


def test_strip_in_a_graph():
    values = torch.tensor([1, 2, -1, 3, -1, -1])
    torch.library.opcheck(strip.default, (values, -1))
    torch.library.opcheck(strip.default, (values.to(torch.uint8), 255))
    assert strip(values, -1).tolist() == [1, 2, -1, 3]
    assert strip(values, 7).tolist() == values.tolist() and strip(values[-2:], -1).shape == (0,)


@pytest.fixture(scope="module")
def package(tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    torch.manual_seed(0)
    model = Classifier(tokenizer).eval()
    with torch.no_grad():
        example = as_bytes("an example")
        program = torch.export.export(model, (example,), dynamic_shapes={"text": {0: torch.export.Dim("bytes", max=4096)}})
        torch.export.save(program, folder / "program.pt2")
        torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "model.pt2"))
    return folder, model


@torch.no_grad()
def test_exported(package):
    folder, model = package
    loaded = torch.export.load(folder / "program.pt2").module()
    for text in TEXTS:
        torch.testing.assert_close(loaded(as_bytes(text)), model(as_bytes(text)))


@torch.no_grad()
def test_packaged(package):
    folder, model = package
    runner = torch._inductor.aoti_load_package(str(folder / "model.pt2"))
    for text in TEXTS:
        torch.testing.assert_close(runner(as_bytes(text)), model(as_bytes(text)))


@pytest.fixture(scope="module")
def in_cpp(tmp_path_factory):
    program = tmp_path_factory.mktemp("text_host") / "text_host"
    root = pathlib.Path(torch.__file__).parent
    done = subprocess.run(
        ["g++", "-std=c++20", "-O1", f"-isystem{root}/include", f"-isystem{root}/include/torch/csrc/api/include",
         f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", REPO / "examples/tokenizer/host/main.cpp", "-o", program,
         f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl"],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    return [program, LIBRARY]


@pytest.fixture(scope="module")
def in_rust():
    return [pathlib.Path(library("TORCHOP_HOST_PROGRAMS")) / "text_host"]


@torch.no_grad()
@pytest.mark.parametrize("host", ["in_cpp", "in_rust"])
@pytest.mark.parametrize("text", TEXTS)
def test_served_without_python(package, host, text, request):
    folder, model = package
    command = [*request.getfixturevalue(host), folder / "model.pt2", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "LD_LIBRARY_PATH": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    logits = torch.tensor([float(line) for line in done.stdout.split()])
    torch.testing.assert_close(logits, model(as_bytes(text)), rtol=1e-4, atol=1e-5)


def test_text_that_is_no_text_is_an_error_there_too(package, in_rust):
    folder, _ = package
    done = subprocess.run([*in_rust, folder / "model.pt2", ""], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "input `text` (position 0): expected `bytes` in 1..=4096 in dimension 0, got 0" in done.stderr
