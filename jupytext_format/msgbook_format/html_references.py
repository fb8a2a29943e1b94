"""HTML's references to characters, `&lt;` and `&#60;`, in texts of any origin."""

from __future__ import annotations

import html
import re

_LONG = re.compile(r"&#(?=[0-9]{9})0*([0-9]{1,8})[0-9]*+")
"""A number of more digits than any character has, behind its zeros."""


def unescape(text: str) -> str:
    """Return what `html.unescape` does, which raises a `ValueError` for a number of thousands of digits."""
    if "&" not in text:
        return text
    # Eight digits of a longer number are no character either.
    return html.unescape(_LONG.sub(r"&#\1", text))  # noqa: TID251
