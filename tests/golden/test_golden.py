"""What msgbook sends, saves, shows and prints is, byte for byte, what `records/` has.

A refactoring changes no record. After a change of behaviour, `pytest tests/golden --write-golden` writes them anew, and the
diff of the records is the change. A record is one scenario of a table in a module beside this one.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import pytest
from scripted_server import ScriptedServer

from . import chats, command, exports, magics, queries, settings, streams, texts
from .world import World

PYTHON = (3, 11)
"""The version of Python whose argparse wrote the records."""

RECORDS = Path(__file__).parent / "records"
SCENARIOS = {
    f"{module.__name__.rpartition('.')[2]}/{name}": scenario
    for module in (chats, command, exports, magics, queries, settings, streams, texts)
    for name, scenario in module.SCENARIOS.items()
}


@pytest.fixture
def world(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module_server: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
) -> World:
    folder = tmp_path / "folder"
    folder.mkdir()
    module_server.reset()
    monkeypatch.setenv("COLUMNS", "100")
    return World(folder, module_server, monkeypatch, capsys)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_as_it_was_recorded(
    name: str, world: World, request: pytest.FixtureRequest
) -> None:
    if name in {f"command/{one}" for one in command.ARGPARSE} and sys.version_info[:2] != PYTHON:
        pytest.skip("another version of argparse has other words")
    path = RECORDS / f"{name}.txt"
    found = world.fixed(str(SCENARIOS[name](world)))
    if request.config.getoption("--write-golden", default=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(found.encode())
        return
    expected = path.read_bytes().decode() if path.exists() else ""
    if found != expected:
        changes = difflib.unified_diff(
            expected.splitlines(), found.splitlines(), f"records/{name}.txt", "now", lineterm=""
        )
        pytest.fail(f"{name} has changed:\n" + "\n".join(changes), pytrace=False)


def test_every_record_belongs_to_a_scenario() -> None:
    found = {path.relative_to(RECORDS).as_posix() for path in RECORDS.rglob("*.txt")}
    assert found == {f"{name}.txt" for name in SCENARIOS}
