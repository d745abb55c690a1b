"""Texts for test_against_torch.py: chosen ones, and generators that a seed repeats."""

import os

CHOSEN = open(os.path.join(os.path.dirname(__file__), "chosen.txt"), encoding="utf-8").read().split("\n")[:-1]
CHOSEN += [
    "f() -> ()\n",
    "\n  f() -> ()\n  ",
    "\n\n f() -> () # c\n\n# d",
    "f()\n-> ()",
    "f() -> ()\n\n ()",
    "f(\nint a, # x\n int b\n) -> (\n)",
    "f()\\\n -> ()",
    "\\\nf() -> ()",
    "f()\r\n",
    "f(str a='x\\\ny') -> ()",
    "f(str a='''x\ny''') -> ()",
    "f(str a='x\ny') -> ()",
    "f(str a='\\000') -> ()",
    "f(int a\0) -> ()",
    "f(str a='\0') -> ()",
    "f(int \u00e9) -> ()",
    "f(int a)\u00a0-> ()",
    "",
    "\n",
    " ",
    "#",
    "f)\n",
]

HUGE = [
    "f(" + "(" * 100000,
    "f(" + "(" * 100000 + ")" * 100000 + " a) -> ()",
    "f(int" + "[]" * 100000 + " a) -> ()",
    "f(int" + "?" * 100000 + " a) -> ()",
    "f(" + "Future(" * 100000 + "int" + ")" * 100000 + " a) -> ()",
    "f(" + "Union(int," * 100000 + "int" + ")" * 100000 + " a) -> ()",
    "f(" + "Optional[" * 100000 + "int" + "]" * 100000 + " a) -> ()",
    "f(" + "&" * 100000 + "int a) -> ()",
    "f(Union(" + ", ".join(f"t{i}" for i in range(2000)) + ") a) -> ()",
    "f(Tensor(" + "|".join(f"t{i}" for i in range(20000)) + ") a) -> ()",
    "f(" + ", ".join(f"int a{i}=1" for i in range(50000)) + ") -> ()",
    "f(float[65535] a=0.1) -> ()",
    "f(" + "a" * 1000000 + " x) -> ()",
    "f(int a=" + "1" * 1000000 + ") -> ()",
    "f(float a=1" + "0" * 100000 + "e-100000) -> ()",
    "a." * 100000,
    "n::f(" + "a." * 100000,
    "#" * 1000000,
    "\n" * 1000000,
    "'" * 999999,
]

NAMED = (
    "Tensor int SymInt float bool str Scalar complex ScalarType Device Layout MemoryFormat Generator Stream Any None "
    "NoneType SymBool Storage QScheme Quantizer Capsule AnyClassType AnyEnumType DeviceIndex ConstQuantizerPtr"
).split()
RARE = (
    "t tVar foo.bar int32 f64 Dimname PyObject SymFloat Optional double int64_t Tenser string AnyListType _t "
    "__torch__.torch.classes.quantized.Conv2dPackedParamsBase __torch__.torch.classes.quantized.LinearPackedParamsBase "
    "__torch__.torch.classes.no.Such"
).split()
SETS = ["a", "a", "a", "b", "c", "a|b", "b|a|c", "*", "a|*", "self"]
IDENTS = "self x y input out dim from print weight a0 _b T None in is default is_not notin Infinity e1 j".split()
NUMBERS = (
    "0 1 2 3 -1 - 1 1.5 -2.5 1e-5 1e5 1E5 .5 5. 1.e3 0.1 100 12 1e10 9999999999. 1e16 1e17 123456789.125 1e300 1e999 "
    "1e-310 -0.0 0e-400 9223372036854775807 9223372036854775808 -9223372036854775808 1j -2.5j .5j 1e3j 0x10 0x1e 0x1.8p3 "
    "1_0 0.30000000000000004 2.2250738585072014e-308 1.7976931348623157e308 3.14159265358979 1e22 1e21 -9.3e18 00012"
).split()
STRINGS = [
    "'x'", '"x"', "''", "'it\\'s'", '"a\\"b"', "'\\101'", "'\\n\\t\\\\'", "'\\x41'", "'\\r'", "'\\377'", "'\u00e9\u4e2d'",
    "'''a'b'''", '"""x"""', "'mean'", "'a#b'", "'a\tb'", "'\\a\\b\\f\\v'", "'\\177'", "'\\01'",
]
DEVICES = ["'cpu'", "'cuda'", "'cuda:0'", "'cuda:7'", "'cuda:127'", "'cuda:128'", "'npu'", "'cuda:01'", "'meta'", "cpu"]
WORDS = "float long complex strided Mean contiguous_format float32 int bool half bits8 sparse inf foo double".split()


def valid(rng, count):
    """Schemas by the grammar, most of them valid."""
    return [schema(rng) for _ in range(count)]


def schema(rng):
    name = rng.choice(["f", "ns::f", "ns::f", "ns::f.out", "aten::f", "prim::f", "f.x"] * 4 + ["ns::f.default", "n::f.__x"])
    arguments = [argument(rng) for _ in range(rng.choice([0, 1, 1, 2, 3, 5]))]
    if rng.random() < 0.6:
        arguments = sorted(arguments, key=lambda text: "=" in text)
    if rng.random() < 0.2:
        arguments.insert(rng.randint(0, len(arguments)), "*")
    if rng.random() < 0.05:
        arguments.append("...")
    comma = rng.choice([", ", ", ", ",", " ,  ", ",\n"])
    return f"{name}({comma.join(arguments)}) {'->'} {returns(rng)}"


