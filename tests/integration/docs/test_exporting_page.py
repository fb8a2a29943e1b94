"""docs/exporting.md: its commands write what it says."""

from __future__ import annotations

from pathlib import Path

from fences import Fence
from how_to import HowTo


def test_every_command_runs_and_prints_what_the_page_shows(
    fences: list[Fence], tmp_path: Path
) -> None:
    # `site` holds one page only if the conversation is the only message file.
    HowTo(fences, tmp_path, {}).follow()

    assert (tmp_path / "plan.pdf").read_bytes().startswith(b"%PDF-")
    assert "Thinking Process" in (tmp_path / "plan.html").read_text("utf-8")
    assert "Thinking Process" not in (tmp_path / "short.html").read_text("utf-8")
    assert (tmp_path / "plan.ipynb").exists()
