"""Completion in prompts: what can stand behind `@[`, `{{`, `%` and in a `%%msg` line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.kernel.assist.surroundings import Surroundings, macro_at, reference_at
from msgbook.notebook.cell_names import title_of
from msgbook.notebook.cells import OWN_MAGICS, PROMPT_ATTRIBUTES
from msgbook.text import one_line, visible
from msgbook_format.syntax.magic_lines import MSG_MAGIC

_HISTORY = ("exclude", "include", "summary")
_WORDS = {
    "%agent": ("default", "list", "new"),
    "%approvals": ("forget",),
    "%context": ("full",),
    "%display": ("rich", "text"),
    "%macros": ("-d",),
}
"""First words that a magic takes."""
_MOST_MATCHES = 200
_MOST_ENTRIES = 5000
"""Of a folder that are looked at: one with more is too large to choose from."""

_MAGIC_START = re.compile(r"\s*(%{1,2}\w*)")
_MAGIC_LINE = re.compile(r"\s*(%\w+[ \t](?:.*[ \t])?)(\S*)")


_BREAK_AFTER = re.compile(r"[-/?\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
"""Characters behind which a line may end, besides blanks: the commonest ones."""


class Match(NamedTuple):
    """One way to go on."""

    text: str
    """What stands from `Matches.start` on afterwards."""
    kind: str
    """Shown beside it: `file`, `folder`, `cell`, ..."""
    note: str = ""
    """Shown behind the kind: the beginning of a cell, the value of a macro, ..."""


class Matches(NamedTuple):
    """What the text before the cursor can become; it replaces all from `start` to the cursor."""

    start: int
    """In code points."""
    found: list[Match]


def complete(code: str, cursor: int, around: Surroundings) -> Matches:
    """What can stand at the cursor of a prompt or of one of msgbook's magics.

    Looks into at most one folder besides those of agents, and never outside of those that are free
    to read.

    Args:
        cursor: In code points; may be out of range.
    """
    cursor = max(0, min(cursor, len(code)))
    start, candidates = _candidates(code, cursor, around)
    typed = code[start:cursor]
    fitting = (match for match in candidates if match.text.startswith(typed))
    return Matches(start, list(islice(fitting, _MOST_MATCHES)))


def reply(matches: Matches, cursor: int) -> dict[str, Any]:
    """The content of a `complete_reply`.

    JupyterLab and `jupyter console` show a match and its type; nobody shows signatures. So the note
    stands in the type. The matches alone are whole for those that know no types.
    """
    types = [
        {
            "start": matches.start,
            "end": cursor,
            "text": text,
            "type": _unbroken(f"{kind}: {note}") if note else kind,
            "signature": note,
        }
        for text, kind, note in matches.found
    ]
    return {
        "status": "ok",
        "matches": [match.text for match in matches.found],
        "cursor_start": matches.start,
        "cursor_end": cursor,
        "metadata": {"_jupyter_types_experimental": types},
    }


def _unbroken(text: str) -> str:
    """`text` such that no line of it ends early: JupyterLab writes the lines of a type one over
    another."""
    return _BREAK_AFTER.sub("\\g<0>\u2060", text.replace(" ", "\u00a0"))


def _candidates(code: str, cursor: int, around: Surroundings) -> tuple[int, Iterable[Match]]:
    """Where the stretch that is being typed begins, and all that it could become."""
    before = code[:cursor]
    if magic := _MAGIC_START.fullmatch(before):
        return magic.start(1), (Match(name, "magic") for name in sorted(around.magics))
    line = _MAGIC_LINE.fullmatch(before)
    if line and line[1].split()[0] in OWN_MAGICS:
        return line.start(2), _arguments(line[1].split(), code, around)
    if before.lstrip().startswith(MSG_MAGIC) and "\n" not in before.lstrip():
        return _attributes(before, code, around)
    if tag := reference_at(code, cursor):
        return tag.start, _references(code[tag.start : cursor], code, around)
    if tag := macro_at(code, cursor):
        return tag.start, _macros(code, around)
    return cursor, ()


def _arguments(words: list[str], code: str, around: Surroundings) -> Iterable[Match]:
    """What can stand behind a magic and the words that it has already."""
    match words:
        case ["%model"]:
            return _models(around)
        case ["%agent", "default"]:
            return _agents(code, around)
        case ["%macros", "-d", *_]:
            return _macros(code, around)
        case [magic]:
            return (Match(word, "value") for word in _WORDS.get(magic, ()))
    return ()


def _models(around: Surroundings) -> Iterator[Match]:
    return (Match(name, "model") for name in around.models())


def _agents(code: str, around: Surroundings) -> Iterator[Match]:
    for listed in around.agents(around.above(code)):
        agent = listed.agent
        if visible(agent.name) == agent.name:
            yield Match(agent.name, "agent", visible(one_line(agent.description or "", 60)))


def _macros(code: str, around: Surroundings) -> Iterator[Match]:
    for name, value in sorted(around.macros(code).items()):
        yield Match(name, "macro", visible(one_line(value, 60)))


def _attributes(before: str, code: str, around: Surroundings) -> tuple[int, Iterable[Match]]:
    start = max(before.rfind(" "), before.rfind("\t")) + 1
    if start == 0:
        return len(before), ()
    key, equals, _ = before[start:].partition("=")
    if not equals:
        return start, (Match(f"{name}=", "attribute") for name in sorted(PROMPT_ATTRIBUTES))
    start += len(key) + 1
    if key == "model":
        return start, _models(around)
    if key == "agent":
        return start, _agents(code, around)
    return start, (Match(value, "value") for value in _HISTORY if key == "history")


def _references(typed: str, code: str, around: Surroundings) -> Iterator[Match]:
    if typed.startswith("cell:"):
        for cell_id, cell in around.named.items():
            if _can_stand(cell_id):
                yield Match(f"cell:{cell_id}", "cell", title_of(cell))
        return
    if typed.startswith("py:"):
        yield from (Match(f"py:{name}", "name") for name in sorted(around.names))
        return
    if ":" in typed or "{" in typed:
        return  # line numbers, arguments of a tool
    yield from _paths(typed, around)
    if "/" not in typed:
        yield Match("cell:", "prefix", "a cell and its output")
        yield Match("py:", "prefix", "a name of the notebook's Python")
        for tool in sorted(around.offered_tools(code), key=lambda tool: tool.name):
            yield Match(f"{tool.name}{{", "tool")


def _paths(typed: str, around: Surroundings) -> list[Match]:
    """The entries of the folder that is being typed: those that are free to read."""
    head, _, base = typed.rpartition("/")
    head += "/" if "/" in typed else ""
    found = []
    try:
        folder = (around.roots.folder / head).resolve()
        if around.check_read(folder) is not None:
            return []
        with os.scandir(folder) as entries:
            for entry in islice(entries, _MOST_ENTRIES):
                hidden = entry.name.startswith(".") and not base.startswith(".")
                if hidden or not entry.name.startswith(base) or not _can_stand(entry.name):
                    continue
                # Unlike `resolve`, raises nothing at a link to itself.
                real = Path(os.path.realpath(entry)) if entry.is_symlink() else Path(entry)
                if around.check_read(real) is None and (real.is_dir() or real.is_file()):
                    is_folder = real.is_dir()
                    text = head + entry.name + ("/" if is_folder else "")
                    found.append(Match(text, "folder" if is_folder else "file"))
    except (OSError, ValueError, RuntimeError):
        return []  # no such folder, or one that may not be read
    return sorted(found)


def _can_stand(name: str) -> bool:
    """Whether a name can be written in a tag, and shows as what it is."""
    return not set(name) & set("]:{\n") and visible(name) == name and name.isprintable()
