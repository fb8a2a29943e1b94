"""Values of a notebook that may be of any type, read as what they should be."""

from __future__ import annotations

import re
from typing import Any

RASTER = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""The types of pictures that a page shows."""

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def base64_of(value: Any) -> str | None:
    """Base64 without white space; None when it is none."""
    data = "".join(text_of(value).split())
    return data if _BASE64.fullmatch(data) else None


def text_of(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(text_of, value))
    return value if isinstance(value, str) else ""


def dict_of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
