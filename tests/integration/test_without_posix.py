"""msgbook where there is no POSIX, such as on Windows: what it needs from there has another way, or says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without-posix")
    (folder / "elsewhere").mkdir()
    (folder / "linked").symlink_to("elsewhere")
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Any]:
    """What a Python without POSIX found in the folder."""
    script = ROOT / "tests" / "support" / "without_posix.py"
    ended = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return told


def test_every_module_can_be_imported(found):
    assert found["before"] == []
    assert found["failed"] == []


def test_the_file_tools_work_by_paths(found, folder):
    assert found["write"] == "Wrote a.txt: 4 bytes."
    assert "+two" in found["edit"]
    assert found["mkdir"] == "Made new/."
    assert "two" in found["read"]
    assert (folder / "a.txt").read_text() == "two\n"
    assert (folder / "new").is_dir()


def test_a_link_is_still_written_through_only_by_its_real_path(found, folder):
    assert found["linked"].startswith("Wrote elsewhere/b.txt")
    assert (folder / "elsewhere" / "b.txt").read_text() == "no"


def test_commands_and_servers_that_are_programs_are_refused_with_what_to_use_instead(found):
    assert found["shell"] == "The tool shell needs Linux or another Unix; use the tool python."
    assert "use one with `url`" in found["mcp"]
