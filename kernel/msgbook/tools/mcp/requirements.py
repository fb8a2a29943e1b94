"""Checks that the SDK (`mcp`) is installed, without importing it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

_OLDEST = (2, 3)
_TOO_NEW = 3
INSTALL = 'pip install "msgbook[mcp]"'


def missing_requirement() -> str:
    """Return what to install before MCP servers can be used; empty if nothing."""
    if find_spec("mcp") is None:
        return f"the package mcp is not installed. Install it with: {INSTALL}"
    try:
        found = version("mcp")
    except PackageNotFoundError:
        return f"the package mcp is not the one of PyPI. Install that with: {INSTALL}"
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if _OLDEST <= numbers < (_TOO_NEW,):
        return ""
    return f"expected the package mcp 2.3 or a later 2.x, found {found}. Install it with: {INSTALL}"
