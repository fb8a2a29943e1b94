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
from msgbook.notebook import is_count
from msgbook.request.context.records import (
    NAME_KEYS,
    REPLAY_LIMIT,
    is_flat,
    is_sent_in_full,
    list_entries,
)
from msgbook.text import repair_surrogates

_END_TAG = re.compile(r"</(?=content_reference)", re.IGNORECASE)
_DIGEST = re.compile(r"[0-9a-f]{64}")
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
    """As in `Document`."""


@dataclass(frozen=True, slots=True)
class ContextItems:
    """Texts of one prompt's context, in order."""

    rules: Mapping[str, str] = field(default_factory=dict)
    """All project rules in force: name and text, macros expanded."""
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
    previous: Iterable[Mapping[str, Any]],
    items: ContextItems,
    *,
    has_blob: Callable[[str], bool] = lambda digest: True,
) -> ContentReference:
    """Build the element for the prompt that is running.

    Args:
        previous: Contexts of the turns above whose elements are part of this request, in order.
            They are as saved, so any value may be of any type.
        has_blob: Returns whether a text is still kept. A text that is gone is sent again.
    """
    earlier = _EarlierTexts.from_contexts(previous, has_blob)
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        digest = _digest(text)
        blobs[digest] = text
        return digest

    context: dict[str, Any] = {}
    rules = {repair_surrogates(name): repair_surrogates(text) for name, text in items.rules.items()}
    if [(name, _digest(text)) for name, text in rules.items()] != earlier.rules:
        context["rules"] = [{"name": n, "sha256": keep(t)} for n, t in rules.items()]
    files = []
    for key, text in items.files.items():
        key, text = repair_surrogates(key), repair_surrogates(text)
        digest = _digest(text)
        shown, version = earlier.shown.get(key, ("", 0))
        if shown == digest:
            entry = {"key": key, "sha256": digest, "version": version, "unchanged": True}
        else:
            changed = earlier.newest.get(key) != digest
            entry = {
                "key": key,
                "sha256": keep(text),
                "version": earlier.versions.get(key, 0) + changed,
            }
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
    rules = _valid_entries(context, "rules")
    files = _files_by_key(context)
    tools = _valid_entries(context, "tools")
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


@dataclass(frozen=True, slots=True)
class _EarlierTexts:
    """Texts that earlier elements of the request hold."""

    rules: list[tuple[str, str]]
    """Name and digest of the rules that were sent last."""
    versions: dict[str, int]
    """The highest version of each file."""
    newest: dict[str, str]
    """Digest of the last version of each file."""
    shown: dict[str, tuple[str, int]]
    """Digest and version of the last text of each file that the model can read above."""

    @classmethod
    def from_contexts(
        cls, contexts: Iterable[Mapping[str, Any]], has_blob: Callable[[str], bool]
    ) -> _EarlierTexts:
        rules: list[tuple[str, str]] = []
        versions: dict[str, int] = {}
        newest: dict[str, str] = {}
        shown: dict[str, tuple[str, int]] = {}
        for context in contexts:
            if isinstance(context.get("rules"), list):
                rules = [
                    (rule["name"], rule["sha256"]) for rule in _valid_entries(context, "rules")
                ]
            for key, file in _files_by_key(context).items():
                digest, version = file["sha256"], file["version"]
                versions[key] = max(versions.get(key, 0), version)
                newest[key] = digest
                if is_sent_in_full(file):
                    shown[key] = digest, version
        rules = rules if all(has_blob(digest) for _, digest in rules) else [_GONE_RULE]
        shown = {key: text for key, text in shown.items() if has_blob(text[0])}
        return cls(rules, versions, newest, shown)


_GONE_RULE = ("", "")
"""No rule has this digest, so all rules are sent again."""


def _valid_entries(context: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [
        entry
        for entry in list_entries(context, kind)
        if isinstance(entry.get(NAME_KEYS[kind]), str)
        and _DIGEST.fullmatch(entry["sha256"])
        and (kind != "files" or (is_count(entry.get("version")) and entry["version"] > 0))
        and (kind != "tools" or is_flat(entry.get("args")))
    ]


def _files_by_key(context: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the valid entries of files by key; of two with the same key the last."""
    return {entry["key"]: entry for entry in _valid_entries(context, "files")}


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
