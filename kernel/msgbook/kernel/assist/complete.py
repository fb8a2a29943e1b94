"""Completion in prompts: after `@[`, `{{` and `%`, and in a `%%msg` line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.errors import MsgbookError
from msgbook.kernel.assist.prompt_scope import MAGIC_START, PromptScope, macro_at, reference_at
from msgbook.notebook import id_of, short_ids, source_of, title_of
from msgbook.notebook.magics_table import (
    AGENT,
    AGENT_ATTRIBUTES,
    MACRO,
    MODEL,
    MSG_ATTRIBUTES,
    OWN_MAGICS,
    PYTHON_MAGIC,
)
from msgbook.text import one_line, visible
from msgbook_format.links import nfc, real_path
from msgbook_format.syntax import (
    CONTINUE_MAGIC,
    MSG_MAGIC,
)

_MAX_MATCHES = 200
"""Matches of one completion: nobody reads a longer list, and the page draws all of it."""
_MAX_ENTRIES = 5000
"""Entries of a folder that are read. A longer list is of no use."""

_CELL = "cell:"

_MAGIC_LINE = re.compile(r"\s*(%\w+[ \t](?:.*[ \t])?)(\S*)")
_NEW_AGENT = re.compile(r"\s*%agent[ \t]+new[ \t]+\S+[ \t][^\n]*")

_OF_NOTEBOOK = re.compile(r"(.+\.ipynb):(cell:|)", re.IGNORECASE)

_BREAK_AFTER = re.compile(r"[-/?\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
"""The most common characters, besides blanks, after which a line may be broken."""


class Match(NamedTuple):
    """One completion."""

    text: str
    """New text from `Matches.start` to the cursor."""
    kind: str
    """Shown beside the text: `file`, `folder`, `cell`, ..."""
    note: str = ""
    """Shown after the kind: the title of a cell, the value of a macro, ..."""


class Matches(NamedTuple):
    """The completions at the cursor. Each replaces the text from `start` to the cursor."""

    start: int
    """Offset in code points."""
    found: list[Match]


def complete(code: str, cursor: int, scope: PromptScope) -> Matches:
    """Return the completions at the cursor of a prompt or of one of msgbook's magics.

    Besides the folders of agents, this reads at most one folder, and only if reading it needs no
    approval.

    Args:
        cursor: Offset in code points; may be out of range.
    """
    cursor = max(0, min(cursor, len(code)))
    start, candidates = _candidates(code, cursor, scope)
    typed = code[start:cursor]
    fitting = (match for match in candidates if _fits(match, typed))
    return Matches(start, list(islice(fitting, _MAX_MATCHES)))


def reply(matches: Matches, cursor: int) -> dict[str, Any]:
    """Return the content of a `complete_reply`.

    JupyterLab and `jupyter console` show a match and its type, but no signature. So the note is
    part of the type.
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
    # JupyterLab draws the lines of a broken type over each other.
    return _BREAK_AFTER.sub("\\g<0>\u2060", text.replace(" ", "\u00a0"))


def _candidates(code: str, cursor: int, scope: PromptScope) -> tuple[int, Iterable[Match]]:
    """Return where the word at the cursor starts, and everything that it could become."""
    before = code[:cursor]
    if magic := MAGIC_START.fullmatch(before):
        return magic.start(1), (Match(name, "magic") for name in sorted(scope.magics, key=_rank))
    if _NEW_AGENT.fullmatch(before):
        return _attributes(before, AGENT_ATTRIBUTES, code, scope)
    line = _MAGIC_LINE.fullmatch(before)
    if line and line[1].split()[0] in OWN_MAGICS:
        return line.start(2), _arguments(line[1].split(), code, scope)
    if before.lstrip().startswith(MSG_MAGIC) and "\n" not in before.lstrip():
        return _attributes(before, MSG_ATTRIBUTES, code, scope)
    if tag := reference_at(code, cursor):
        return tag.start, _references(code[tag.start : cursor], code, scope)
    if tag := macro_at(code, cursor):
        return tag.start, _macros(code, scope)
    return cursor, ()


def _rank(magic: str) -> tuple[bool, str]:
    # msgbook's own come before IPython's many.
    return magic not in (*OWN_MAGICS, CONTINUE_MAGIC, PYTHON_MAGIC, MSG_MAGIC), magic


def _arguments(words: list[str], code: str, scope: PromptScope) -> Iterator[Match]:
    """Yield what can follow a magic and the words that it has already."""
    for word in sorted(next_words(words)):
        yield from _values(word, code, scope)


def _values(word: str, code: str, scope: PromptScope) -> Iterable[Match]:
    """Return the values of a placeholder in the table of magics, or any other word itself."""
    if word == MODEL:
        return _models(scope)
    if word == AGENT:
        return _agents(code, scope)
    if word == MACRO:
        return _macros(code, scope)
    return () if word.isupper() else (Match(word, "value"),)


def _models(scope: PromptScope) -> Iterator[Match]:
    return (Match(name, "model") for name in scope.models())


def _agents(code: str, scope: PromptScope) -> Iterator[Match]:
    for listed in scope.agents(scope.above(code)):
        agent = listed.agent
        if visible(agent.name) == agent.name:
            yield Match(agent.name, "agent", visible(one_line(agent.description or "", 60)))


def _macros(code: str, scope: PromptScope) -> Iterator[Match]:
    for name, value in sorted(scope.macros(code).items()):
        yield Match(name, "macro", visible(one_line(value, 60)))


