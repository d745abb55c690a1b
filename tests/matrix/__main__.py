"""Which types work where. `cargo xtask matrix` runs both verbs.

    python tests/matrix measure LIBRARY    writes seen/torch-<version>.json: what came of each case in each column
    python tests/matrix table              writes docs/types.md from these
"""

import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


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
    print(f"lowered: {sum(verdict == columns.OK for verdict in lowered.values())}", flush=True)

    # What fails when a package is loaded says of no line of code which case it was: those go alone.
    def alone(case):
        return "inf" in case.label or "nan" in case.label or before.get(case.key, {}).get("cpp", "ok") != "ok"

    taken = [case for case in every if lowered[case.key] == columns.OK]
    batches = [[case for case in taken if not alone(case)]] + [[case] for case in taken if alone(case)]
    seen["python"] = {key: verdict for key, verdict in lowered.items() if verdict != columns.OK}
    seen["cpp"] = dict(seen["python"])
    with tempfile.TemporaryDirectory() as folder:
        host = columns.build_host(folder)
        for batch in batches:
            python, cpp = columns.packaged(batch, host, library)
            seen["python"] |= python
            seen["cpp"] |= cpp
            print(f"packaged: {len(batch)}, of {batch[0].type}; {list(python.values()).count(columns.OK)} right", flush=True)
    path.parent.mkdir(exist_ok=True)
    table = {case.key: {column: verdicts[case.key] for column, verdicts in seen.items()} for case in every}
    path.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")
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
