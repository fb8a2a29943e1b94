"""What a page asks a kernel, and what it is answered."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from asking_page import AskingPage

from msgbook.kernel.session import Session
from msgbook_format import reads
from msgbook_format.syntax import CHAT_CELLS

from .chats import AGENTS, HISTORY, PRICES, REFERRED, RULES
from .world import Record, World

FRONTMATTER = f"---\n{AGENTS}---\n\n"

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("agents.list", {"cells": [], "metadata": {}}),
    ("agents.list", {"cells": [{"id": "a", "cell_type": "code", "source": "%agent new fast models=f"}], "metadata": {"frontmatter": AGENTS}}),
    ("agents.list", {"cells": {}}),
    ("agents.choose", {"frontmatter": AGENTS, "agent": "exact"}),
    ("agents.choose", {"frontmatter": "[no", "agent": "exact"}),
    ("models.list", {}),
    ("models.list", {"provider": "gone"}),
    ("context.request", {"cell_id": "last"}),
    ("context.request", {"cell_id": "gone"}),
    ("context.message", {"cell_id": "last", "index": 1}),
    ("context.message", {"cell_id": "last", "index": 99}),
    ("context.body", {"cell_id": "last"}),
    ("context.sizes", {"digests": ["0" * 64, "no"]}),
    ("context.sizes", {}),
    ("context.picture", {"digest": "0" * 64}),
    ("stale.list", {"cell_id": "last"}),
    ("usage.total", {"cell_id": "last"}),
    ("usage.total", {"usage": [{"model": "m", "input_tokens": 1000}]}),
    ("approvals.list", {}),
    ("approvals.add", {"tool": "shell", "arguments": None}),
    ("approvals.add", {}),
    ("approvals.change", {"key": "gone"}),
    ("approvals.delete", {"key": "gone"}),
    ("retry.now", {"cell_id": "last"}),
    ("subagent.list", {}),
    ("subagent.stop", {"cell_id": "last", "uuid": "u"}),
    ("conversation.fork", {"name": "chat.msg.md", "cell_id": "sum"}),
    ("conversation.fork", {"name": "../chat.msg.md", "cell_id": "sum"}),
    ("setup.preview", {"name": "no such fields"}),
    ("nothing.known", {}),
]  # fmt: skip


def answers(world: World) -> Record:
    """All questions, one after the other."""
    text = FRONTMATTER + HISTORY.replace("And now?", "And now @[a.py]?")
    world.configure("chat", PRICES)
    world.write({"chat.msg.md": text, **RULES, **REFERRED})
    notebook = json.loads(json.dumps(reads(text)))
    record = Record()
    asyncio.run(_ask(notebook, world, record))
    return record


async def _ask(notebook: Any, world: World, record: Record) -> None:
    session = Session(world.folder, dict, CHAT_CELLS)
    try:
        page = AskingPage(session, notebook["cells"], notebook["metadata"])
        for name, params in QUESTIONS:
            asked = f"{name} {json.dumps(params)}"
            try:
                record.add(asked, await page.ask(name, **params))
            except AssertionError as error:
                record.add(asked, f"error: {error}")
    finally:
        await session.close()


SCENARIOS = {"answers": answers}
