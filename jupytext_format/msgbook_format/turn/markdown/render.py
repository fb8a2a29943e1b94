"""Markdown and plain text of a turn, which accompany its JSON in an output.

Both are derived and never read back. All text of a turn is treated as hostile: a turn may come from
a file that someone else wrote, with values of any type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import quote

from msgbook_format.picture_types import IMAGE_TYPES
from msgbook_format.turn.agent_rows import ShownAgent, shown_agents
from msgbook_format.turn.kinds import (
    DISPLAYS,
    ERRORS,
    NOTICES,
    REASONINGS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    UNKNOWN,
    Kind,
    kind_of,
)
from msgbook_format.turn.markdown.escape import (
    code_block,
    escape_line,
    inline_code,
    replace_controls,
    safe_destination,
    safe_image,
)
from msgbook_format.turn.markdown.safe import safe_markdown
from msgbook_format.turn.model import FINISH_REASONS, TURN_MIME, image_url, match_results
from msgbook_format.turn.wording import (
    TITLE_LIMIT,
    Source,
    hidden_reasoning_lines,
    model_words,
    shown_json,
    shown_sources,
)
from msgbook_format.typed import Flag, as_dict, as_items, as_text, read, text_or_none

if TYPE_CHECKING:
    from msgbook_format.turn.model import Block, Turn


# The sub-agents of a tool result as a Markdown list, with a link to each conversation.


_TEXT_LIMIT = 120
"""Characters of each text of a sub-agent's row, so that it stays one line."""


def agent_list(block: Mapping[str, Any], *, live: bool) -> str:
    """Return one list item for each sub-agent of a tool result; empty if it has none.

    Args:
        live: Whether the turn still runs.
    """
    rows, further = shown_agents(block, live=live)
    lines = [_line(row) for row in rows]
    if further:
        lines.append(f"- … and {further:,} more")
    return "\n".join(lines)


def _line(row: ShownAgent) -> str:
    name = f"**{escape_line(row.name, _TEXT_LIMIT) or '?'}**"
    if row.file is not None:
        # Only unreserved characters and escapes are left, which all parsers read alike.
        name = f"[{name}]({quote(row.file, safe='/')})"
    texts = (escape_line(text, _TEXT_LIMIT) for text in row.texts())
    return " · ".join([f"- {row.sign} {name}", *filter(None, texts)])


_Render = Callable[[str], str]
"""Returns what stands for a text of the model."""


PLAIN_LIMIT = 300
"""Greatest length of `to_plain`, in characters."""

UNENDED_LIMIT = 20_000
"""Most characters of the last answer that are shown of a turn that is not done: its text, reasoning
and arguments. Such an answer may be a flood, and an interrupt waits for its Markdown. The turn has all."""

_BLOCK_BEGINS = frozenset("-+#=~>|:0123456789")
"""First characters of lines with which headings, lists, fences and tables begin."""

_APPROVAL = {
    "pending": "waiting for approval",
    "denied": "denied",
    "policy": "allowed by MSGBOOK_APPROVAL=allow",
}

# A turn that grows is rendered many times a second, and only its last block changes. The cache has to
# hold all other texts of the turn to be of any use.
_cached_markdown = lru_cache(maxsize=256)(safe_markdown)


def bundle(turn: Turn, *, is_growing: bool = False) -> dict[str, Any]:
    """Return the MIME bundle of a turn's output. It holds the turn itself, not a copy.

    Args:
        is_growing: Whether the turn runs here, so that a bundle of its end will follow.
    """
    return {
        TURN_MIME: turn,
        "text/markdown": to_markdown(turn, is_growing=is_growing),
        "text/plain": to_plain(turn),
    }


def to_markdown(turn: Turn, write: _Render | None = None, *, is_growing: bool = False) -> str:
    """Return the turn as Markdown that is safe in any renderer, without a line end at the end.

    Reasoning and results are in closed `<details>`. Of a turn that is not done, only the beginning of
    a very long last answer is shown.

    Args:
        turn: The turn.
        write: Returns what stands for a text of the model; by default safe Markdown.
        is_growing: Whether the turn runs here. Its last text is then shown as it is written: a parser would
            read it anew for each bundle, and its ends are not there yet.
    """
    live = turn["status"] == "running"
    blocks = turn["blocks"] if turn["status"] == "done" else _beginning(turn["blocks"])
    names = {
        result: _text(blocks[call].get("name")) for call, result in match_results(blocks).items()
    }
    hidden = hidden_reasoning_lines(turn)
    growing = len(blocks) - 1 if live and is_growing else -1
    parts = []
    for i, block in enumerate(blocks):
        if block in TOOL_RESULTS:
            parts.append(agent_list(block, live=live))
        if i in hidden:
            parts.append(f"> {REASONINGS.sign} {hidden[i]}")
            continue
        render = write or (_as_written if i == growing else _cached_markdown)
        parts.append(_block(block, names.get(i, ""), render))
    parts.append(_status_line(turn))
    return _paragraphs(*parts)


