"""Metadata of a notebook or cell, which may be any JSON, read as the dictionaries they should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgbook_format.typed import as_dict

__all__ = ["as_dict", "msgbook_metadata"]


def msgbook_metadata(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return `metadata.msgbook` of a notebook, cell or output; an empty dictionary without one."""
    return as_dict(as_dict(node.get("metadata")).get("msgbook"))
