"""How a set of cases is run in each column of the table: what came of each case is "ok", or a text that says what was wrong.

A model calls many cases at once, since packages take long to compile. If it fails, its halves are tried.
"""

import logging
import pathlib
import re
import subprocess
import tempfile

import torch

from cases import decode

OK = "ok"
# Failures are what is looked for: no tracebacks of them.
logging.getLogger("torch.export").setLevel(logging.CRITICAL + 1)
logging.getLogger("torch._export").setLevel(logging.CRITICAL + 1)


class Model(torch.nn.Module):
    def __init__(self, cases):
        super().__init__()
        self.cases = cases

    def forward(self, x):
        return tuple(case.run(x) for case in self.cases)


def example():
    return torch.arange(3)


def another():
    """Of another size, so that a size which was burned in is seen."""
    return torch.arange(5)


def texts(outputs):
    return [decode(output) for output in outputs]


def compare(cases, got):
    """One verdict per case."""
    expected = [case.expected(another()) for case in cases]
    return {case.key: OK if text == wanted else f"arrives as `{text}`" for case, text, wanted in zip(cases, got, expected)}


def first_line(error):
    """Of the innermost exception, without addresses and paths."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    compiler = [line for line in lines if ": error: " in line]
    line = compiler[0].split(": error: ")[1] if compiler else lines[0] if lines else ""
    return shortened(f"{type(error).__name__}: {line}")


def shortened(line):
    line = re.sub(r"0x[0-9a-f]+", "0x…", line)
    return re.sub(r"(/[\w.+-]+){2,}/", "…/", line)[:160]


def bisected(cases, run):
    """`run(cases)` gives verdicts or raises."""
    try:
        return run(cases)
    except Exception as error:
        if len(cases) == 1:
            return {cases[0].key: "error: " + first_line(error)}
        half = len(cases) // 2
        return bisected(cases[:half], run) | bisected(cases[half:], run)


def eager(cases):
    def run(cases):
        return compare(cases, texts(Model(cases)(another())))

    return {key: verdict for case in cases for key, verdict in bisected([case], run).items()}


def exported(cases):
    return torch.export.export(
        Model(cases), (example(),), dynamic_shapes={"x": {0: torch.export.Dim.DYNAMIC}}, strict=False)


def export(cases):
    """Exported, saved, loaded, run."""

    def run(cases):
        with tempfile.TemporaryDirectory() as folder:
            torch.export.save(exported(cases), f"{folder}/model.pt2")
            program = torch.export.load(f"{folder}/model.pt2")
            return compare(cases, texts(program.module()(another())))

    rows = {}
    for case in cases:
        rows.setdefault((case.kind, case.type), []).append(case)
    return {key: verdict for row in rows.values() for key, verdict in bisected(row, run).items()}


# A package's own code is not what is measured: no time for optimising it.
CONFIG = {"aot_inductor.compile_wrapper_opt_level": "O0"}


def generated(cases):
    """Lowered to C++ that nobody compiles: which cases inductor refuses is known in a second."""

    def run(cases):
        with tempfile.TemporaryDirectory() as folder:
            torch._inductor.aoti_compile_and_package(
                exported(cases), package_path=f"{folder}/model.pt2", inductor_configs=CONFIG | {"aot_inductor.package_cpp_only": True})
        return {case.key: OK for case in cases}

    return bisected(cases, run)


def package(cases, folder, name):
    return torch._inductor.aoti_compile_and_package(
        exported(cases), package_path=str(pathlib.Path(folder) / f"{name}.pt2"), inductor_configs=CONFIG)


def in_python(cases, package):
    return compare(cases, texts(torch._inductor.aoti_load_package(package)(another())))


class HostError(Exception):
    pass


def in_cpp(cases, package, host, library):
    done = subprocess.run([host, library, package, str(len(another()))], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise HostError(done.stderr.strip() or f"exit code {done.returncode}")
    lines = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    return compare(cases, texts(torch.tensor(line) for line in lines))


def nodes(cases, program):
    """The names of the graph's nodes that lead to each case's text."""
    graph = program.graph
    outputs = graph.output_node().args[0]

    def behind(node, seen):
        if node.op != "placeholder" and node.name not in seen:
            seen.add(node.name)
            for before in node.all_input_nodes:
                behind(before, seen)
        return seen

    found = {}
    # Writes come first: they are results of the graph as well.
    for case, output in zip(cases, outputs[len(outputs) - len(cases):]):
        found[case.key] = behind(output, set())
    return found


def blamed(text, cases, names):
    """Which cases the lines of the generated C++ belong to that an error speaks of: an error for each."""
    verdicts = {}
    for path, line, message in re.findall(r"(/\S+\.wrapper\.cpp)(?::(\d+):\d+: error: (.*)|, line \d+)", text) + [
            (path, line, "") for path, line in re.findall(r"(/\S+\.wrapper\.cpp), line (\d+)", text)]:
        if not line:
            continue
        before = pathlib.Path(path).read_text().splitlines()[:int(line)]
        comments = [re.search(r"Source Nodes: \[([^]]*)\]", text) for text in reversed(before) if "Source Nodes: [" in text]
        if not comments:
            continue
        there = set(comments[0][1].split(", "))
        said = [line for line in text.splitlines() if "test_matrix::" in line or "rror" in line]
        for case in cases:
            if names[case.key] & there:
                verdicts.setdefault(case.key, "error: " + shortened(message or said[0]))
    return verdicts


def suspects(text, cases, names):
    """The cases with an operator that an error names."""
    operators = "|".join(set(re.findall(r"test_matrix::(\w+)", text)))
    node = re.compile(f"(?:{operators})(?:_default)?(?:_\\d+)?")
    return [case for case in cases if operators and any(node.fullmatch(name) for name in names[case.key])]


def packaged(cases, host, library, learn):
    """AOTInductor in Python and in the C++ program: a package of all; without those that its code fails for; and so on. Calls
    `learn` with the verdicts of the two whenever there are some."""
    with tempfile.TemporaryDirectory() as folder:
        count = 0

        def run(cases):
            nonlocal count
            count += 1
            names = nodes(cases, exported(cases))
            try:
                made = package(cases, folder, f"model{count}")
                cpp = in_cpp(cases, made, host, library)
            except Exception as error:
                verdicts = blamed(str(error), cases, names)
                if not verdicts and len(cases) > 1:
                    print(f"a package of {len(cases)}: {first_line(error)}", flush=True)
                    alone = suspects(str(error), cases, names)
                    if not alone or len(alone) == len(cases):
                        raise
                    for case in alone:
                        bisected([case], run)
                    return bisected([case for case in cases if case not in alone], run)
                verdicts = verdicts or {cases[0].key: "error: " + first_line(error)}
                learn(verdicts, verdicts)
                rest = [case for case in cases if case.key not in verdicts]
                return bisected(rest, run) if rest else {}
            learn(in_python(cases, made), cpp)
            return {}

        bisected(cases, run)


def build_host(folder):
    program = pathlib.Path(folder) / "host"
    root = pathlib.Path(torch.__file__).parent
    done = subprocess.run(
        ["g++", "-std=c++20", "-O0", f"-isystem{root}/include", f"-isystem{root}/include/torch/csrc/api/include",
         f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", pathlib.Path(__file__).parent / "host.cpp",
         "-o", program, f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl"],
        capture_output=True, text=True)
    if done.returncode:
        raise HostError(done.stderr)
    return program
