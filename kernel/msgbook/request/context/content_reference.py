"""The `<content_reference>` element: references and project rules as the model gets them. Pure.

It holds JSON (seed 003) with `rules` (if they are new or changed), `files` (key -> text) and `tools`.
The turn's context records digests of the texts. Later requests rebuild the element byte for byte
from that record and the blobs. A file that has not changed is not sent again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from msgbook.messages import Part
from msgbook.request.context.versions import EarlierTexts
from msgbook.request.records import (
    REPLAY_LIMIT,
    files_by_key,
    is_sent_in_full,
    valid_entries,
)
from msgbook.text import repair_surrogates

_END_TAG = re.compile(r"</(?=content_reference)", re.IGNORECASE)
_LEFT_OUT = "(left out: one prompt does not bring that much)"

LoadText = Callable[[str], str | None]
"""Returns the text with a sha256 in hex; None if it is gone."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool call that the prompt made with a reference."""

    name: str
    args: Any
    """The arguments as a JSON value."""
    result: str
    needed_approval: bool = False
    """As in `ReferencedText`."""


@dataclass(frozen=True, slots=True)
class ContextItems:
    """Texts of one prompt's context, in order."""

    rules: Mapping[str, str] | None = field(default_factory=dict)
    """All project rules in force: name and text, macros expanded. None to send no rules with this
    prompt."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Key and text of each referenced file, cell and Python variable."""
    tools: Sequence[ToolRun] = ()


class ContentReference(NamedTuple):
    """A `<content_reference>` element and the record from which it can be rebuilt."""

    text: str
    """Empty if there is nothing to send."""
    context: dict[str, Any]
    """For the turn's `context`: `rules`, `files`, `tools`, each only if the element has it."""
    blobs: dict[str, str]
    """Texts that `replay_content_reference` will load, by their sha256 in hex."""


def build_content_reference(
    previous: EarlierTexts | Iterable[Mapping[str, Any]],
    items: ContextItems,
    *,
    has_blob: Callable[[str], bool] = lambda digest: True,
) -> ContentReference:
    """Build the element for a prompt.

    Args:
        previous: Texts of the elements above in this request; or the contexts of their turns, in
            order. These are as saved, so any value may be of any type.
        has_blob: Returns whether a text is still kept. A text that is gone is sent again.
    """
    earlier = (
        previous if isinstance(previous, EarlierTexts) else EarlierTexts.from_contexts(previous)
    )
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        digest = _digest(text)
        blobs[digest] = text
        return digest

    context: dict[str, Any] = {}
    if items.rules is not None:
        rules = {repair_surrogates(n): repair_surrogates(text) for n, text in items.rules.items()}
        is_same = [(name, _digest(text)) for name, text in rules.items()] == earlier.rules
        if not is_same or not all(has_blob(digest) for _, digest in earlier.rules):
            context["rules"] = [{"name": n, "sha256": keep(t)} for n, t in rules.items()]
    files = []
    for key, text in items.files.items():
        text = repair_surrogates(text)
        entry = _file_record(earlier, repair_surrogates(key), _digest(text), has_blob)
        if "unchanged" not in entry:
            keep(text)
        files.append(entry)
    tools = [
        {
            "name": repair_surrogates(run.name),
            "args": _canonical(run.args),
            "sha256": keep(repair_surrogates(run.result)),
        }
        for run in items.tools
    ]
    context |= {"files": files} if files else {}
    context |= {"tools": tools} if tools else {}
    return ContentReference(replay_content_reference(context, blobs.get), context, blobs)


def replay_content_reference(context: Mapping[str, Any], load: LoadText) -> str:
    """Return the element that was sent with a turn, byte for byte; empty if there was none.

    A line stands for a text that is gone, and for a file with `"dropped": true`, which
    `history.drop_pruned_files` sets. Invalid entries are left out.
    """
    rules = valid_entries(context, "rules")
    files = files_by_key(context)
    tools = valid_entries(context, "tools")
    if not (files or tools or isinstance(context.get("rules"), list)):
        return ""

    room = REPLAY_LIMIT

    def text_of(entry: Mapping[str, Any]) -> str:
        nonlocal room
        text = load(entry["sha256"])
        if text is None:
            return _gone(entry["sha256"])
        room -= len(text)
        return text if room >= 0 else _LEFT_OUT

    body: dict[str, Any] = {}
    if isinstance(context.get("rules"), list):
        body["rules"] = [{"name": rule["name"], "content": text_of(rule)} for rule in rules]
    body["files"] = {
        key: text_of(file) if is_sent_in_full(file) else _not_repeated(file)
        for key, file in files.items()
    }
    body["tools"] = [
        {"name": run["name"], "args": _canonical(run.get("args")), "result": text_of(run)}
        for run in tools
    ]
    text = json.dumps(body, ensure_ascii=False, indent=1)
    return f"<content_reference>\n{_END_TAG.sub(_escaped, text)}\n</content_reference>"


def append_content_reference(content: str | list[Part], block: str) -> str | list[Part]:
    """Return a user message's content with the element at its end, in the text or as a last part."""
    if not block:
        return content
    if isinstance(content, str):
        return f"{content}\n\n{block}"
    return [*content, {"type": "text", "text": block}]


def _file_record(
    earlier: EarlierTexts, key: str, digest: str, has_blob: Callable[[str], bool]
) -> dict[str, Any]:
    shown, version = earlier.shown.get(key, ("", 0))
    if shown == digest and has_blob(digest):
        return {"key": key, "sha256": digest, "version": version, "unchanged": True}
    return {"key": key, "sha256": digest, "version": earlier.number_of(key, digest)}


def _canonical(args: Any) -> Any:
    """Return a JSON value with sorted keys: a file may have saved it in another order."""
    return json.loads(repair_surrogates(json.dumps(args, sort_keys=True)))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _not_repeated(file: Mapping[str, Any]) -> str:
    """Return the line that stands for a text of another element. A further `%prune` keeps it."""
    if file.get("dropped") is True:
        return f"(version {file['version']} was dropped by %prune; the newest copy is kept)"
    return f"(unchanged: version {file['version']} above)"


def _gone(digest: str) -> str:
    return f"(not kept: .msgbook/blobs/{digest} is gone; read it again if it matters)"


def _escaped(end_tag: re.Match[str]) -> str:
    # A JSON parser reads the same string, and the element does not end here.
    return end_tag[0].replace("/", "\\/")
