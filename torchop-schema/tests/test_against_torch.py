"""torchop-schema against torch's own parser.

Run by the pytest of an environment with torch:

    cargo build -p torchop-schema --example schema_lines
    TORCHOP_SCHEMA_LINES=target/debug/examples/schema_lines pytest torchop-schema/tests

TORCHOP_SCHEMA_COUNT sets how many generated texts are compared (20000 if unset), TORCHOP_SCHEMA_SEED the seed.
Every difference from torch that is wanted is a row of WANTED or STRICT below, with its reason; any other fails.
"""

import collections
import os
import random
import re
import subprocess

import pytest

torch = pytest.importorskip("torch")

import schema_texts  # noqa: E402  (beside this file; needs no torch)

LINES = os.environ.get("TORCHOP_SCHEMA_LINES")
COUNT = int(os.environ.get("TORCHOP_SCHEMA_COUNT", "20000"))
SEED = int(os.environ.get("TORCHOP_SCHEMA_SEED", "1"))
VERSION = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])

pytestmark = pytest.mark.skipif(not LINES, reason="TORCHOP_SCHEMA_LINES is not set: build the example schema_lines")

# What torch takes and parse_as_torch refuses: a piece of our message, what the text then has in it, and the reason.
WANTED = {
    "is hexadecimal": (r"0[xX]", "torch reads 0x10 as 0"),
    "is not a size": (r"\[\s*(0[xX]|\d{5,})", "as above; and torch makes that many values and wraps at 2**32"),
    "an octal escape above": (r"\\[23][0-7]{2}", "a byte that is not text"),
    "is not a device of torch's": (r":\d{3,}", "an index above 127, which wraps"),
    "type within type too many times": (r"(\W.*){64}", "no text may overflow the stack"),
    "named tensors are gone": (r"Dimname", "2.15 refuses Dimname, 2.11 takes it"),
}

# What torch takes and parse refuses besides: a piece of our message, and the check that torch's reading has the flaw.
STRICT = {
    "two arguments are named": lambda text, schema: has_repeated_name(schema),
    "two results are named": lambda text, schema: has_repeated_result(schema),
    "the default has": lambda text, schema: has_default_of_another_length(schema),
    "is no default for": lambda text, schema: has_misfit(schema),
    "has no `j`": lambda text, schema: "complex" in text,
    "has a capital `E`": lambda text, schema: "E" in text,
    "is not a size": lambda text, schema: re.search(r"\[[^\]]*[.eEj]", text) is not None,
    "unknown type": lambda text, schema: has_type_variable(text),
    "expected a type before the name": lambda text, schema: has_type_variable(text),
}


def torch_reads(text):
    """("ok", printed, schema) or ("err", message, None)."""
    try:
        schema = torch._C.parse_schema(text)
    except Exception as error:  # noqa: BLE001  (torch throws IndexError, ValueError and RuntimeError here)
        return "err", str(error), None
    try:
        return "ok", str(schema), schema
    except UnicodeDecodeError:
        return "ok", None, schema


