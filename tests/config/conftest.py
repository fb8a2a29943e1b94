"""What tests of the settings share."""

from __future__ import annotations

from pathlib import Path

import pytest

from msgbook.config import Settings, load_settings


@pytest.fixture
def toml(tmp_path: Path):
    """Return the settings of a file with a text, and of an environment."""

    def write(text: str, **env: str) -> Settings:
        path = tmp_path / "msgbook.toml"
        path.write_text(text)
        return load_settings({"MSGBOOK_CONFIG": str(path), **env})

    return write
