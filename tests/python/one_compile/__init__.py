"""For every operator of the test library that torch can trace: what is called, and its arguments for a size. `test_one_compile.py` compiles
each once for five sizes; `test_one_compile_exceptions.py` asserts what the others do instead.

`CASES` has the operators' names with their cases by labels, `SPECIALIZES` and `REFUSED` those that cannot be compiled once, with the reason.
"""

from one_compile import composites, effects, objects, refused, tensors, types, writing
from one_compile.case import SIZES, Case, plain

TABLES = (tensors, writing, objects, effects, composites, types)

CASES = {(name, label): case for table in TABLES for name, cases in table.CASES.items() for label, case in cases.items()}
SPECIALIZES, REFUSED, UNTRACED = refused.SPECIALIZES, refused.REFUSED, refused.UNTRACED
