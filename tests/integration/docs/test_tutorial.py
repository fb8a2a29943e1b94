"""docs/tutorial.md: what is typed works with the demo model and brings what the page shows."""

from __future__ import annotations

from pathlib import Path

from fences import Fence
from how_to import HowTo


def test_every_command_runs_and_prints_what_the_page_shows(
    fences: list[Fence], tmp_path: Path
) -> None:
    HowTo(fences, tmp_path, {"MSGBOOK_MODEL": "demo"}).follow()

    assert (tmp_path / "first.html").exists()
    assert (tmp_path / "first-fork.msg.md").exists()
