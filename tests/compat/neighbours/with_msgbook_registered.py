"""For pytest in Jupytext's sources: all tests run with the format `msg`, as the `.pth` gives it."""

from __future__ import annotations

import jupytext.formats

assert "msg" in jupytext.formats._VALID_FORMAT_NAMES, "msgbook is not installed, or switched off"
