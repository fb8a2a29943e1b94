"""Values of a notebook, which may have any type, read as the type they should have."""

from __future__ import annotations

import re
from typing import Any

RASTER = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""MIME types of the pictures that a page shows."""

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def as_base64(value: Any) -> str | None:
    """Return base64 data without white space; None for anything else."""
    data = "".join(as_text(value).split())
    return data if _BASE64.fullmatch(data) else None


def as_text(value: Any) -> str:
    """Return a text or the join of a list of texts; empty for anything else."""
    if isinstance(value, list):
        return "".join(map(as_text, value))
    return value if isinstance(value, str) else ""
