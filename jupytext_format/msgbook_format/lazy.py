"""Names of a package that are imported when they are first used, and extras, which are found by their names.

Jupyter's servers, command lines and kernels import packages of the format long before they need
all of them, if ever.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(package: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that gives what its `if TYPE_CHECKING` imports.

    Those imports are for type checkers. They are read here as well, so that each name stands once. A face takes
    0.1 ms to read.

    Args:
        package: The package's `__name__`.
    """
    homes: dict[str, str] = {}

    def get_attribute(name: str) -> Any:
        if not homes:
            homes.update(_imported_names(Path(import_module(package).__file__ or "")))
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return get_attribute


def load_extra(package: str, name: str) -> Any:
    """Return what an extra of a package offers to the core, which imports none of them.

    Args:
        package: `msgbook` or `msgbook_format`.
        name: A key of `ENTRY_POINTS` of its package `extras`.
    """
    table: dict[str, str] = import_module(f"{package}.extras").ENTRY_POINTS
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)


def _imported_names(face: Path) -> dict[str, str]:
    statements = ast.walk(ast.parse(face.read_bytes()))
    imports = [node for node in statements if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}
