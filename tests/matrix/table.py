"""docs/types.md from the files in seen/."""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/types.md"
COLUMNS = {"eager": "eager", "export": "`torch.export`", "python": "AOTInductor, Python", "cpp": "AOTInductor, C++"}


def seen():
    """Release of torch to what was seen there, the oldest first."""
    files = sorted((HERE / "seen").glob("torch-*.json"), key=lambda file: [int(part) for part in file.stem[6:].split(".")])
    return {file.stem[6:]: json.loads(file.read_text()) for file in files}


class Notes:
    """Texts of errors, by the numbers that cells give."""

    def __init__(self):
        self.texts = []

    def number(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return f"[{self.texts.index(text) + 1}]"


def cell(verdicts, notes):
    """What a type does in one column: verdicts by label."""
    if all(verdict == "ok" for verdict in verdicts.values()):
        return "yes"
    groups = {}
    for label, verdict in verdicts.items():
        groups.setdefault(verdict, []).append(label)
    parts = []
    for verdict, labels in groups.items():
        if verdict == "ok":
            continue
        if verdict.startswith("arrives"):
            said = f"**{verdict}**"
        elif verdict.startswith("error: "):
            said = f"no {notes.number(verdict.removeprefix('error: '))}"
        else:
            said = verdict
        parts.append(said if len(labels) == len(verdicts) else f"{', '.join(labels)}: {said}")
    return "<br>".join((["yes, but"] if "ok" in groups else []) + parts)


def rows(kind, tables, notes):
    types = {}
    for key in dict.fromkeys(key for table in tables.values() for key in table):
        this, type, label = key.split(": ", 2)
        if this == kind:
            types.setdefault(type, []).append((label, key))
    for type, cases in types.items():
        cells = []
        for column in COLUMNS:
            by_version = {
                version: cell({label: table[key][column] for label, key in cases}, notes) for version, table in tables.items()
            }
            if len(set(by_version.values())) == 1:
                cells.append(next(iter(by_version.values())))
            else:
                cells.append("<br>".join(f"{version.rsplit('.', 1)[0]}: {text}" for version, text in by_version.items()))
        yield [f"`{type}`", *cells]


def markdown(head, body):
    # A bar would end the cell, in code too.
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines)


def page():
    tables, notes = seen(), Notes()
    head = ["schema type", *COLUMNS.values()]
    arguments, results = (markdown(head, rows(kind, tables, notes)) for kind in ("argument", "result"))
    texts = "\n".join(f"{number}. `{text.replace('`', '')}`" for number, text in enumerate(notes.texts, 1))
    return (HERE / "types.md").read_text().format(
        versions=" and ".join(tables), arguments=arguments, results=results, notes=texts)
