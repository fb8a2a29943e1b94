"""Docstrings of tools, which a model reads, whether the interpreter keeps them or not."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any

_REMOVED = 2
"""Level of optimization (`-OO`) from which the interpreter keeps no docstrings."""


def docstring_of(function: Callable[..., Any]) -> str:
    """Return a function's docstring; empty if it has none."""
    found = inspect.getdoc(function)
    if found or sys.flags.optimize < _REMOVED:
        return found or ""
    try:
        defined = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):  # it has no source that can be found
        return ""
    if not isinstance(defined, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    return ast.get_docstring(defined) or ""
