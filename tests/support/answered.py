"""A notebook that is answered as a conversation would answer it, without a server."""

from __future__ import annotations

import json
from typing import Any

from history_cells import prompt, says

from msgbook.messages import Message
from msgbook.request.context.content_reference import (
    ContextItems,
    append_content_reference,
    build_content_reference,
    replay_content_reference,
)
from msgbook.request.history import (
    Reader,
    View,
    contexts_above,
    known_summaries,
    summary_record,
)
from msgbook_format.syntax import CHAT_CELLS
from msgbook_format.turn import TURN_MIME

PRUNE = {"cell_type": "code", "source": "%prune", "metadata": {}, "outputs": []}


def view_of(_position: int, turn: Any) -> View:
    """The first letter of an agent's name says how its server is."""
    name = turn["agent"]
    return View(
        name,
        f"You are {name}.",
        vision=name.startswith("v"),
        reasoning_of="p" if name.startswith("k") else None,
        alternate=name.startswith("a"),
    )


class Notebook:
    """Cells with what their turns brought, as JSON gives it back."""

    def __init__(self) -> None:
        self.cells: list[dict[str, Any]] = []
        self.blobs: dict[str, str] = {}
        self.requests: dict[int, list[Message]] = {}
        """What each turn was asked, by the position of its cell."""
        self.reader = self.new_reader()

    def new_reader(self) -> Reader:
        return Reader(cell_rule=CHAT_CELLS, replay=self.replay)

    def replay(self, text: str, context: Any, _vision: bool) -> Any:
        return append_content_reference(text, replay_content_reference(context, self.blobs.get))

    def add(self, cell: dict[str, Any]) -> None:
        self.cells.append({"id": f"c{len(self.cells)}", **cell})

    def ask(
        self,
        source: str,
        files: dict[str, str] | None = None,
        rules: dict[str, str] | None = None,
        agent: str = "m",
        **metadata: Any,
    ) -> None:
        """A prompt at the end, which is answered."""
        reasoning = {"type": "reasoning", "step": 1, "text": "Hm."}
        self.add(prompt(source, reasoning, says(f"Answer to {source}"), **metadata))
        turn = turn_of_cell(self.cells[-1])
        turn["agent"] = agent
        position = len(self.cells) - 1
        above = self.cells[:position]
        items = ContextItems(rules=rules or {}, files=files or {})
        built = build_content_reference(contexts_above(above, CHAT_CELLS), items)
        self.blobs |= built.blobs
        view = view_of(position, turn)
        known = known_summaries(above)
        summaries: dict[str, Any] = {}
        for missing in self.reader.read(above, view, known).missing:
            summaries |= summary_record(missing, f"In short, {missing.key}.")
            known[missing.source] = summaries[missing.key]["text"]
        history = self.reader.read(above, view, known)
        context = {**built.context, **({"summaries": summaries} if summaries else {})}
        message = self.reader.prompt_message(source, context, view)
        assert message is not None
        request = history.with_prompt(message, position)
        self.requests[position] = request.messages
        context["request_hash"] = self.reader.request_hash(request)
        turn["context"] = json.loads(json.dumps(context, sort_keys=True))

    def hash_now(self, cells: list[dict[str, Any]], position: int) -> str:
        """The hash of the request of a turn as it would be made of these cells, by a new reader."""
        turn = turn_of_cell(cells[position])
        view, reader = view_of(position, turn), self.new_reader()
        history = reader.read(cells[:position], view, known_summaries(cells))
        message = reader.prompt_message(cells[position]["source"], turn["context"], view)
        assert message is not None
        return reader.request_hash(history.with_prompt(message, position))


def turn_of_cell(cell: dict[str, Any]) -> Any:
    return cell["outputs"][0]["data"][TURN_MIME]


def files_of_message(message: Message) -> dict[str, str]:
    """What the block of a user message says of files."""
    content = message["content"]
    if message["role"] != "user" or "<content_reference>\n" not in content:
        return {}
    inner = content.partition("<content_reference>\n")[2].partition("\n</content_reference>")[0]
    files: dict[str, str] = json.loads(inner)["files"]
    return files
