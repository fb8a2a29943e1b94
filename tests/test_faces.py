"""Packages are imported by their face, which imports a module only when a name of it is used."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys

import pytest

FACES = [
    "msgbook.agents",
    "msgbook.approval",
    "msgbook.notebook",
    "msgbook.other_chats",
    "msgbook.provider",
    "msgbook.request",
    "msgbook.request.history",
    "msgbook.tools",
    "msgbook.turn",
    "msgbook_format.agent_context",
    "msgbook_format.agents",
    "msgbook_format.cells",
    "msgbook_format.document",
    "msgbook_format.files",
    "msgbook_format.outputs",
    "msgbook_format.syntax",
]
FACES_WITH_MODULES = ["msgbook_format.checks", "msgbook_format.turn"]


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


@pytest.mark.parametrize("face", FACES)
def test_a_face_imports_none_of_its_modules(face):
    code = f"import sys, {face}; print([m for m in sys.modules if m.startswith('{face}.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_the_core_imports_no_jupyter_and_no_network():
    code = (
        "import sys, msgbook.turn, msgbook.agents, msgbook.request.history, msgbook.request.context.files; "
        "names = {'IPython', 'httpx2', 'ipykernel', 'jupyter_client', 'jupyter_core', 'openai'}; "
        "print(names & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
