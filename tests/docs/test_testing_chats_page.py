"""docs/testing-chats.md: its commands do what it says, and it names the lines that a cassette has."""

from __future__ import annotations

import re
from pathlib import Path

from msgbook.extras.cassettes.lines import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "testing-chats.md").read_text("utf-8")


def test_each_kind_of_line_is_named():
    named = set(re.findall(r"`(\w+)`", PAGE.partition("## What a cassette holds")[2]))
    explained = {"status": "events"}

    assert {explained.get(key, key) for key in KINDS} <= named