def _as_written(text: str) -> str:
    """Return the words of a text, line by line, so that any renderer shows them and no markup."""
    lines = (escape_line(line, UNENDED_LIMIT) for line in text.strip().splitlines())
    return "\\\n".join(
        f"&#{ord(line[0])};{line[1:]}" if line[:1] in _BLOCK_BEGINS else line for line in lines
    )


def _beginning(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with no more than `UNENDED_LIMIT` characters of the last answer."""
    last = next((block["step"] for block in reversed(blocks) if "step" in block), None)
    left, shown = UNENDED_LIMIT, []
    for block in blocks:
        kind = kind_of(block)
        is_open = kind.is_answer and block.get("step") == last
        text = block.get(kind.content) if is_open else None
        if isinstance(text, str):
            if len(text) > left:
                block = cast("Block", {**block, kind.content: _cut(text, left)})
            left = max(0, left - len(text))
        shown.append(block)
    return shown


def _cut(text: str, size: int) -> str:
    more = f"(… {len(text) - size:,} more characters)"
    return f"{text[:size]}\n\n{more}" if size else more


def to_plain(turn: Turn) -> str:
    """Return status, model and the beginning of the answer, in one line of up to `PLAIN_LIMIT`."""
    words = [_text(turn["status"]), model_words(turn)]
    head = " · ".join(word for word in words if word)
    answer = " ".join(map(_plain_text, TEXTS.among(turn["blocks"][:100])))
    if not answer.strip():
        answer = next(reversed(hidden_reasoning_lines(turn).values()), "")
    line = " ".join(replace_controls(f"[{head[:100]}] {answer}").split())
    return line if len(line) <= PLAIN_LIMIT else line[: PLAIN_LIMIT - 1] + "…"


def _plain_text(block: Mapping[str, Any]) -> str:
    text = _text(block.get("text"))[:PLAIN_LIMIT]
    sources = shown_sources(block)[0] if len(text) < PLAIN_LIMIT else []
    named = (f"{n}. {source.title} {source.url or ''}" for n, source in enumerate(sources, 1))
    return " ".join([text, "Sources:", *named] if sources else [text])


def _block(block: Block, call_name: str, render: _Render) -> str:
    """Return the Markdown of a block; `call_name` is the tool of the call that a result answers."""
    kind = kind_of(block)
    if kind is UNKNOWN:
        label = f"{UNKNOWN.sign} {escape_line(block['type'], 80)}"
        return _details(label, _json_block(shown_json(block)))
    if kind is TOOL_RESULTS:
        return _result(block, call_name)
    return _MARKDOWN[kind](block, render)


def _text(value: Any) -> str:
    return as_text(value) or ("" if value in (None, "") else _json(value))


def _parts(content: Any) -> list[Any]:
    """Return the parts of a result that are shown; text is one part."""
    parts = as_items(content)
    return [part for part in parts if part not in ("", None)]


_ShownText = Annotated[str, _text]


@dataclass(frozen=True, slots=True)
class _Said:
    text: _ShownText
    refusal: Flag


@dataclass(frozen=True, slots=True)
class _Call:
    name: _ShownText
    arguments: _ShownText
    edited_arguments: Annotated[str | None, text_or_none]
    approval: _ShownText
    unfinished: Flag


@dataclass(frozen=True, slots=True)
class _Result:
    status: _ShownText
    content: Annotated[list[Any], _parts]


@dataclass(frozen=True, slots=True)
class _Notice:
    level: _ShownText
    text: _ShownText


@dataclass(frozen=True, slots=True)
class _Error:
    name: _ShownText
    message: _ShownText


def _reasoning(block: Block, render: _Render) -> str:
    text = read(_Said, block).text
    return _details(f"{REASONINGS.sign} Thinking Process", render(text)) if text.strip() else ""


def _answer(block: Block, render: _Render) -> str:
    said = read(_Said, block)
    refused = "> ⚠️ The model refused:" if said.refusal else ""
    return _paragraphs(refused, render(said.text), source_list(block))


def _notice(block: Block, _render: _Render) -> str:
    notice = read(_Notice, block)
    sign = "⚠️" if notice.level == "warning" else NOTICES.sign
    return f"> {sign} {escape_line(notice.text)}"


def _error(block: Block, _render: _Render) -> str:
    error = read(_Error, block)
    colon = ": " if error.message else ""
    name = escape_line(error.name, 80) or "Error"
    return f"> {ERRORS.sign} **{name}**{colon}{escape_line(error.message)}"


def _display(block: Block, render: _Render) -> str:
    """Return an image of the model, or its link; the text of what a tool displays is in the result."""
    data = {} if "id" in block else as_dict(block.get("data"))
    images = (_image(mime, as_text(value)) for mime, value in data.items())
    link = _text(data.get("text/markdown"))
    return next(filter(None, images), "") or (render(link) if link else "")


def _image(mime: str, data: str) -> str:
    text = "".join(data.split())
    return safe_image("image", f"data:{mime};base64,{text}") if mime in IMAGE_TYPES and text else ""


def _call(block: Block, _render: _Render) -> str:
    call = read(_Call, block)
    state = "cut off, not run" if call.unfinished else _APPROVAL.get(call.approval, "")
    name = inline_code(call.name or "?", 100)
    line = f"> {TOOL_CALLS.sign} **Call**: {name}" + (f" ({state})" if state else "")
    arguments, edited = call.arguments.strip(), call.edited_arguments
    sent = code_block(_pretty(arguments), "json") if arguments not in ("", "{}") else ""
    if edited is None:
        return _paragraphs(line, sent)
    return _paragraphs(
        line, sent, "> Changed by the user to:", code_block(_pretty(edited.strip()), "json")
    )


def _result(block: Block, name: str) -> str:
    result = read(_Result, block)
    summary = f"{TOOL_RESULTS.sign} Result" + (f": {escape_line(name, 100)}" if name else "")
    if result.status not in ("", "success"):
        summary += f" ({escape_line(result.status, 40)})"
    return _details(summary, "\n\n".join(map(_part, result.content)) or "(empty)")


def _part(part: Any) -> str:
    match part:
        case str() | {"type": "text", "text": str()}:
            return code_block(part if isinstance(part, str) else part["text"])
        case _:
            url = image_url(part)
            return _json_block(part) if url is None else safe_image("image", url)


_MARKDOWN: dict[Kind, Callable[[Block, _Render], str]] = {
    TEXTS: _answer,
    REASONINGS: _reasoning,
    TOOL_CALLS: _call,
    DISPLAYS: _display,
    NOTICES: _notice,
    ERRORS: _error,
}
"""The Markdown of each kind; that of a result needs its call."""


def _status_line(turn: Turn) -> str:
    blocks = turn["blocks"]
    match turn["status"]:
        case "running":
            return "" if blocks else f"> ⏳ {escape_line(_text(turn.get('model')), 100)}".rstrip()
        case "done":
            return ""
        case "interrupted":
            return "> ⏹️ Interrupted"
        case "incomplete":
            reason = _text(turn.get("finish_reason"))
            words = FINISH_REASONS.get(reason) or escape_line(reason, 80) or "the stream was cut"
            return f"> ⚠️ Incomplete: {words}"
        case "error":
            return "" if ERRORS.among(blocks) else "> ❌ Failed"
        case other:
            return f"> ⚠️ Status: {escape_line(_text(other), 80)}"


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _details(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _pretty(arguments: str) -> str:
    """Return the arguments indented; unchanged if indenting would change more than white space."""
    try:
        pretty = json.dumps(json.loads(arguments), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
    same = "".join(pretty.split()) == "".join(arguments.split())
    return pretty if same else arguments


def _json_block(value: Any) -> str:
    return code_block(_json(value, indent=2), "json")


def _json(value: Any, indent: int | None = None) -> str:
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False, default=repr)
    except (RecursionError, ValueError):
        return "(data nested too deep, or with too long a number, to be shown)"


# The sources of a text as a Markdown list of links.


def source_list(block: Mapping[str, Any]) -> str:
    """Return the sources of a text block as a numbered list below a line; empty if it has none."""
    sources, further = shown_sources(block)
    if not sources:
        return ""
    lines = [f"{number}. {_link(source)}" for number, source in enumerate(sources, 1)]
    if further:
        lines.append(f"\n… and {further:,} more")
    return "\n".join(["Sources:\n", *lines])


def _link(source: Source) -> str:
    title = escape_line(source.title, TITLE_LIMIT) or "?"
    destination = None if source.url is None else safe_destination(source.url)
    return title if destination is None else f"[{title}]({destination})"
