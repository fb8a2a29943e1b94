"""Looking at a stranger's notebook reads what a message may bring without a question, and uses up no approval."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from asking_page import AskingPage, ask_about
from completion_cells import prompt_scope

from msgbook.kernel.assist.complete import complete
from msgbook.kernel.assist.inspect import inspect
from msgbook.kernel.session import Session
from msgbook_format.syntax import CHAT_CELLS

SECRET = "outside-4711"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project beside which, and in which, stands what is nobody's business."""
    monkeypatch.setenv("MSGBOOK_CONFIG", str(tmp_path / "msgbook.toml"))
    monkeypatch.setenv("MSGBOOK_MODEL", "m")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "msgbook.toml").touch()
    place = tmp_path / "project"
    place.mkdir()
    (tmp_path / "secret.md").write_text(SECRET)
    (place / ".env").write_text(SECRET)
    (place / "file.md").symlink_to("../secret.md")
    (place / "folder").symlink_to("..")
    (place / "loop").symlink_to("loop")
    (place / "names.md").write_text("@[../secret.md] @[file.md] @[folder/secret.md] @[.env]")
    os.mkfifo(place / "pipe")
    (place / "zero").symlink_to("/dev/zero")
    with (place / "huge.md").open("wb") as huge:
        huge.truncate(200_000_000_000)
    return place


def hostile_references(folder: Path) -> list[str]:
    paths = [
        "../secret.md", str(folder.parent / "secret.md"), "file.md", "folder/secret.md", "folder/",
        "folder/*", "../*", "**/*", ".env", ".*", "names.md", "loop", "pipe", "zero", "huge.md",
        "/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/self/fd/0", "/dev/tty", "~/.ssh/",
        "file:///etc/passwd", "\\\\host\\share", "/",
    ]  # fmt: skip
    # Last, since each cell below reads them again: a second each.
    ranges = ["huge.md:1:9", "huge.md:99999999:99999999"]
    images = [f"![x]({path})" for path in paths] + [f"![x](file://{folder.parent}/secret.md)"]
    images += [f"![x]({path})" for path in ranges]
    return [f"@[{path}]" for path in paths] + images + [f"@[{path}]" for path in ranges]


def cell(number: int, source: str) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": [],
    }


def test_nothing_outside_the_project_is_shown(folder):
    references = hostile_references(folder)
    cells = [cell(n, f"See {word} now") for n, word in enumerate(references)]
    cells.append(cell(len(cells), "#define up ..\nSee @[{{up}}/secret.md] and all of them"))

    scope = prompt_scope(folder, cells=cells)

    async def look() -> str:
        session = Session(folder, dict, CHAT_CELLS)
        try:
            page = AskingPage(session, cells)
            queries = ("context.request", "context.body", "usage.total", "stale.list")
            said: list[Any] = [await page.ask(name, cell_id=cells[-1]["id"]) for name in queries]
            for one in cells:
                said.append(await page.ask("context.body", cell_id=one["id"]))
                source, begin = one["source"], one["source"].index("[") + 1
                ends = range(begin, len(source))
                said += [complete(source[:end], end, scope) for end in ends]
                said.append(await inspect(source, begin, scope))
                said.append(await inspect(source[:-5], len(source) - 5, scope))
            return json.dumps(said)
        finally:
            await session.close()

    assert SECRET not in asyncio.run(look())


def test_what_is_only_looked_at_is_not_counted_as_allowed_by_a_rule(folder):
    config = folder.parent / "msgbook.toml"
    config.write_text('[approval]\nrules = [{ tool = "read" }]\n')
    cells = [cell(0, "See @[../secret.md]")]

    assert SECRET in json.dumps(ask_about(folder, cells, "context.body", cell_id="c0"))
    (rule,) = ask_about(folder, cells, "approvals.list")["rules"]
    assert (rule["count"], rule["last"]) == (0, "")
