"""A star before a literal says nothing that the literal's items do not say; `# fmt: skip` keeps a table's lines."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "jupytext_format", "kernel", "tests"])
def test_no_literal_is_spread_in_place(folder: str) -> None:
    spread = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple | ast.List)
    ]

    assert spread == []
