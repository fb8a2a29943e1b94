"""docs/mcp.md: its servers are configured as they stand, and its table names all keys."""

from __future__ import annotations

import re
from pathlib import Path

from fences import Fence

from msgbook.config import load_settings
from msgbook.config.load import KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")


def test_a_server_is_a_program_or_a_url(fences: list[Fence], tmp_path: Path) -> None:
    (fence,) = fences
    path = tmp_path / "msgbook.toml"
    path.write_text(fence.body)

    settings = load_settings({"MSGBOOK_CONFIG": str(path), "ISSUES_TOKEN": "t0ken-1"})
    issues, team = settings.mcp_servers.values()

    assert settings.warnings == ()
    assert (issues.problem, team.problem) == ("", "")
    assert (issues.command, issues.args) == ("npx", ("-y", "@example/issues-server"))
    assert issues.env == {"ISSUES_TOKEN": "t0ken-1"}
    assert issues.enabled_tools == ("search", "read")
    assert (team.url, team.headers) == (
        "https://mcp.example.com/mcp",
        {"Authorization": "Bearer abc"},
    )


def test_the_table_has_a_row_for_each_key() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(KEYS)