def returns(rng):
    def one():
        return annotated(rng) + (" " + ident(rng) if rng.random() < 0.2 else "")

    kind = rng.random()
    if kind < 0.4:
        return one()
    if kind < 0.45:
        return "..."
    parts = [one() for _ in range(rng.choice([0, 0, 1, 2, 3]))]
    return "(" + ", ".join(parts + (["..."] if rng.random() < 0.05 else [])) + ")"


def argument(rng):
    ty = annotated(rng)
    if rng.random() < 0.1:
        ty += f"[{rng.choice(['1', '2', '3', '0', '4', '1.5', '0x2', '65535', '1e3', ' 2 '])}]"
        ty += rng.choice(["", "", "", "?", "(b)", "(b!)"])
    text = f"{ty} {ident(rng)}"
    if rng.random() < (0.6 if ty.split("[")[0].rstrip("?") in NAMED[1:11] else 0.05):
        text += rng.choice(["=", "=", " = "]) + default(rng, ty)
    return text


def ident(rng):
    return rng.choice(IDENTS) if rng.random() < 0.07 else rng.choice("abcdefghklmn") + rng.choice(["", "", "1", "_x"])


def annotated(rng):
    text = base(rng, 0)
    while rng.random() < 0.3:
        text += rng.choice(["[]", "[]", "?", "?", "[](b)", "[](c!)", "[]!"])
    return text


def alias(rng):
    kind = rng.random()
    if kind < 0.75:
        return ""
    if kind < 0.8:
        return "!"
    write = rng.choice(["", "!", "!"])
    after = f" -> {rng.choice(SETS)}" if rng.random() < 0.3 else ""
    return f"({rng.choice(SETS)}{write}{after})"


def base(rng, depth):
    kind = rng.random()
    if kind < 0.3:
        return "Tensor" + alias(rng)
    if kind < 0.8 or depth > 2:
        return rng.choice(NAMED) + (alias(rng) if rng.random() < 0.3 else "")
    if kind < 0.82:
        return rng.choice(RARE)

    def part():
        return base(rng, depth + 1) + rng.choice(["", "", "", "", "?", "[]", "??", "[]?"])

    def parts(least):
        return ", ".join(part() for _ in range(rng.randint(least, 3)))

    kind = rng.randint(0, 6)
    if kind < 2:
        return f"({parts(0)})"
    if kind == 2:
        return f"Dict({rng.choice(['str', 'str', 'int', 'Tensor', part()])}, {part()})" + alias(rng)
    if kind < 5:
        return f"Union({parts(1)})" + alias(rng)
    return f"{rng.choice(['Future', 'RRef', 'Await'])}({part()})"


def default(rng, ty):
    kind = rng.random()
    if ty.endswith("?"):
        kind *= 0.3
    if kind < 0.1:
        return "None"
    if ty.endswith("]") and kind < 0.8:
        bare = ty.split("[")[0]
        return "[" + ", ".join(scalar(rng, bare) for _ in range(rng.choice([0, 1, 2, 2, 3]))) + "]"
    return scalar(rng, ty.split("[")[0].rstrip("?"))


def scalar(rng, ty):
    fitting = {
        "int": ["0", "1", "1", "1", "-1", "Mean"],
        "SymInt": ["0", "1", "1"],
        "float": NUMBERS,
        "bool": ["True", "False"],
        "str": STRINGS,
        "Device": DEVICES,
        "ScalarType": WORDS,
        "Scalar": NUMBERS,
        "complex": ["1j", "-2.5j", "0j", "1e5j", "12", "1.5", "1"],
        "Layout": ["strided", "0"],
        "MemoryFormat": ["contiguous_format", "0"],
    }
    if ty in fitting and rng.random() < 0.93:
        return rng.choice(fitting[ty])
    return rng.choice([rng.choice(NUMBERS), rng.choice(STRINGS), rng.choice(WORDS), "True", "None", rng.choice(DEVICES)])


PIECES = (
    "( ) [ ] , : :: . .. ... -> - * ! ? | = == 1 2 int Tensor a b None True 'x' ' \" # \n \\ \t + / ** &  [] () (a) (a!) "
    "=1 =None =[] [2] def in Union( Dict( Future( -> ( ; @ $ ~ e E j x 0x \u00e9 Dimname float complex[ SymInt"
).split(" ") + [" ", "\n ", "# c\n", "# type:", "\\\n"]


def mutated(rng, seeds, count):
    """Texts of `seeds` with a few pieces put in, taken out or swapped."""
    out = []
    for _ in range(count):
        text = rng.choice(seeds)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            at = rng.randint(0, len(text))
            to = min(len(text), at + rng.choice([0, 1, 1, 2, 5]))
            kind = rng.randint(0, 4)
            if kind == 0:
                text = text[:at] + text[to:]
            elif kind == 1:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            elif kind == 2:
                text = text[:at] + rng.choice(PIECES) + text[to:]
            elif kind == 3:
                text = text[:to] + text[at:]
            else:
                other = rng.choice(seeds)
                text = text[:at] + other[rng.randint(0, len(other)) :]
        out.append(text)
    return out


def noise(rng, count):
    """Characters at random: all of Latin-1, or the pieces of schemas in any order."""
    out = []
    for _ in range(count):
        kind = rng.random()
        length = rng.randint(0, 30)
        if kind < 0.3:
            out.append("".join(chr(rng.randint(0, 255)) for _ in range(length)))
        elif kind < 0.4:
            out.append("".join(chr(rng.choice([0x20AC, 0x1F600, 0xA0, 0x41, 0x28])) for _ in range(length)))
        elif kind < 0.6:
            text = "f(int a, str b='x') -> Tensor(a!)"
            at = rng.randint(0, len(text))
            out.append(text[:at] + chr(rng.randint(0, 255)) + text[at:])
        else:
            out.append("".join(rng.choice(PIECES) for _ in range(length)))
    return out
