"""What each host shows and sends for one prompt, in process: the preview, the page's panel, `run` and `chat`."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

from asking_page import ask_about
from command import with_settings

import msgbook_format
from msgbook.cli.chat import chat as answer_in_chat
from msgbook.cli.preview import preview_file
from msgbook_format.turn import turn_of


def tools_of(body: dict[str, Any]) -> list[str]:
    return [tool.get("name") or tool["function"]["name"] for tool in body.get("tools", [])]


def without_python(body: dict[str, Any]) -> dict[str, Any]:
    """The body without the tools that only a kernel has."""
    named = zip(body.get("tools", []), tools_of(body), strict=True)
    kept = [tool for tool, name in named if name not in ("python", "run_cell")]
    if kept and (mark := body["tools"][-1].get("cache_control")):  # it stands at the last one
        kept[-1] = {**kept[-1], "cache_control": mark}
    return {**body, "tools": kept} if kept else {k: v for k, v in body.items() if k != "tools"}


def previewed(server: Any, chat: Path, cell_id: str, *, of_run: bool = False) -> Any:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = with_settings(server, preview_file, chat, cell_id, as_json=True, of_run=of_run)
    assert code == 0
    return json.loads(printed.getvalue())


def shown_on_page(server: Any, chat: Path, cell_id: str) -> Any:
    """What the panel Context shows."""
    is_text = chat.suffix == ".md"
    cells = json.loads(
        json.dumps(msgbook_format.read(chat) if is_text else json.loads(chat.read_text()))
    )
    return with_settings(
        server, ask_about, chat.parent, cells["cells"], "context.body", cells["metadata"], cell_id=cell_id
    )["body"]  # fmt: skip


def sent_by_chat(server: Any, chat: Path, number: int) -> Any:
    """What `msgbook chat` sends if it is asked what stands in a cell, below the cells above it."""
    folder = shutil.copytree(chat.parent, chat.parent.with_name(f"{chat.parent.name}-chat"))
    notebook = msgbook_format.read(chat)
    source = notebook.cells[number].source
    del notebook.cells[number:]
    msgbook_format.write(notebook, folder / chat.name)
    before = len(server.requests)
    with_settings(server, answer_in_chat, folder / chat.name, source, go_on=True)
    return server.requests[before]


def require_one_body(server: Any, chat: Path) -> None:
    """Fail unless all hosts agree on the request of the last prompt of a chat that `run` has answered."""
    cells = msgbook_format.read(chat).cells
    answered = [n for n, cell in enumerate(cells) if any(map(turn_of, cell.get("outputs", [])))]
    sent = list(server.requests)
    if not sent or not answered:
        return
    number = answered[-1]
    shown = previewed(server, chat, cells[number].id)
    ran = previewed(server, chat, cells[number].id, of_run=True)

    assert shown == shown_on_page(server, chat, cells[number].id)
    assert ran == without_python(shown)
    assert ran in sent
    assert len(server.requests) == len(sent), "a preview sends nothing"
    if not cells[number].source.startswith("%"):
        assert sent_by_chat(server, chat, number) == ran
