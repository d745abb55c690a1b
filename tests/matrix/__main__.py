"""Which types work where. `cargo xtask matrix` runs both verbs.

    python tests/matrix measure LIBRARY    writes seen/torch-<version>.json: what came of each case in each column. What stands there
                                           of packages is kept: remove the file to measure afresh
    python tests/matrix table              writes docs/types.md from these
"""

import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


UNKNOWN = "not measured"
PLAIN = {"Tensor", "int", "SymInt", "float", "bool", "str"}


def is_plain(case):
    """What packages are known to take: goes first, in one package."""
    element = case.type.removesuffix("?").removesuffix("[]").removesuffix("?")
    return case.kind == "argument" and element in PLAIN and "?[]" not in case.type


def is_odd(case):
    """What fails when a package is loaded says of no line of code which case it was: goes alone."""
    return "inf" in case.label or "nan" in case.label


def measure(library):
    import torch

    torch.ops.load_library(library)
    import columns
    from cases import cases

    every = cases()
    path = HERE / f"seen/torch-{torch.__version__.split('+')[0]}.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    rows = {}
    for case in every:
        rows.setdefault((case.kind, case.type), []).append(case)

    seen = {"eager": columns.eager(every), "export": columns.export(every)}
    print(f"eager and export: {len(every)} cases of {len(rows)} types", flush=True)
    lowered = {}
    for row in rows.values():
        lowered |= columns.generated(row)
    for column in ("python", "cpp"):
        seen[column] = {
            key: before.get(key, {}).get(column, UNKNOWN) if verdict == columns.OK else verdict for key, verdict in lowered.items()
        }
    print(f"lowered: {list(lowered.values()).count(columns.OK)}", flush=True)

    def write():
        path.parent.mkdir(exist_ok=True)
        table = {case.key: {column: verdicts[case.key] for column, verdicts in seen.items()} for case in every}
        path.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")

    def learn(python, cpp):
        seen["python"] |= python
        seen["cpp"] |= cpp
        write()
        left = sum(verdict == UNKNOWN for verdict in seen["python"].values())
        print(f"packaged; {left} are left", flush=True)

    write()
    left = [case for case in every if UNKNOWN in (seen["python"][case.key], seen["cpp"][case.key])]
    common = [case for case in left if not is_odd(case)]
    batches = [[case for case in common if is_plain(case)], [case for case in common if not is_plain(case)]]
    batches += [[case] for case in left if is_odd(case)]
    with tempfile.TemporaryDirectory() as folder:
        host = columns.build_host(folder)
        for batch in filter(None, batches):
            columns.packaged(batch, host, library, learn)
    print(path)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", library]:
            measure(library)
        case ["table"]:
            import table

            table.PAGE.write_text(table.page())
            print(table.PAGE)
        case _:
            sys.exit(__doc__)