def _attributes(
    before: str, known: Mapping[str, Sequence[str]], code: str, scope: PromptScope
) -> tuple[int, Iterable[Match]]:
    start = max(before.rfind(" "), before.rfind("\t")) + 1
    if start == 0:
        return len(before), ()
    key, equals, _ = before[start:].partition("=")
    if not equals:
        return start, (Match(f"{name}=", "attribute") for name in known)
    start += len(key) + 1
    words = known.get(key, ())
    return start, (match for word in words for match in _values(word, code, scope))


def _references(typed: str, code: str, scope: PromptScope) -> Iterator[Match]:
    if typed.startswith(_CELL):
        yield from _cells(code, scope)
        return
    if typed.startswith("py:"):
        yield from (Match(f"py:{name}", "name") for name in sorted(scope.variables))
        return
    if of_notebook := _OF_NOTEBOOK.match(typed):
        yield from _of_notebook(of_notebook[1], of_notebook[2], scope)
        return
    if ":" in typed or "{" in typed:
        return  # line numbers, arguments of a tool
    yield from _paths(typed, scope)
    if "/" not in typed:
        yield Match(_CELL, "prefix", "a cell and its output")
        yield Match("py:", "prefix", "a name of the notebook's Python")
        for tool in sorted(scope.offered_tools(code), key=lambda tool: tool.name):
            yield Match(f"{tool.name}{{", "tool")


def _cells(code: str, scope: PromptScope) -> Iterator[Match]:
    """Yield the cells that a prompt can refer to, newest first: those above it that have a text and an id."""
    above = scope.above(code)
    names = short_ids(above)
    for position in reversed(range(len(above))):
        cell = above[position]
        source = source_of(cell)
        # Where another cell has the same source, it is not known which of them is the prompt.
        if not id_of(cell) or not source.strip() or source == code:
            continue
        name = names[position]
        if _can_be_written(name):
            yield Match(_CELL + name, "cell", visible(f"[{position + 1}] {title_of(cell)}"))


def _of_notebook(path: str, prefix: str, scope: PromptScope) -> Iterator[Match]:
    """Yield what can follow the path of a notebook: its cells that have a text, if it can be read without approval."""
    if not prefix:
        yield Match(f"{path}:{_CELL}", "prefix", "a cell of the notebook and its output")
        return
    # Imported here: most prompts name no cell of another notebook.
    from msgbook.tools.files import cells_of_notebook

    try:
        real = scope.roots.resolve(path)
        if scope.check_read(real) is not None:
            return
        cells = cells_of_notebook(scope.roots, real)
    except (MsgbookError, OSError, ValueError):
        return  # it does not exist or cannot be read
    for position, (cell, shown) in enumerate(zip(cells, short_ids(cells), strict=True)):
        name = shown or f"#{position + 1}"
        if source_of(cell).strip() and _can_be_written(name):
            title = visible(f"[{position + 1}] {title_of(cell)}")
            yield Match(f"{path}:{_CELL}{name}", "cell", title)


def _fits(match: Match, typed: str) -> bool:
    """Return whether a completion begins with what is typed, or is a cell with that number or word."""
    if nfc(match.text).startswith(nfc(typed)):
        return True
    words = re.escape(typed.rpartition(_CELL)[2])
    return match.kind == "cell" and re.search(rf"(?<!\w){words}", match.note, re.I) is not None


def _paths(typed: str, scope: PromptScope) -> list[Match]:
    """Return the entries of the typed folder that can be read without approval."""
    head, _, base = typed.rpartition("/")
    head += "/" if "/" in typed else ""
    found = []
    try:
        folder = real_path(scope.roots.folder / head)
        if scope.check_read(folder) is not None:
            return []
        with os.scandir(folder) as entries:
            for entry in islice(entries, _MAX_ENTRIES):
                hidden = entry.name.startswith(".") and not base.startswith(".")
                fits = nfc(entry.name).startswith(nfc(base))
                if hidden or not fits or not _can_be_written(entry.name):
                    continue
                # Unlike `real_path`, raises nothing at a link to itself.
                real = Path(os.path.realpath(entry)) if entry.is_symlink() else Path(entry)
                if scope.check_read(real) is None and (real.is_dir() or real.is_file()):
                    is_folder = real.is_dir()
                    name = (
                        entry.name if os.path.lexists(folder / nfc(entry.name)) else nfc(entry.name)
                    )
                    text = head + name + ("/" if is_folder else "")
                    found.append(Match(text, "folder" if is_folder else "file"))
    except (OSError, ValueError):
        return []  # the folder does not exist or cannot be read
    return sorted(found)


def _can_be_written(name: str) -> bool:
    # Characters that end a tag, or mislead a reader.
    return not set(name) & set("]:{\n") and visible(name) == name and name.isprintable()


# The words that can follow the first ones of a line magic's cell, by the forms in its table.


def next_words(words: Sequence[str]) -> list[str]:
    """Return the words or placeholders that can follow the first words of a line magic's cell."""
    magic = OWN_MAGICS.get(words[0]) if words else None
    found = (_next_word(form.written.split(), words) for form in magic.forms) if magic else ()
    return list(dict.fromkeys(word for word in found if word is not None))


def _next_word(form: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the word of a form that follows other words; None if they do not fit or are all."""
    place = 0
    for word in words:
        if place < len(form) and form[place] == "...":
            continue
        if place >= len(form) or (form[place] != word and not form[place].isupper()):
            return None
        place += 1
    if place < len(form):
        return form[place - 1] if form[place] == "..." else form[place]
    return None
