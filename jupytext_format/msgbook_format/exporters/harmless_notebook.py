"""A notebook that is safe in a page: nothing in it runs, loads or imitates the page.

The templates of nbconvert copy much of a notebook into the page unescaped: Markdown and HTML, but
also an image's size, the file name of a picture and the name of a language. So the notebook is
built from parts that are known to be harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from nbformat import from_dict

from msgbook_format.cells import is_code
from msgbook_format.exporters.nbconvert_markdown import spell_for_nbconvert
from msgbook_format.exporters.sanitize import sanitize_html
from msgbook_format.syntax import (
    MSG_MAGIC,
    Dialect,
    is_history,
    parse_msg_line,
    unread_footnote,
)
from msgbook_format.turn import (
    ERRORS,
    code_block,
    escape_line,
    model_words,
    replace_controls,
    safe_image,
    safe_markdown,
    to_markdown,
    turn_of,
)
from msgbook_format.typed import (
    as_dict,
    as_dicts,
    as_list,
    as_text,
    has,
    joined_text,
    msgbook_metadata,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nbformat import NotebookNode

    from msgbook_format.turn import Turn


Json = dict[str, Any]

WHO = "msgbook_who"
"""Key of a note's metadata: who speaks in it, if it is a system prompt."""

PROSE = "msgbook_prose"
"""Key of a code cell's metadata: the text `before` and `after` its code as safe Markdown."""

CONTINUE = "%continue"
"""A prompt that asks for the rest of the answer above."""

_CELL_ID = re.compile(r"(?!cell-\d+-of-)[A-Za-z0-9_-]{1,64}")
_WORDS = 80
"""Greatest length of an entry of the table of contents."""

_WORD = re.compile(r"[A-Za-z][\w+#.-]{0,30}", re.ASCII)
_ATTACHMENT = re.compile(r"\]\((?:<attachment:([^<>\n]+)>|attachment:([^()\s]+))")


def normalize_cell(cell: Mapping[str, Any]) -> Json:
    """Return a cell whose fields have the types that preprocessors expect, from any cell."""
    typed = {"metadata": as_dict(cell.get("metadata")), "source": joined_text(cell.get("source"))}
    kind = cell.get("cell_type")
    fields = {**cell, **typed, "cell_type": kind if kind in ("code", "markdown") else "raw"}
    if kind == "code":
        outputs = as_list(cell.get("outputs"))
        fields["outputs"] = [output for output in outputs if has(output, output_type=str)]
        fields.setdefault("execution_count", None)
    return fields


def build_harmless_notebook(notebook: NotebookNode, write: Write = safe_markdown) -> NotebookNode:
    """Return a new notebook with the texts, turns and outputs of `notebook`, made harmless.

    `write` returns what stands for a text of Markdown.
    """
    dialect = Dialect.from_metadata(notebook.metadata, None)
    cells: list[Json] = []
    prompts = 0
    for cell, cell_id in zip(notebook.cells, unique_ids(notebook.cells), strict=True):
        cells.append(_cell(cell, cell_id, dialect, write))
        if prompt := cells[-1]["metadata"].get(PROMPT):
            prompts += 1
            prompt["number"] = prompts
    title = notebook.metadata.get("title")
    metadata = {"title": title} if as_text(title) else {}
    fields = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    built: NotebookNode = from_dict(fields)
    return built


