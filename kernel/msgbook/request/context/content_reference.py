"""The `<content_reference>` block: what references and rules bring, as the model gets it. Pure.

A block is JSON (seed 003) with `rules` (only where they are said), `files` (key -> text) and
`tools`. The turn's context records digests of what was sent, so that later requests rebuild the
block byte for byte from the record and the blobs; a file that has not changed is not sent again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from msgbook.messages import Part
from msgbook.notebook.cells import is_count
from msgbook.text import repair_surrogates

_END_TAG = re.compile(r"</(?=content_reference)", re.IGNORECASE)
_DIGEST = re.compile(r"[0-9a-f]{64}")
REPLAY_LIMIT = 2_000_000
"""Characters of texts in one block: no prompt brings more, but a record may claim anything."""
_LEFT_OUT = "(left out: one prompt does not bring that much)"
_LEVELS = 100
"""How deep the arguments of a call may be nested."""

LoadText = Callable[[str], str | None]
"""The text with a sha256 in hex; None when it is gone."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool that ran because the prompt named it."""

    name: str
    args: Any
    """The arguments as a JSON value."""
    result: str
    free: bool = True
    """As in `prompt.sources.Document`."""


@dataclass(frozen=True, slots=True)
class ContextItems:
    """What one prompt brings with it, in order."""

    rules: Mapping[str, str] = field(default_factory=dict)
    """All rules in force: name and text, macros expanded."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Key and text of what is referenced: files, cells, Python values."""
    tools: Sequence[ToolRun] = ()


class ContentReference(NamedTuple):
    """A block and what has to be kept of it."""

    text: str
    """Empty when there is nothing to say."""
    context: dict[str, Any]
    """Keys for the turn's `context`: `rules`, `files`, `tools`, each only if the block has it."""
    blobs: dict[str, str]
    """What `replay_content_reference` will ask for: sha256 in hex, and the text."""


def build_content_reference(
    previous: Iterable[Mapping[str, Any]],
    items: ContextItems,
    *,
    has_blob: Callable[[str], bool] = lambda digest: True,
) -> ContentReference:
    """The block of the prompt that is run now.

    Args:
        previous: The contexts of the turns whose blocks stand above in this request, in order; as
            saved, so anything may be odd.
        has_blob: Whether a text is still there; what is gone is sent whole again.
    """
    said = _Said.of(previous, has_blob)
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        digest = _digest(text)
        blobs[digest] = text
        return digest

    context: dict[str, Any] = {}
    rules = {repair_surrogates(name): repair_surrogates(text) for name, text in items.rules.items()}
    if [(name, _digest(text)) for name, text in rules.items()] != said.rules:
        context["rules"] = [{"name": n, "sha256": keep(t)} for n, t in rules.items()]
    files = []
    for key, text in items.files.items():
        key, text = repair_surrogates(key), repair_surrogates(text)
        digest = _digest(text)
        shown, version = said.shown.get(key, ("", 0))
        if shown == digest:
            entry = {"key": key, "sha256": digest, "version": version, "unchanged": True}
        else:
            changed = said.known.get(key) != digest
            entry = {
                "key": key,
                "sha256": keep(text),
                "version": said.versions.get(key, 0) + changed,
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
    """The block that was sent with a turn, byte for byte; empty when there was none.

    A text that is gone is said to be, and so is a file with `"dropped": true`, which
    `history.pruned` writes. Entries that are none of ours are left out.
    """
    rules = _entries(context, "rules")
    files = _files(context)
    tools = _entries(context, "tools")
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
        key: text_of(file) if _is_whole(file) else _not_repeated(file)
        for key, file in files.items()
    }
    body["tools"] = [
        {"name": run["name"], "args": _canonical(run.get("args")), "result": text_of(run)}
        for run in tools
    ]
    text = json.dumps(body, ensure_ascii=False, indent=1)
    return f"<content_reference>\n{_END_TAG.sub(_escaped, text)}\n</content_reference>"


def append_content_reference(content: str | list[Part], block: str) -> str | list[Part]:
    """A user message's content with the block at its end: a text goes on, parts get one more."""
    if not block:
        return content
    if isinstance(content, str):
        return f"{content}\n\n{block}"
    return [*content, {"type": "text", "text": block}]


def is_flat(value: Any) -> bool:
    """Whether a JSON value is nested no deeper than all that handles it can go."""
    level = [value]
    for _ in range(_LEVELS):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return not level


@dataclass(frozen=True, slots=True)
class _Said:
    """What the blocks above say."""

    rules: list[tuple[str, str]]
    """Name and digest of the rules as they were said last."""
    versions: dict[str, int]
    """The highest version of each file."""
    known: dict[str, str]
    """Digest of the last version of each file."""
    shown: dict[str, tuple[str, int]]
    """Digest and version of each file as its text can be read above, the last time."""

    @classmethod
    def of(cls, contexts: Iterable[Mapping[str, Any]], has_blob: Callable[[str], bool]) -> _Said:
        rules: list[tuple[str, str]] = []
        versions: dict[str, int] = {}
        known: dict[str, str] = {}
        shown: dict[str, tuple[str, int]] = {}
        for context in contexts:
            if isinstance(context.get("rules"), list):
                rules = [(rule["name"], rule["sha256"]) for rule in _entries(context, "rules")]
            for key, file in _files(context).items():
                digest, version = file["sha256"], file["version"]
                versions[key] = max(versions.get(key, 0), version)
                known[key] = digest
                if _is_whole(file):
                    shown[key] = digest, version
        rules = rules if all(has_blob(digest) for _, digest in rules) else [_GONE_RULE]
        shown = {key: text for key, text in shown.items() if has_blob(text[0])}
        return cls(rules, versions, known, shown)


_GONE_RULE = ("", "")
"""No rule has this digest, so that the rules are said again."""
_NAMES = {"rules": "name", "files": "key", "tools": "name"}


def _entries(context: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """The sound entries of one kind in a context."""
    entries = context.get(kind)
    return [
        entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and isinstance(entry.get(_NAMES[kind]), str)
        and isinstance(entry.get("sha256"), str)
        and _DIGEST.fullmatch(entry["sha256"])
        and (kind != "files" or _is_version(entry.get("version")))
        and (kind != "tools" or is_flat(entry.get("args")))
    ]


def _files(context: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The sound entries of files, by key; of two with one key the last."""
    return {entry["key"]: entry for entry in _entries(context, "files")}


def _is_whole(file: Mapping[str, Any]) -> bool:
    """Whether the text of a file stands in the block."""
    return file.get("unchanged") is not True and file.get("dropped") is not True


def _is_version(version: Any) -> bool:
    return is_count(version) and version > 0


def _canonical(args: Any) -> Any:
    """A JSON value with sorted keys: a file may have saved it in another order."""
    return json.loads(repair_surrogates(json.dumps(args, sort_keys=True)))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _not_repeated(file: Mapping[str, Any]) -> str:
    """What stands for a text that another block has. It stays the same at a further `%prune`."""
    if file.get("dropped") is True:
        return f"(version {file['version']} was dropped by %prune; the newest copy is kept)"
    return f"(unchanged: version {file['version']} above)"


def _gone(digest: str) -> str:
    return f"(not kept: .msgbook/blobs/{digest} is gone; read it again if it matters)"


def _escaped(end_tag: re.Match[str]) -> str:
    # The same string to a reader of JSON, and no end of the block.
    return end_tag[0].replace("/", "\\/")
