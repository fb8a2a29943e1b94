"""The core imports no extra: it finds what it asks for in their tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from msgbook.extras.verbs import VERBS
from msgbook_format.lazy import load_extra

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "kernel" / "msgbook", ROOT / "jupytext_format" / "msgbook_format")
TABLES = {
    package: import_module(f"{package}.extras").ENTRY_POINTS
    for package in ("msgbook", "msgbook_format")
}
OFFERED = [(package, name) for package, table in TABLES.items() for name in table]


def asked_for() -> Iterator[tuple[str, str]]:
    """Yield the package and the name of each extra that the code asks for."""
    for path in (path for folder in FOLDERS for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load_extra":
                yield tuple(ast.literal_eval(argument) for argument in node.args)


@pytest.mark.parametrize(("package", "name"), OFFERED)
def test_what_a_table_offers_is_there(package, name):
    assert load_extra(package, name)


def test_the_core_asks_for_all_that_is_offered_and_for_nothing_else():
    assert {*asked_for()} == {*OFFERED}


def test_each_verb_of_an_extra_is_one_of_the_extras():
    assert [verb.name for verb in VERBS if not verb.entry.startswith("msgbook.extras.")] == []
