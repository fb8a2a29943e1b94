"""Displays of a tool: it shows them to the reader beside its result, as code in a cell would.

A model gets the result; a page draws the displays (`display` blocks of a turn).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgbook.text import map_texts
from msgbook_format import jsontext

Display = Callable[[Mapping[str, Any]], None]
"""Shows a MIME bundle, as `rich_data` returns it, to the reader and not to the model."""

DISPLAY_SIZE = 2_000_000
"""Characters of one bundle that is kept, counted as JSON."""

MAX_DISPLAYS = 50
"""Displays of one call that are kept: as many outputs as JupyterLab shows of a cell."""

_TYPES = {
    "text/html",
    "text/markdown",
    "text/latex",
    "image/svg+xml",
    "application/json",
    "application/geo+json",
}
_PREFIXES = ("application/vnd.plotly.", "application/vnd.vega.", "application/vnd.vegalite.")


def rich_data(bundle: Mapping[str, Any]) -> dict[str, Any]:
    """Return the representations that say more than the text and the images of a result do.

    Scripts, and widgets that live in the kernel, are left out.
    """
    return {
        mime: value
        for mime, value in bundle.items()
        if isinstance(mime, str) and (mime in _TYPES or mime.startswith(_PREFIXES))
    }


class Displays:
    """The displays of one call.

    Args:
        redact: Removes secrets from a text.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self.kept: list[dict[str, Any]] = []
        self.left_out = 0
        """Number of displays that are too large, too many or no JSON."""

    def add(self, data: Mapping[str, Any]) -> None:
        """Keep a copy of a MIME bundle; this is a `Display`."""
        try:
            text = json.dumps(data, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            text = ""
        fits = 0 < len(text) <= DISPLAY_SIZE and not jsontext.is_too_deep(text)
        if not fits or len(self.kept) == MAX_DISPLAYS:
            self.left_out += 1
        else:
            bundle = json.loads(text).items()  # its keys are types
            self.kept.append({mime: map_texts(value, self._redact) for mime, value in bundle})

    @property
    def notice(self) -> str:
        """The displays that are left out, in words for the reader; empty if there are none."""
        if not self.left_out:
            return ""
        limits = f"{MAX_DISPLAYS} of a call, {DISPLAY_SIZE:,} characters each"
        return f"Displays that are not kept: {self.left_out}. Limits: {limits}. The result has their text."


def ignore_display(_data: Mapping[str, Any]) -> None:
    """Show nothing."""
