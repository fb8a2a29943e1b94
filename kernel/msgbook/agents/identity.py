"""The identity of a conversation: AgentMetadata (seed 001), made with its first turn and kept when it moves.

AgentMetadata name the conversation's file, from the top of its checkout. If another file has that name
now, and the same id, this one is a copy of it and becomes a conversation of its own with its first
turn. If there is no such file, this one was moved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.ids import Ids
from msgbook.notebook import Transcript
from msgbook_format.agents import (
    AGENT_METADATA_KEY,
    OWN_FOLDER,
    AgentMetadata,
    agent_metadata_of,
    new_agent_metadata,
)
from msgbook_format.files import SUFFIX, is_agent_file, stem_of
from msgbook_format.links import real_path
from msgbook_format.typed import as_dict, msgbook_metadata

_NAMELESS = "New Agent"
"""Name of a conversation whose file is not known (seed 000)."""
_OF_ORIGINAL = ("is_task_finished", "parent", "sub_agents_list")
"""Keys that are true only of the original of a copy."""

_Json = dict[str, Any]


class Identified(NamedTuple):
    """A transcript with the AgentMetadata that its conversation has from this turn on."""

    transcript: Transcript
    uuid: str
    unsaved: _Json | None
    """The AgentMetadata to save in the notebook; None if it has them, or is to have none."""


class Identities:
    """The AgentMetadata of the conversations of one session.

    They are made once: a client that has not saved them gets the same again.
    """

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._made: dict[tuple[Path | None, str], _Json] = {}
        """By file and id of the original; the id is empty for a conversation that had none."""

    def identify(self, transcript: Transcript) -> Identified:
        """Return the transcript with AgentMetadata: its own, unless it has none, is a copy, or was moved.

        Reads the head of the file that the conversation names, if that is another one.
        """
        present = agent_metadata_of(transcript.metadata)
        path = None if transcript.path is None else transcript.path.absolute()
        agent = self._identify(transcript.metadata, present, path)
        ours = msgbook_metadata({"metadata": transcript.metadata})
        metadata = {**transcript.metadata, "msgbook": {**ours, AGENT_METADATA_KEY: agent}}
        is_kept = agent != present and not (is_ordinary(path) and not present)
        uuid = AgentMetadata.read(agent).uuid
        found = replace(transcript, metadata=metadata)
        return Identified(found, uuid, agent if is_kept else None)

    def _identify(self, metadata: Mapping[str, Any], present: _Json, path: Path | None) -> _Json:
        known = AgentMetadata.read(present)
        if not known.uuid:
            given = {key: value for key, value in present.items() if key != "uuid"}
            return {**self._new(path, ""), **given}
        if path is None:
            return present
        top = _find_top(path.parent)
        file = _place_of(path, top)
        if known.file is None:
            return {**present, "file": file}
        if known.file == file or _is_pair(known.file, file, metadata):
            return present
        if _has_id(top / known.file, top, known.uuid):
            return self._copy(present, known, path)
        return {**present, "file": file}

    def _copy(self, present: _Json, known: AgentMetadata, path: Path) -> _Json:
        kept = {key: value for key, value in present.items() if key not in _OF_ORIGINAL}
        new = self._new(path, known.uuid)
        new["allowed_uris"] = present.get("allowed_uris", new["allowed_uris"])
        new["name"] = f"Copy of {known.name or stem_of(Path(known.file or '').name)}"
        return {**kept, **new, "origin": known.uuid}

    def _new(self, path: Path | None, origin: str) -> _Json:
        if (path, origin) not in self._made:
            self._made[path, origin] = new_agent_metadata(
                uuid=self._ids.new_uuid(),
                created_at=self._ids.now(),
                name=_NAMELESS if path is None else stem_of(path.name),
                # The programs whose files these are know whole URIs only.
                allowed_uris=[path.parent.as_uri()]
                if is_agent_file(path) and path
                else [OWN_FOLDER],
                file=None if path is None else _place_of(path, _find_top(path.parent)),
            )
        return dict(self._made[path, origin])


def is_ordinary(path: Path | None) -> bool:
    """Return whether a file is an ordinary Markdown document, whose frontmatter is left alone."""
    return path is not None and path.suffix == ".md" and not path.name.endswith(SUFFIX)


def _find_top(folder: Path) -> Path:
    """Return the nearest parent with `.msgbook` or `.git`, else the folder.

    Unlike that of the project, this is the same for a checkout inside of another one.
    """
    real = folder.resolve()
    marks = (".msgbook", ".git")
    found = (top for top in (real, *real.parents) if any((top / mark).exists() for mark in marks))
    return next(found, real)


def _place_of(path: Path, top: Path) -> str:
    # As AgentMetadata names files: from the top of the checkout, with `/`.
    return Path(os.path.relpath(path.parent.resolve() / path.name, top)).as_posix()


def _is_pair(one: str, other: str, metadata: Mapping[str, Any]) -> bool:
    """Return whether two files are one conversation for Jupytext: text and notebook."""
    if stem_of(one) == stem_of(other):
        return True
    is_paired = "formats" in as_dict(metadata.get("jupytext"))
    return is_paired and stem_of(Path(one).name) == stem_of(Path(other).name)


def _has_id(path: Path, top: Path, uuid: str) -> bool:
    """Return whether a file of the checkout is the conversation with that id."""
    # Few conversations were copied or moved, and it imports the reader of documents.
    from msgbook_format.agent_states import HeadError, read_head

    try:
        if not real_path(path).is_relative_to(top):
            return False
        head = read_head(path)
    except (HeadError, OSError, ValueError):  # a loop of links, NUL
        return False
    return head is not None and head.agent.uuid == uuid
