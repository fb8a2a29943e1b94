"""docs/tutorial.md: its commands work with the demo model and print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

from how_to import HowTo

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text("utf-8")


def test_every_command_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    how_to = HowTo(PAGE, tmp_path, {"MSGBOOK_MODEL": "demo"})

    how_to.follow()

    assert len(how_to.commands) == len(re.findall(r"^\$ ", PAGE, re.MULTILINE)) > 6
    assert (tmp_path / "first.html").exists()
    assert (tmp_path / "first-fork.msg.md").exists()
