"""docs/first-team.md: each of its commands works, with the demo model, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from fences import fences_of
from how_to import HowTo

from msgbook_format import read
from msgbook_format.turn import turn_of

FOLLOWED = fences_of(
    "integration/docs/test_team_how_to.py::test_every_command_runs_and_prints_what_the_page_shows"
)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The team's folder, when the page has been followed to its end."""
    folder = tmp_path_factory.mktemp("reader")
    HowTo(FOLLOWED, folder, {"JUPYTER_CONFIG_DIR": str(folder / "config")}).follow()
    return folder / "team"


def test_every_command_runs_and_prints_what_the_page_shows(followed):
    assert (followed / "team.msg.md").is_file()


def test_the_team_has_worked_and_a_sub_agent_was_asked_again(followed):
    turn = turn_of(read(followed / "team.msg.md").cells[0].outputs[0])
    subagents = [read(path) for path in (followed / ".msgbook" / "subagents").iterdir()]

    assert [b["approval"] for b in turn["blocks"] if b["type"] == "tool_call"] == ["user"]
    assert turn["agent"] == "orchestrator"
    agents = {turn_of(subagent.cells[0].outputs[0])["agent"] for subagent in subagents}
    assert agents == {"implementer", "reviewer"}
    assert sorted(len(subagent.cells) for subagent in subagents) == [1, 2]
    assert [b for b in turn["blocks"] if b["type"] in ("notice", "error")] == []
