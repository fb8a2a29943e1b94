"""Every scenario of tests/test_parity_requests.py in a kernel as well: it sends what the preview shows.

One process answers all of them, in one folder that holds the files of one scenario at a time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hosts import previewed
from kernel_client import KernelClient
from scripted_server import text
from test_parity_requests import *  # noqa: F403 - the scenarios

import msgbook_format
from msgbook_format.turn import turn_of

NAME = "chat.msg.md"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernel") / "folder"


@pytest.fixture(scope="module")
def asked(module_server: Any, place: Path) -> Iterator[KernelClient]:
    """The kernel of the place's chat."""
    place.mkdir()
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    session = {"JPY_SESSION_NAME": str(place / NAME)}
    with KernelClient({**settings, **session}, str(place)) as kernel:
        yield kernel


@pytest.fixture
def chat(
    server: Any, tmp_path: Path, module_server: Any, asked: KernelClient, place: Path
) -> Iterator[Path]:
    """The file of a scenario, whose last answered prompt is asked in the kernel in the end."""
    folder = tmp_path / "folder"
    (folder / ".msgbook" / "rules").mkdir(parents=True)
    yield folder / NAME
    cells = msgbook_format.read(folder / NAME).cells
    answered = [cell for cell in cells if any(map(turn_of, cell.get("outputs", [])))]
    if not server.requests or not answered:
        return
    shown = previewed(server, folder / NAME, answered[-1].id)
    _put_in_place_of(place, folder)
    module_server.reset()
    module_server.answers = [text("Fine.")]

    reply, _ = asked.finish(asked.start(answered[-1].source, answered[-1].id))

    assert reply["status"] == "ok"
    assert module_server.requests[-1] == shown


def _put_in_place_of(place: Path, folder: Path) -> None:
    """Put a folder's files in the place of others; the place itself is the kernel's working folder."""
    for entry in place.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(folder, place, dirs_exist_ok=True)
