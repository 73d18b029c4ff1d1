"""Checks that executed notebooks end with a picture, and that the originals have no outputs.

    tests/notebooks/pictures.py EXECUTED_FOLDER NOTEBOOK...
"""

import json
import pathlib
import sys

executed, *originals = map(pathlib.Path, sys.argv[1:])
for original in originals:
    for cell in json.loads(original.read_text(encoding="utf-8"))["cells"]:
        if cell.get("outputs") or cell.get("execution_count"):
            sys.exit(f"{original} was committed with outputs: cell {cell['id']}")
    last = json.loads((executed / original.name).read_text(encoding="utf-8"))["cells"][-1]
    pictures = sum("image/png" in output.get("data", {}) for output in last.get("outputs", []))
    if pictures != 1:
        sys.exit(f"{original} ends with {pictures} pictures, expected 1")
