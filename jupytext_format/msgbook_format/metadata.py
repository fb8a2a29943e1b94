"""Metadata of a notebook or cell, which may be any JSON, read as the dictionaries they should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_dict(value: Any) -> dict[str, Any]:
    """Return a dictionary; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def msgbook_metadata(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return `metadata.msgbook` of a notebook, cell or output; an empty dictionary without one."""
    return as_dict(as_dict(node.get("metadata")).get("msgbook"))
