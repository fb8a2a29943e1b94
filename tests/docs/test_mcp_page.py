"""docs/mcp.md: its configurations are taken as they stand, and its table names all keys."""

from __future__ import annotations

import re
from pathlib import Path

from msgbook.config import load_settings
from msgbook.config.mcp_tables import KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")


def test_each_configuration_is_taken_without_a_warning(tmp_path: Path):
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "msgbook.toml"
    assert len(blocks) >= 2
    for block in blocks:
        path.write_text(block)
        settings = load_settings({"MSGBOOK_CONFIG": str(path), "ISSUES_TOKEN": "t0ken-1"})

        assert settings.warnings == ()
        assert not [one.problem for one in settings.mcp_servers.values() if one.problem]


def test_the_table_has_a_row_for_each_key():
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(KEYS)
