"""docs/exporting.md: its commands write what it says."""

from __future__ import annotations

import re
from pathlib import Path

from how_to import HowTo

PAGE = (Path(__file__).parents[2] / "docs" / "exporting.md").read_text("utf-8")


def test_every_command_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    # `site` holds one page only if the conversation is the only message file.
    how_to = HowTo(PAGE, tmp_path, {})

    how_to.follow()

    assert len(how_to.commands) == len(re.findall(r"^\$ ", PAGE, re.MULTILINE)) > 6
    assert "Thinking Process" in (tmp_path / "plan.html").read_text("utf-8")
    assert "Thinking Process" not in (tmp_path / "short.html").read_text("utf-8")
    assert (tmp_path / "plan.ipynb").exists()
