"""The text format: what is read, written, derived, found and merged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from format.checks.test_check import CASES
from format.test_conformance import SUITE

from msgbook_format import check, reads, writes
from msgbook_format.extras.checks import fix
from msgbook_format.extras.merging import merge_texts
from msgbook_format.files import parse_agent_file
from msgbook_format.turn import TURN_MIME, bundle

from .world import Record, World

FORMAT = SUITE.parent
SOURCES = sorted([*SUITE.glob("[0-9]*.md"), *(FORMAT / "fixtures").glob("*.md")])

BASE = "---\ntitle: Plan\n---\n\n# %% [^a]\n\nOne.\n\n# %%% [^a-1]\n\n[^a-1]: [assistant]\n\nYes.\n\n# %% [^b]\n\nTwo.\nThree.\nFour.\n"
SIDES = {
    "different cells": (("One.", "1."), ("Four.", "4.")),
    "the same line": (("Three.", "3."), ("Three.", "III.")),
    "a deleted and a changed cell": (("# %% [^b]\n\nTwo.\nThree.\nFour.\n", ""), ("Three.", "3.")),
    "two answers": (("Yes.", "Yes!"), ("Yes.", "No.")),
    "a new cell on both sides": (("# %% [^b]", "# %% [^n]\n\nN\n\n# %% [^b]"), ("# %% [^b]", "# %% [^m]\n\nM\n\n# %% [^b]")),
    "the frontmatter": (("title: Plan", "title: A"), ("title: Plan", "title: B")),
}  # fmt: skip


def findings(_world: World) -> Record:
    """What `check` says of the texts of its test, and what `fix` makes of them."""
    record = Record()
    for name, (text, _) in CASES.items():
        rows = [f"{f.line}: {f.code} {f.message}" for f in check(text)]
        fixed = fix(text)[0] if len(text) < 2000 else text
        if fixed != text:
            rows += ["fixed:", *map(repr, fixed.splitlines(keepends=True))]
        record.add(name, "\n".join(rows))
    return record


def findings_in_texts(_world: World) -> Record:
    """What `check` says of the texts of the conformance suite."""
    record = Record()
    for path in SOURCES:
        rows = [f"{f.line}: {f.code} {f.message}" for f in check(_text(path))]
        if rows:
            record.add(path.name, "\n".join(rows))
    return record


def derived(_world: World) -> Record:
    """Markdown and plain text of the turns of the conformance suite."""
    record = Record()
    for path in SOURCES:
        for number, turn in enumerate(_turns(path), 1):
            found = bundle(turn)
            record.add(f"{path.name}, turn {number}", found["text/markdown"])
            record.add(f"{path.name}, turn {number}, plain", found["text/plain"])
    return record


def rewritten(_world: World) -> Record:
    """How a writer spells the fixtures, which people have written, after all of their spelling is forgotten."""
    record = Record()
    for path in SOURCES:
        notebook = json.loads(json.dumps(reads(_text(path))))
        for node in (notebook, *notebook["cells"]):
            ours = node["metadata"].get("msgbook")
            if isinstance(ours, dict):
                ours.pop("text", None)
        canonical = writes(notebook)
        if canonical != _text(path) and path.parent.name == "fixtures":
            record.add(path.name, canonical)
    return record


def notebooks(_world: World) -> Record:
    """Notebooks of the fixtures, with the spelling that they keep."""
    record = Record()
    for path in SOURCES:
        if path.parent.name == "fixtures":
            record.add(path.name, json.loads(json.dumps(reads(_text(path)))))
    return record


def edited(_world: World) -> Record:
    """The text after one cell of it was edited, which keeps the spelling around it."""
    record = Record()
    for path in SOURCES:
        if path.parent.name == "fixtures":
            notebook = reads(_text(path))
            for cell in notebook["cells"][::3]:
                cell["source"] += "\nEdited."
            record.add(path.name, writes(notebook))
    return record


def merges(_world: World) -> Record:
    """Merges, with and without a conflict."""
    record = Record()
    for name, ((old, ours), (of_theirs, theirs)) in SIDES.items():
        result = merge_texts(BASE, BASE.replace(old, ours), BASE.replace(of_theirs, theirs))
        record.add(f"{name}: {result.conflicts} conflicts", result.text)
    return record


def agent_contexts(_world: World) -> Record:
    """The files of other programs with an AgentContext, as texts."""
    record = Record()
    for path in sorted((FORMAT / "agent_context" / "fixtures").glob("*.mtm")):
        record.add(path.name, writes(parse_agent_file(path.read_bytes(), path)))
    return record


def _text(path: Path) -> str:
    return path.read_bytes().decode()


def _turns(path: Path) -> Iterator[dict]:
    for cell in reads(_text(path))["cells"]:
        for output in cell.get("outputs", []):
            turn = output.get("data", {}).get(TURN_MIME)
            if isinstance(turn, dict) and "blocks" in turn:
                yield json.loads(json.dumps(turn))


SCENARIOS = {
    "findings": findings,
    "findings-in-texts": findings_in_texts,
    "derived": derived,
    "rewritten": rewritten,
    "notebooks": notebooks,
    "edited": edited,
    "merges": merges,
    "agent-contexts": agent_contexts,
}