def ours_reads(texts, *flags):
    def escape(text):
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")

    lines = "".join(escape(text) + "\n" for text in texts)
    done = subprocess.run([LINES, *flags], input=lines.encode(), capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    out = done.stdout.decode().split("\n")[:-1]
    assert len(out) == len(texts)
    unescape = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
    return [re.sub(r"\\[\\nr]", lambda m: unescape[m[0]], line).split("\t", 1) for line in out]


def sorted_sets(printed):
    """Torch prints alias sets in the order of a hash set."""

    def sort(match):
        return "|".join(sorted(match[0].split("|")))

    return printed if printed is None else re.sub(r"[\w$*]+(\|[\w$*]+)+", sort, printed)


LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')


def same_print(schema, printed, ours):
    """Torch prints `\\r` and what is not ASCII in a way that it cannot read; ours it reads, as what it read at first."""
    if sorted_sets(printed) == sorted_sets(ours):
        return True
    if printed is None or sorted_sets(LITERAL.sub("", printed)) != sorted_sets(LITERAL.sub("", ours)):
        return printed is None
    defaults = [a.default_value for a in schema.arguments if a.has_default_value()]
    read = [torch._C.parse_schema(f"f(str a={text}) -> ()").arguments[0].default_value for text in LITERAL.findall(ours)]
    return all(text in defaults for text in read)


def is_too_large_for_torch(text):
    """A size of which torch would make a list of gigabytes."""
    return re.search(r"\[[\s\\]*\d{6,}", text) is not None


def has_repeated_result(schema):
    names = [result.name for result in schema.returns if result.name]
    return len(set(names)) < len(names)


def has_default_of_another_length(schema):
    lists = [argument for argument in schema.arguments if argument.N and isinstance(argument.default_value, list)]
    return any(argument.N > 1 and len(argument.default_value) not in (0, argument.N) for argument in lists)


def has_repeated_name(schema):
    names = [argument.name for argument in schema.arguments]
    return len(names) != len(set(names))


def has_misfit(schema):
    return any(is_misfit(a.real_type, a.default_value) for a in schema.arguments if a.has_default_value())


def is_misfit(ty, value):
    kind = ty.kind()
    if kind == "OptionalType":
        inner = ty.getElementType()
        return value is not None and (inner.kind() in ("DeviceObjType", "ListType") or is_misfit(inner, value))
    if kind in ("TensorType", "GeneratorType", "QuantizerType", "AnyType", "VarType", "ListType"):
        return value is not None and kind[:-4] in ("Tensor", "Generator", "Quantizer")
    fits = {
        "IntType": (int,),
        "SymIntType": (int,),
        "ScalarTypeType": (int,),
        "LayoutType": (int,),
        "MemoryFormatType": (int,),
        "FloatType": (float,),
        "ComplexType": (complex,),
        "BoolType": (bool,),
        "StringType": (str,),
        "NumberType": (int, float, complex, bool),
        "DeviceObjType": (torch.device,),
    }
    if kind == "UnionType":
        return all(part.kind() == "ListType" or is_misfit(part, value) for part in ty.containedTypes())
    if isinstance(value, bool) and kind not in ("BoolType", "NumberType"):
        return True
    return not isinstance(value, fits.get(kind, ()))


def has_type_variable(text):
    """Torch's second entrance refuses type variables, but in a text that starts with aten:: or prim::."""
    if text.startswith(("aten::", "prim::")):
        return False
    bare = re.sub(r"^(?:[\s\\]|#[^\n]*\n)*\w+\s*:\s*:", "", text)
    try:
        torch.library.Library("torchop_schema_test", "FRAGMENT").define(bare)
    except Exception as error:  # noqa: BLE001
        return "unknown type" in str(error) or "in an operator's schema string" in str(error)
    return False


def compare(texts):
    """Differences that no row explains, and how often each row was used."""
    texts = [text for text in texts if not is_too_large_for_torch(text)]
    as_torch = ours_reads(texts, "--as-torch")
    strict = ours_reads(texts)
    wrong, rows = [], collections.Counter()
    for text, loose, author in zip(texts, as_torch, strict):
        theirs, printed, schema = torch_reads(text)
        rows[theirs] += 1
        if theirs == "err" and "Unknown custom class type" in printed:
            rows["class that is not registered"] += 1
        elif theirs != loose[0]:
            row = next((row for row in WANTED if theirs == "ok" and row in loose[1]), None)
            if row is not None and not re.search(WANTED[row][0], text):
                row = None
            rows[row] += 1
            if row is None:
                wrong.append((text, printed, loose))
            if author[0] == "ok":
                wrong.append((text, "should be refused", author))
            continue
        elif theirs == "ok" and not same_print(schema, printed, loose[1]):
            wrong.append((text, printed, loose))
        if loose == author or (loose[0] == author[0] == "err"):
            if schema is not None and (has_repeated_name(schema) or has_misfit(schema)):
                wrong.append((text, "should be refused", author))
            continue
        row = next((row for row in STRICT if author[0] == "err" and row in author[1]), None)
        if row is None or (schema is not None and not STRICT[row](text, schema)):
            wrong.append((text, printed, author))
        rows["strict: " + str(row)] += 1
    return wrong, rows


def report(wrong, rows):
    print(torch.__version__, dict(rows))
    assert not wrong, f"{len(wrong)} differences, such as:\n" + "\n".join(map(str, wrong[:20]))


def registry():
    return [str(schema) for schema in torch._C._jit_get_all_schemas()]


def test_registry_reads_and_prints_back():
    texts = registry()
    assert len(texts) > 4000
    got = ours_reads(texts, "--as-torch")
    wrong = [(text, line) for text, line in zip(texts, got) if line != ["ok", text]]
    assert not wrong, wrong[:20]


def test_registry_of_ops_is_mostly_for_authors_too():
    """The rules for authors refuse no habit of torch's own: what they refuse of aten is listed."""
    texts = [text for text in registry() if text.startswith("aten::")]
    refused = [(text, line) for text, line in zip(texts, ours_reads(texts)) if line[0] == "err"]
    assert len(refused) <= 1, refused


def test_chosen_texts():
    report(*compare(schema_texts.CHOSEN))


def test_generated_texts():
    texts = schema_texts.valid(random.Random(SEED), COUNT // 2)
    report(*compare(texts))


def test_mutated_texts():
    seeds = schema_texts.CHOSEN + registry() + schema_texts.valid(random.Random(SEED + 1), 2000)
    report(*compare(schema_texts.mutated(random.Random(SEED + 2), seeds, COUNT // 2)))


def test_random_characters():
    report(*compare(schema_texts.noise(random.Random(SEED + 3), COUNT // 4)))


@pytest.mark.parametrize("text", schema_texts.HUGE, ids=lambda text: text[:12])
def test_huge_texts_end(text):
    """No overflow and no hang; torch is not asked."""
    ours_reads([text]), ours_reads([text], "--as-torch")