def unique_ids(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return an id for each cell: its own, if a page can have it and no cell above has it."""
    ids: dict[str, None] = {}
    for index, cell in enumerate(cells):
        own = as_text(cell.get("id"))
        is_fit = _CELL_ID.fullmatch(own) and own not in ids
        ids[own if is_fit else f"cell-{index}-of-{len(cells)}"] = None
    return list(ids)


def plain_word(value: Any) -> str | None:
    """Return the name of a language; None unless it is one plain word."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def _cell(cell: Mapping[str, Any], cell_id: str, dialect: Dialect, write: Write) -> Json:
    source = joined_text(cell.get("source"))
    metadata = _harmless_metadata(cell.get("metadata"))
    built = {"cell_type": "markdown", "id": cell_id, "metadata": metadata}
    match cell.get("cell_type"):
        case "code":
            if not is_code(source, dialect):
                metadata["transient"] = {"remove_source": True}
                # Its answer goes on with the one above.
                if source.strip() != CONTINUE:
                    metadata[PROMPT] = _prompt(cell, source, write)
            elif prose := _prose(cell, write):
                metadata[PROSE] = prose
            outputs = list(build_harmless_outputs(cell.get("outputs"), write))
            code = {"cell_type": "code", "execution_count": None, "outputs": outputs}
            return {**built, **code, "source": source}
        case "markdown":
            text = _embed_attachments(spell_for_nbconvert(source), cell.get("attachments"))
            ours = msgbook_metadata(cell)
            who = (
                (joined_text(ours.get("title")) or "system prompt")
                if ours.get("role") == "system"
                else ""
            )
            if who := " · ".join(filter(None, (who, _not_sent(ours)))):
                metadata[WHO] = who
            return {**built, "source": write(text)}
        case _:
            return {**built, "source": code_block(source)}


def _harmless_metadata(metadata: Any) -> Json:
    """Return the metadata that preprocessors leave for the template."""
    if not isinstance(metadata, dict):
        return {}
    kept: Json = {}
    if language := plain_word(metadata.get("magics_language")):
        kept["magics_language"] = language
    transient = metadata.get("transient")
    if as_dict(transient).get("remove_source") is True:
        kept["transient"] = {"remove_source": True}
    return kept


def _prompt(cell: Mapping[str, Any], source: str, write: Write) -> Json:
    msg = parse_msg_line(source)
    line = source[: msg.end].strip().removeprefix(MSG_MAGIC).strip() if msg else ""
    text = source[msg.end :] if msg else source.removeprefix("\\")
    ours = msgbook_metadata(cell)
    title = joined_text(ours.get("title"))
    words = ["You", title, line, _not_sent(ours)]
    first = title or next(filter(None, map(_bare, text.splitlines())), "…")
    text = _embed_attachments(spell_for_nbconvert(text), cell.get("attachments"))
    who = " · ".join(word for word in words if word)
    return {"who": who, "words": _shortened(first), "markdown": write(text)}


def _not_sent(ours: Mapping[str, Any]) -> str:
    """Return why a cell waits to be mended; empty for any other."""
    line = unread_footnote(ours)
    if line is not None:
        return f"not sent, `{line}` cannot be read as its footnote"
    history = ours.get("history", "include")
    return "" if is_history(history) else f"not sent, history is {history}"


def _bare(line: str) -> str:
    return line[:1_000].strip().lstrip("#>*+- `").strip()


def _shortened(words: str) -> str:
    words = " ".join(replace_controls(words).split())
    return words if len(words) <= _WORDS else words[: _WORDS - 1] + "…"


def _prose(cell: Mapping[str, Any], write: Write) -> dict[str, str]:
    """Return the text `before` and `after` the code, as far as there is any."""
    ours = msgbook_metadata(cell)
    texts = {place: joined_text(ours.get(place)) for place in ("before", "after")}
    if reason := _not_sent(ours):
        texts["before"] = f"{escape_line(reason)}\n\n{texts['before']}".strip()
    return {place: write(spell_for_nbconvert(text)) for place, text in texts.items() if text}


def _embed_attachments(source: str, attachments: Any) -> str:
    """Replace links to pictures attached to the cell by data URLs."""

    def embedded(match: re.Match[str]) -> str:
        for mime, value in as_dict(as_dict(attachments).get(match[1] or match[2])).items():
            data = as_base64(value)
            if mime in RASTER and data:
                return f"](data:{mime};base64,{data}"
        return match[0]

    return _ATTACHMENT.sub(embedded, source)


# Outputs of a cell that are safe in a page: nothing in them runs, loads or imitates the page.


Write = Callable[[str], str]

ANSWER = "msgbook_answer"
"""Key of a turn's output metadata: agent, model and duration, as one text."""

_TEMPLATE_SHOWS = ("image/svg+xml", "text/plain")
_TAG = re.compile(r"<[^<>]*+>")
_MAX_DURATION = 366 * 86400
"""Seconds; a longer duration is not shown."""


def build_harmless_outputs(outputs: Any, write: Write = safe_markdown) -> Iterator[Json]:
    """Yield the outputs of a cell, made harmless, without errors that the turn above them shows.

    `write` returns what stands for a text of Markdown.
    """
    turn_above: Turn | None = None
    for output in as_dicts(outputs):
        turn = turn_of(output)
        kind = output.get("output_type")
        if turn is not None:
            turn_above = turn
            yield _turn(turn, write)
        elif kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            yield {"output_type": "stream", "name": name, "text": joined_text(output.get("text"))}
        elif kind == "error":
            if not (turn_above and _repeats_turn(turn_above, output)):
                yield _error(output)
        else:
            yield _display(output, write)


def _turn(turn: Turn, write: Write) -> Json:
    # A saved `running` means that the kernel died during the turn.
    settled: Turn = {**turn, "status": "interrupted"} if turn["status"] == "running" else turn
    words = [joined_text(turn.get("agent")), model_words(turn)]
    words.append(_seconds(turn.get("duration")))
    answer = " · ".join(word for word in words if word)[:200]
    return _display_data(
        {"text/markdown": to_markdown(settled, None if write is safe_markdown else write)},
        {ANSWER: answer},
    )


def _seconds(duration: Any) -> str:
    """Return a duration for reading; empty for anything else and for more than a turn can take."""
    known = isinstance(duration, int | float) and 0 <= duration < _MAX_DURATION
    return f"{duration:.1f} s" if known else ""


def _repeats_turn(turn: Turn, error: Mapping[str, Any]) -> bool:
    """Return whether the turn already shows the error output beside it."""
    name, message = error.get("ename"), error.get("evalue")
    if name == "KeyboardInterrupt":
        return turn["status"] == "interrupted"
    return any(
        block in ERRORS and (block.get("name"), block.get("message")) == (name, message)
        for block in turn["blocks"]
    )


def _error(output: Mapping[str, Any]) -> Json:
    name, message = joined_text(output.get("ename")), joined_text(output.get("evalue"))
    traceback = output.get("traceback")
    lines = [*map(joined_text, as_list(traceback))]
    shown = {"ename": name, "evalue": message, "traceback": lines or [f"{name}: {message}"]}
    return {"output_type": "error", **shown}


def _display(output: Mapping[str, Any], write: Write) -> Json:
    found = as_dict(output.get("data"))
    data: dict[str, str] = {}
    for mime, value in found.items():
        if mime == "text/html":
            # What a script would draw leaves empty elements.
            if (html := sanitize_html(joined_text(value))) and _TAG.sub("", html).strip():
                data[mime] = html
        elif mime == "text/markdown" or (mime == "text/latex" and "text/markdown" not in found):
            data["text/markdown"] = write(joined_text(value))
        elif mime in RASTER and (picture := as_base64(value)):
            data["text/markdown"] = safe_image("output", f"data:{mime};base64,{picture}")
        elif mime in _TEMPLATE_SHOWS:
            data[mime] = joined_text(value)
    lost = sorted(str(mime) for mime in found if mime not in data and mime not in RASTER)
    if not data or (lost and data.keys() == {"text/plain"}):
        words = f"(an output of {', '.join(lost) or 'no type'} is not shown here)"
        data["text/plain"] = f"{data.get('text/plain', '')}\n{words}".strip()
    return _display_data(data, {})


def _display_data(data: Json, metadata: Json) -> Json:
    return {"output_type": "display_data", "data": data, "metadata": metadata}


# Values of a notebook, which may have any type, read as the type they should have.


RASTER = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""MIME types of the pictures that a page shows."""

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def as_base64(value: Any) -> str | None:
    """Return base64 data without white space; None for anything else."""
    data = "".join(joined_text(value).split())
    return data if _BASE64.fullmatch(data) else None


# Table of contents of an exported conversation.


PROMPT = "msgbook_prompt"
"""Key of a prompt's cell metadata: its author, its title, its text as safe Markdown, its number."""

LONG = 8
"""Number of prompts from which on a conversation has a table of contents."""


class Entry(NamedTuple):
    """One line of a table of contents."""

    number: int
    """The prompt's number in the export, from 1."""
    words: str
    """Its title, or else its first words; plain text."""
    cell_id: str


def contents_of(harmless: NotebookNode) -> list[Entry]:
    """Return the table of contents of a harmless notebook; empty if the conversation is short."""
    prompts = [cell for cell in harmless.cells if PROMPT in cell.metadata]
    if len(prompts) < LONG:
        return []
    return [
        Entry(cell.metadata[PROMPT]["number"], cell.metadata[PROMPT]["words"], cell.id)
        for cell in prompts
    ]
