"""Run the notebooks of a folder in ipykernel and in Python + Chat, and compare their outputs.

Each runs three times: twice in ipykernel, so that what differs there, such as times and random numbers, does not
count. They are run as they are, with all that their code does: read them first.

Usage: PYTHONPATH=tests/support python scripts/compare_notebooks.py FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from shutil import copytree
from typing import Any

import nbformat
from same_outputs import run, same

STOCK, OURS = "python3", "msgbook-python"


def outputs(path: Path, kernel: str) -> list[Any]:
    """Run a notebook beside the other files of its folder, always under the same path."""
    with tempfile.TemporaryDirectory() as outer:
        copytree(path.parent, Path(outer, "notebook"))
        return run(nbformat.read(path, 4), kernel, Path(outer, "notebook"))


def main(folder: Path) -> int:
    unlike = 0
    for path in sorted(folder.glob("*.ipynb")):
        first, second, ours = (outputs(path, kernel) for kernel in (STOCK, STOCK, OURS))
        by_chance = [
            n
            for n, (a, b) in enumerate(zip(first[0], second[0], strict=True))
            if same(a) != same(b)
        ]
        differ = [
            n for n, (a, b) in enumerate(zip(first[0], ours[0], strict=True)) if same(a) != same(b)
        ]
        wrong = [n for n in differ if n not in by_chance]
        states = (
            "" if first[1] == ours[1] or first[1] != second[1] else ", states of widgets differ"
        )
        shown = sum(len(found) for _, found in first[0])
        unlike += bool(wrong or states)
        sys.stdout.write(
            f"{path.name}: {len(first[0])} code cells, {shown} outputs, {len(by_chance)} cells differ by chance; "
            f"unlike: {wrong or 'none'}{states}\n"
        )
    sys.stdout.write(f"notebooks with other outputs: {unlike}\n")
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
