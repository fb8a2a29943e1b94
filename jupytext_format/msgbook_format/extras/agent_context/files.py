"""Files with an AgentContext: `.mtm` and `.mutsumi-notebook` (seed 000)."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgbook_format import jsontext
from msgbook_format.agents import new_agent_metadata
from msgbook_format.cells.cell import Claim, resolve_ids
from msgbook_format.errors import MessageFileError
from msgbook_format.extras.agent_context.cells import (
    answer_from,
    as_note,
    cell_from,
    is_bare_answer,
    is_empty,
    is_marked_note,
    message_from,
    orphan_from,
)
from msgbook_format.extras.agent_context.content import BrokenContextError, as_page, require_context
from msgbook_format.syntax import CHAT_CELLS, KERNELSPEC, LANGUAGE_INFO, rule_of
from msgbook_format.typed import as_dict, as_list, joined_text, msgbook_metadata

# An AgentContext, its metadata included, as a notebook of nbformat 4, and back. Pure.


_Json = dict[str, Any]


def notebook_from(context: _Json) -> _Json:
    """Return the notebook of an AgentContext, which is not modified.

    A user's message is a prompt, the assistant and tool messages after it are its turn. A system
    message is a note that cannot be edited. Assistant messages with no prompt above them are notes
    if they are plain text, else one turn below an empty prompt.
    """
    cells = list(_cells(context["context"]))
    claims = [Claim(cell.get("id"), cell["source"]) for cell in cells]
    cells = [
        {"id": cell_id, **{key: value for key, value in cell.items() if key != "id"}}
        for cell, cell_id in zip(cells, resolve_ids(claims), strict=True)
    ]
    metadata = notebook_metadata(context)
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def context_from(notebook: _Json, default_metadata: _Json) -> _Json:
    """Return the AgentContext of a notebook, which is not modified.

    Args:
        default_metadata: AgentMetadata of a notebook that has none.

    Raises:
        BrokenContextError: Its code cells are not prompts: it has another kernel.
    """
    if rule_of(notebook["metadata"]) is not CHAT_CELLS:
        raise BrokenContextError(
            "expected a conversation, whose code cells are prompts, found a notebook of another kernel"
        )
    metadata, beside = context_metadata(notebook["metadata"], default_metadata)
    cells = list(map(_sound, notebook["cells"]))
    if cells and is_empty(cells[-1]):
        del cells[-1]
    return {"metadata": metadata, "context": list(_messages(cells)), **beside}


def _cells(messages: Sequence[_Json]) -> Iterator[_Json]:
    position = 0
    # Whether an assistant's message that comes next belongs to the turn above, unless it is marked.
    is_open = False
    while position < len(messages):
        head = messages[position]
        start, end = position, position + 1
        position = _end_of_answer(messages, end)
        if head["role"] == "user":
            yield cell_from(head, messages[end:position])
            is_open = True
        elif head["role"] == "system" or is_marked_note(head):
            yield cell_from(head, [], is_marked=_needs_mark(head, is_open=is_open))
            is_open, position = False, end
        elif all(map(_is_plain_text, messages[start:position])):
            yield from (cell_from(message, []) for message in messages[start:position])
            is_open = False
        else:
            yield orphan_from(messages[start:position])
            is_open = True


def _end_of_answer(messages: Sequence[_Json], position: int) -> int:
    while (
        position < len(messages)
        and messages[position]["role"] in ("assistant", "tool")
        and not is_marked_note(messages[position])
    ):
        position += 1
    return position


def _needs_mark(message: _Json, *, is_open: bool) -> bool:
    # A marked message is read as a cell of its own.
    return message["role"] == "assistant" and (is_open or not _is_plain_text(message))


def _is_plain_text(message: _Json) -> bool:
    return (
        message["role"] == "assistant"
        and isinstance(message.get("content"), str)
        and not message.get("tool_calls")
        and not message.get("reasoning_content")
    )


def _messages(cells: Sequence[_Json]) -> Iterator[_Json]:
    is_open, is_note = False, False
    for cell in cells:
        answer = answer_from(cell)
        if not is_open and not is_note and is_bare_answer(cell):
            yield from answer
            is_open = True
            continue
        message = message_from(cell)
        if message["role"] == "assistant":
            message = as_note(message) if _needs_mark(message, is_open=is_open) else message
            yield message
            # A turn below a note without a mark would be read as one with it.
            is_open, is_note = False, not is_marked_note(message)
            continue
        yield message
        yield from answer
        is_open, is_note = message["role"] == "user", False


def _sound(cell: _Json) -> _Json:
    """Return a cell with the fields that nbformat requires; itself if it has them."""
    sound = {**cell, "source": joined_text(cell.get("source"))}
    sound["metadata"] = deepcopy(as_dict(cell.get("metadata")))
    if cell["cell_type"] == "code":
        sound["outputs"] = as_list(cell.get("outputs"))
    return sound


# Metadata of a notebook as AgentMetadata (seed 001), and back.
#
# `metadata.msgbook.agent_metadata` are the AgentMetadata, with all keys. Their macros are in force as
# `metadata.msgbook.macros`. Other metadata of the notebook are in the key `msgbook` of the
# AgentMetadata. Keys that could point to other files or another kernel are dropped.


_NAME = re.compile(r"[A-Za-z_]\w*")
_OURS = "msgbook"
_AGENT = "agent_metadata"
_CONTEXT = "agent_context"
"""Key of `metadata.msgbook`: unknown keys beside `metadata` and `context`."""

_NOT_SAVED = frozenset(
    ("kernelspec", "language_info", "jupytext", "jupytext_formats", "nbrmd_formats", "msgbook")
)


def notebook_metadata(context: _Json) -> _Json:
    """Return the metadata of the notebook of an AgentContext."""
    agent = deepcopy(context["metadata"])
    kept = agent.get(_OURS)
    others: _Json = {}
    ours: _Json = {}
    if _is_kept(kept):
        del agent[_OURS]
        others = kept.get("metadata", {})
        ours = dict(kept.get("msgbook", {}))
    ours[_AGENT] = agent
    macros = _macros_of(agent)
    if macros:
        ours["macros"] = macros
    beside = {key: value for key, value in context.items() if key not in ("metadata", "context")}
    if beside:
        ours[_CONTEXT] = deepcopy(beside)
    known = {"kernelspec": dict(KERNELSPEC), "language_info": dict(LANGUAGE_INFO)}
    return {**others, **known, "msgbook": ours}


def context_metadata(metadata: _Json, default: _Json) -> tuple[_Json, _Json]:
    """Return the AgentMetadata of a notebook, and what stands beside them in its AgentContext.

    Args:
        default: AgentMetadata of a notebook that has none.
    """
    ours = dict(msgbook_metadata({"metadata": metadata}))
    ours.pop("text", None)
    beside = as_dict(ours.pop(_CONTEXT, None))
    given = ours.pop(_AGENT, None)
    agent = deepcopy(given if isinstance(given, dict) else default)
    macros = ours.pop("macros", {})
    if isinstance(macros, dict) and not jsontext.is_same(macros, _macros_of(agent)):
        _set_macros(agent, macros)
    kept = {
        key: value
        for key, value in (
            ("metadata", {k: v for k, v in metadata.items() if k not in _NOT_SAVED}),
            ("msgbook", ours),
        )
        if value
    }
    if kept:
        agent[_OURS] = deepcopy(kept)
    return agent, {k: v for k, v in beside.items() if k not in ("metadata", "context")}


def _is_kept(value: Any) -> bool:
    if not isinstance(value, dict) or not value or not value.keys() <= {"metadata", "msgbook"}:
        return False
    reserved = {_AGENT, _CONTEXT, "macros", "text"}
    parts_are_objects = all(isinstance(part, dict) and part for part in value.values())
    if not parts_are_objects:
        return False
    names = value.get("metadata", {}).keys() & _NOT_SAVED
    return not names and not reserved & value.get("msgbook", {}).keys()


def _macros_of(agent: _Json) -> dict[str, str]:
    """Return the macros of AgentMetadata: `macroContext`, then `contextItems` of the type `macro`."""
    pairs = list(as_dict(agent.get("macroContext")).items())
    pairs += [(item.get("key"), item.get("content")) for item in _items(agent) if _is_macro(item)]
    return {
        name: value
        for name, value in pairs
        if isinstance(name, str) and _NAME.fullmatch(name) and isinstance(value, str)
    }


def _set_macros(agent: _Json, macros: _Json) -> None:
    """Write changed macros where AgentMetadata have them, in place; new ones as `contextItems`."""
    old = _macros_of(agent)
    gone = old.keys() - macros.keys()
    changed = {name: v for name, v in macros.items() if not jsontext.is_same(old.get(name), v)}
    found = as_dict(agent.get("macroContext"))
    for name in gone & found.keys():
        del found[name]
    for name in changed.keys() & found.keys():
        found[name] = changed[name]
    new = changed.keys() - found.keys()
    items = [item for item in _items(agent) if not (_is_macro(item) and item.get("key") in gone)]
    for item in items:
        if _is_macro(item) and item.get("key") in changed:
            item["content"] = changed[item["key"]]
            new = new - {item["key"]}
    items += [
        {"type": "macro", "key": name, "content": value}
        for name, value in changed.items()
        if name in new
    ]
    if items or isinstance(agent.get("contextItems"), list):
        agent["contextItems"] = items


def _items(agent: _Json) -> list[Any]:
    found = agent.get("contextItems")
    return as_list(found)


def _is_macro(item: Any) -> bool:
    return as_dict(item).get("type") == "macro"


# The bytes of a file with an AgentContext: JSON in UTF-8, indented by two spaces.


_BOM = b"\xef\xbb\xbf"


def load_context(data: bytes) -> dict[str, Any]:
    """Return the AgentContext in a file's bytes.

    Raises:
        BrokenContextError: There is none.
    """
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data.removeprefix(_BOM)[error.start]
        raise BrokenContextError(
            f"expected UTF-8 text, found byte 0x{byte:02x} at offset {error.start}"
        ) from None
    if jsontext.is_too_deep(text):
        raise BrokenContextError(
            f"expected JSON of at most {jsontext.MAX_DEPTH} levels, found more levels"
        )
    try:
        return require_context(_DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise BrokenContextError(
            f"expected JSON, found an error in line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except BrokenContextError:
        raise
    except (ValueError, RecursionError):
        # Python refuses to read integers of more than 4300 digits.
        raise BrokenContextError("expected JSON, found a number with too many digits") from None


def dump_context(context: dict[str, Any], present: bytes | None = None) -> bytes:
    """Return the bytes of a file with `context`.

    Args:
        present: Bytes of the file that is replaced. What has not changed is written as it is there,
            with its order of keys and its numbers, which a page may have rounded. If nothing has
            changed, these bytes are returned.

    Raises:
        BrokenContextError: `present` holds no AgentContext, and must not be replaced.
    """
    lead, end = b"", b""
    if present is not None:
        old = load_context(present)
        if jsontext.is_same(as_page(context), as_page(old)):
            return present
        context = _reused(context, old)
        lead = _BOM if present.startswith(_BOM) else b""
        end = b"\n" if present.endswith(b"\n") else b""
    text = json.dumps(jsontext.finite(context), ensure_ascii=False, indent=2, allow_nan=False)
    return lead + jsontext.encodable(text).encode() + end


def _reused(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return a context with the messages and the metadata of `old` that are the same in it."""
    waiting: dict[str, deque[Any]] = defaultdict(deque)
    for message in old["context"]:
        waiting[_page_key(message)].append(message)
    messages = []
    for message in new["context"]:
        same = waiting.get(_page_key(message))
        messages.append(same.popleft() if same else message)
    kept = {
        key: messages if key == "context" else _reuse(new[key], value)
        for key, value in old.items()
        if key in new
    }
    return kept | {key: value for key, value in new.items() if key not in old}


