"""What magics print, of a conversation that has happened."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from engine_turns import no_sleep, run_turn
from scripted_server import call, text

from msgbook.approval import Approver, Rules, load_with_project
from msgbook.engine import Conversation, Services
from msgbook.errors import MsgbookError
from msgbook.magics import run_magic
from msgbook.magics.base import MagicContext
from msgbook.notebook import Transcript, is_own_magic
from msgbook_format.turn import TURN_MIME

from .chats import AGENTS, PRICES, RULES
from .world import CountedIds, Record, World

TALK = ["#define API_VERSION v2\nSee @[a.txt].", "And?", "Once more."]
LOOKING = ["%context", "%context full", "%stale", "%cache", "%usage", "%macros", "%model", "%models", "%agent", "%agent list", "%rules", "%skills", "%tools", "%mcp", "%approvals", "%display"]  # fmt: skip
CHANGING = ["%compact 1", "%prune", "%macros -d API_VERSION", "%macros", "%model other", "%model", "%agent new fast models=f temperature=0", "%agent default fast", "%agent", "%display text", "%display"]  # fmt: skip
WRONG = ["%compact -1", "%compact many", "%model a b", "%agent nobody", "%agent new", '%agent new "x', "%agent default", "%agent default nobody", "%macros -d", "%macros -d gone", "%mcp refresh gone", "%approvals forget 9", "%approvals remember", "%display loud", "%context all", "%usage now", "%tool", "%tool gone", "%tool -d gone", "%prune all", "%help me"]  # fmt: skip


def play(magics: list[str], talk: list[str], world: World) -> Record:
    """Cells of one session, one below the other."""
    world.configure("chat", PRICES)
    world.write({**RULES, "a.txt": "one\n"})
    world.server.answers = [call("read", {"path": "a.txt"}), text("Yes.")]
    record = Record()
    asyncio.run(_play([*talk, *magics], world, record))
    return record


async def _play(sources: list[str], world: World, record: Record) -> None:
    settings, rules = load_with_project(world.folder)
    approver = Approver("ask", world.folder, Rules(rules))
    engine = Conversation(
        Services(settings, ids=CountedIds(), sleep=no_sleep, clock=lambda: 0.0),
        world.folder,
        approver=approver,
    )
    cells: list[dict[str, Any]] = []
    marks: list[Any] = []
    metadata = {"msgbook": {"frontmatter": AGENTS}}
    try:
        for number, source in enumerate(sources):
            cell = {
                "id": f"c{number}",
                "cell_type": "code",
                "source": source,
                "metadata": {},
                "outputs": list[Any](),
            }
            above = Transcript(
                "live", tuple(cells), cell, metadata=metadata, path=world.folder / "chat.msg.md"
            )
            if is_own_magic(source):
                record.add(source, await _printed(source, engine, above, marks))
            else:
                turn = await run_turn(engine, source, above)
                cell["outputs"] = [
                    {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn}}
                ]
            cells.append(cell)
    finally:
        await engine.services.close()
    record.add("marks", marks)


async def _printed(source: str, engine: Conversation, above: Transcript, marks: list[Any]) -> str:
    async def transcript() -> Transcript:
        return above

    try:
        return await run_magic(source, MagicContext(engine, transcript, mark=marks.append))
    except MsgbookError as error:
        return f"{type(error).__name__}: {error}"


SCENARIOS = {
    "looking": partial(play, LOOKING, TALK),
    "changing": partial(play, CHANGING, TALK),
    "wrong": partial(play, WRONG, []),
    "help": partial(play, ["%help"], []),
    "nothing-above": partial(play, LOOKING, []),
}
