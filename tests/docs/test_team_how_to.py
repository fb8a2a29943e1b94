"""docs/first-team.md: each of its commands works, with the demo model, and prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

from msgbook.config import LIMIT_KEYS, load_settings

PAGE = (Path(__file__).parents[2] / "docs" / "first-team.md").read_text("utf-8")


def test_the_rule_of_the_page_is_understood(fences, tmp_path):
    (rule,) = fences
    file = tmp_path / "msgbook.toml"
    file.write_text(rule.body)

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert (settings.warnings, settings.rules) == ((), ({"tool": "dispatch_subagents"},))


def test_each_limit_that_the_page_names_exists():
    named = set(re.findall(r"`(max_\w+|\w+_budget|subagent\w+)`", PAGE))

    assert len(named) > 5
    assert named <= LIMIT_KEYS
