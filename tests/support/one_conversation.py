"""One conversation as a table of steps, and the requests that any client has to give for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import nbformat
from scripted_server import Answer, ScriptedServer, text

from msgbook.agents import build_system_prompt
from msgbook_format.syntax import CODE_FIRST_KERNELSPEC

SPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}

FRONTMATTER = """\
agents:
  poet: {models: p-1, system_prompt: You rhyme.}
  critic: {models: c-1, system_prompt: You doubt.}
default_agent: poet
"""

SPECS = [SPEC, CODE_FIRST_KERNELSPEC]

METADATA: dict[str, Any] = {"kernelspec": SPEC, "msgbook": {"frontmatter": FRONTMATTER}}


def code(cell_id: str, source: str, **ours: Any) -> dict[str, Any]:
    metadata = {"msgbook": ours} if ours else {}
    cell: dict[str, Any] = nbformat.v4.new_code_cell(source, id=cell_id, metadata=metadata)
    return cell


NOTE = nbformat.v4.new_markdown_cell("Be brief.", id="note")


@dataclass(frozen=True)
class Step:
    """What a person does, and then runs, from the top."""

    runs: list[str]
    """Ids of cells."""
    inserts: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """With the place of each, from 0."""
    edits: dict[str, str] = field(default_factory=dict)
    """Sources by id."""
    deletes: list[str] = field(default_factory=list)
    again: str | None = None
    """The first prompt that is answered anew."""


def python(text: str) -> str:
    return f"%%python\nprint({text!r}, end='')"


STEPS = [
    Step(
        inserts=[(0, NOTE), (1, code("python", python("six"))), (2, code("a", "Ask"))],
        runs=["python", "a"],
    ),
    Step(
        inserts=[
            (3, code("b", "Hidden", history="exclude")),
            (4, code("c", "Check", agent="critic")),
        ],
        runs=["b", "c"],
    ),
    Step(
        edits={"python": python("seven"), "a": "Ask anew", "note": "Be kind."},
        runs=["python", "a", "b", "c"],
        again="a",
    ),
    Step(deletes=["a"], inserts=[(4, code("d", "End"))], runs=["d"]),
]

PRINTED = {python(text): text for text in ("six", "seven")}
"""What the code prints, by its source."""

ANSWERS: list[Answer] = [text(f"Answer {number}.") for number in range(1, 8)]


def _ran(text: str) -> str:
    body = python(text).removeprefix("%%python\n")
    return f"I ran this code:\n\n```python\n{body}\n```\n\nOutput:\n\n```\n{text}\n```"


_SIX, _SEVEN = ["Be brief.", _ran("six")], ["Be kind.", _ran("seven")]

_RHYME = build_system_prompt("You rhyme.", [], ["."])
_DOUBT = build_system_prompt("You doubt.", [], ["."])

REQUESTS = [
    ("p-1", [_RHYME, *_SIX, "Ask"]),
    ("p-1", [_RHYME, *_SIX, "Ask", "Answer 1.", "Hidden"]),
    ("c-1", [_DOUBT, *_SIX, "Ask", "[poet] Answer 1.", "Check"]),
    ("p-1", [_RHYME, *_SEVEN, "Ask anew"]),
    ("p-1", [_RHYME, *_SEVEN, "Ask anew", "Answer 4.", "Hidden"]),
    ("c-1", [_DOUBT, *_SEVEN, "Ask anew", "[poet] Answer 4.", "Check"]),
    ("p-1", [_RHYME, *_SEVEN, "Check", "[critic] Answer 6.", "End"]),
]
"""Model and contents of the messages."""


def requests(server: ScriptedServer) -> list[tuple[str, list[Any]]]:
    """What the server was asked, as `REQUESTS` has it."""
    return [
        (request["model"], [message["content"] for message in request["messages"]])
        for request in server.requests
    ]


def apply(step: Step, notebook: dict[str, Any]) -> None:
    """Do in a notebook what a step says, but for running it."""
    cells = notebook["cells"]
    cells[:] = [cell for cell in cells if cell["id"] not in step.deletes]
    for place, cell in step.inserts:
        cells.insert(place, nbformat.from_dict(cell))
    for cell in cells:
        cell["source"] = step.edits.get(cell["id"], cell["source"])


def written_for(spec: dict[str, str], notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with its cells as a kernel takes them: in one of Python, code bare and messages marked."""
    metadata = {**notebook["metadata"], "kernelspec": spec}
    if spec is SPEC:
        return {**notebook, "metadata": metadata}
    cells = [{**cell, "source": source_for(spec, cell)} for cell in notebook["cells"]]
    return {**notebook, "metadata": metadata, "cells": cells}


def source_for(spec: dict[str, str], cell: dict[str, Any]) -> str:
    """Return the source of a cell as a kernel takes it."""
    source: str = cell["source"]
    if spec is SPEC or cell["cell_type"] != "code":
        return source
    code = source.removeprefix("%%python\n")
    return code if code != source else f"%%msg\n{source}"