def _reuse(new: Any, old: Any) -> Any:
    """Return `new` with the parts of `old` that are the same, in the order of `old`."""
    if jsontext.is_same(as_page(new), as_page(old)):
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        kept = {key: _reuse(new[key], value) for key, value in old.items() if key in new}
        return kept | {key: value for key, value in new.items() if key not in old}
    return new


def _page_key(value: Any) -> str:
    return jsontext.dumps(as_page(value))


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BrokenContextError(f"expected JSON, found {text[:40]}, which is not a finite number")
    return number


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BrokenContextError(
            f"expected each key once in an object, found {json.dumps(twice)[:80]} twice"
        )
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_read_object, parse_float=_read_float, parse_constant=_read_float
)


class NotAnAgentFileError(MessageFileError):
    """A file holds no AgentContext, or a notebook cannot be written as one."""

    def __init__(self, path: Path | str, problem: object) -> None:
        super().__init__(
            f"{path}: {problem}. A file with this name holds one JSON object with the metadata of an "
            "agent (`metadata`) and its messages (`context`). The file is unchanged."
        )
        self.path = path


def parse_agent_file(data: bytes, path: Path | str) -> dict[str, Any]:
    """Return the notebook in the bytes of the file at `path`.

    Raises:
        NotAnAgentFileError: They hold no AgentContext.
    """
    try:
        return notebook_from(load_context(data))
    except BrokenContextError as error:
        raise NotAnAgentFileError(path, error) from None


def encode_agent_file(
    notebook: dict[str, Any], path: Path | str, *, present: bytes | None, folder: Path | None
) -> bytes:
    """Return the bytes of a notebook's file, for `message_files.encode_agent_file`, which names the arguments.

    Raises:
        NotAnAgentFileError: The notebook has another kernel, or `present` holds no AgentContext.
    """
    try:
        if present is None:
            default = _new_metadata(Path(path), folder)
        else:
            default = load_context(present)["metadata"]
        return dump_context(context_from(notebook, default), present)
    except BrokenContextError as error:
        raise NotAnAgentFileError(path, error) from None


def _new_metadata(path: Path, folder: Path | None) -> dict[str, Any]:
    """Return AgentMetadata (seed 001) of an agent that has none."""
    return new_agent_metadata(
        uuid=str(uuid4()),
        created_at=datetime.now(UTC),
        name=path.stem or "New Agent",
        allowed_uris=[] if folder is None else [folder.absolute().as_uri()],
    )
