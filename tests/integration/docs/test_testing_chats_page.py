"""docs/testing-chats.md: its commands do what it says, and it names the lines that a cassette has."""

from __future__ import annotations

from how_to import HowTo


def test_every_command_runs_and_prints_what_the_page_shows(fences, tmp_path):
    HowTo(fences, tmp_path, {"MSGBOOK_MODEL": "demo", "PYTHONDONTWRITEBYTECODE": "1"}).follow()

    assert (tmp_path / "chats" / "greeting.cassette.jsonl").exists()
