"""Packages are imported by their face, which imports a module only when a name of it is used."""

from __future__ import annotations

import ast
import importlib
import inspect

import pytest
from faces import FACES

FACES_WITH_MODULES = ["msgbook_format.extras.checks", "msgbook_format.turn"]


@pytest.mark.parametrize("face", FACES + FACES_WITH_MODULES)
def test_a_face_gives_all_its_names(face):
    package = importlib.import_module(face)
    imports = [
        statement
        for statement in ast.walk(ast.parse(inspect.getsource(package)))
        if isinstance(statement, ast.ImportFrom) and statement.module.startswith(face)
    ]
    imported = [
        (getattr(importlib.import_module(statement.module), alias.name), alias.name)
        for statement in imports
        for alias in statement.names
    ]

    assert [name for value, name in imported if getattr(package, name) is not value] == []
    assert [name for name in getattr(package, "__all__", ()) if not hasattr(package, name)] == []
