"""The agents of a folder, as their files and the marks of running conversations tell."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgbook_format.agent_states.heads import HeadError, read_head
from msgbook_format.agent_states.places import SUB_AGENTS
from msgbook_format.agent_states.running import RunningMarks, read_marks
from msgbook_format.agent_states.states import (
    AgentState,
    TreeRow,
    as_new_copies,
    as_tree,
    without_pairs,
)
from msgbook_format.files import AGENT_SUFFIXES, SUFFIX, stem_of

_SURE = (SUFFIX, ".ipynb", *AGENT_SUFFIXES)
"""Endings of files that have a row even if they cannot be read."""


def list_folder(folder: Path, project: Path, marks: RunningMarks | None = None) -> list[TreeRow]:
    """Return the agents of the conversations in a folder as a tree, with their sub-agents.

    The list of the project's own folder has all its sub-agents, whoever their parents are.

    Args:
        project: The folder's project.
        marks: The conversations that run; by default what the system says.

    Raises:
        OSError: The folder cannot be read.
    """
    marks = read_marks() if marks is None else marks
    folder, project = folder.resolve(), project.resolve()
    own = list(_states(folder, project, marks))
    below = project / SUB_AGENTS
    others = list(_states(below, project, marks)) if below.is_dir() and below != folder else []
    rows = as_tree(as_new_copies(without_pairs([*own, *others])))
    return rows if folder == project else list(_with_own_root(rows, folder))


def _with_own_root(rows: list[TreeRow], folder: Path) -> Iterator[TreeRow]:
    is_own = False
    for row in rows:
        is_own = is_own if row.depth else row.state.path.parent == folder
        if is_own:
            yield row


def _states(folder: Path, project: Path, marks: RunningMarks) -> Iterator[AgentState]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith((".md", *_SURE)):
            state = _state(Path(entry.path), project, marks)
            if state is not None:
                yield state


def _state(path: Path, project: Path, marks: RunningMarks) -> AgentState | None:
    """Return the state of a file's agent; None if it holds no conversation."""
    file = Path(os.path.relpath(path, project)).as_posix()
    is_sure = path.name.endswith(_SURE)
    try:
        found = path.stat()
        head = None if stat.S_ISDIR(found.st_mode) else read_head(path)
    except (HeadError, OSError) as error:
        words = getattr(error, "strerror", None) or str(error)
        return AgentState(path, file, name=stem_of(path.name), problem=words) if is_sure else None
    if head is None:
        return None
    agent = head.agent
    return AgentState(
        path,
        file,
        found.st_mtime,
        uuid=agent.uuid,
        name=agent.name or stem_of(path.name),
        created_at=agent.created_at,
        parent_id=agent.parent_id,
        parent_file=agent.parent_file,
        known_file=agent.file,
        is_running=marks.is_running(path, agent.uuid),
        is_task_finished=agent.is_task_finished,
        task=head.task,
    )
