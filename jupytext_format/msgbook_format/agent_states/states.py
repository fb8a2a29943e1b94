"""The agents of the conversations of a folder, as a tree. The files may be hostile."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from msgbook_format.agent_states.heads import HeadError, read_head
from msgbook_format.agent_states.running import SUB_AGENTS, RunningMarks, read_marks
from msgbook_format.agents import AgentRuntimeStatus, runtime_status
from msgbook_format.files import AGENT_SUFFIXES, SUFFIX, stem_of


@dataclass(frozen=True, slots=True)
class AgentState:
    """A conversation and what its agent does: AgentStateInfo (seed 001)."""

    path: Path
    """Its file, absolute."""
    file: str
    """Its file, from the project's folder, with `/`."""
    changed: float | None = None
    """When the file was changed last, in seconds since 1970; None if it cannot be read."""
    uuid: str = ""
    """Empty before the first turn."""
    name: str = ""
    created_at: str = ""
    """ISO 8601; empty if unknown."""
    parent_id: str | None = None
    parent_file: str | None = None
    """The parent's file, from the project's folder."""
    known_file: str | None = None
    """Its file as its metadata name it, from the top of its checkout."""
    is_running: bool = False
    is_task_finished: bool = False
    task: str | None = None
    """What a sub-agent was asked."""
    problem: str | None = None
    """Why the file cannot be read; None if it can."""
    is_window_open: bool = False
    """Whether a page shows it; only a page knows."""

    @property
    def status(self) -> AgentRuntimeStatus:
        """The agent's status, as `runtime_status` finds it."""
        return runtime_status(
            is_running=self.is_running,
            is_task_finished=self.is_task_finished,
            parent_id=self.parent_id,
        )


class TreeRow(NamedTuple):
    """A row of the tree."""

    depth: int
    """0 for an agent without a parent in the tree."""
    state: AgentState
    note: str | None = None
    """What is odd about its id or its parents; None for nothing."""

    @property
    def problem(self) -> str | None:
        """The reason why the file cannot be read, or what is odd about its place in the tree."""
        return self.state.problem or self.note

    def to_json(self) -> dict[str, Any]:
        """Return AgentStateInfo (seed 001), and `status`; `problem` if there is one."""
        state = self.state
        optional = {"prompt": state.task, "problem": self.problem}
        return {
            "uuid": state.uuid,
            "parentId": state.parent_id,
            "name": state.name,
            "fileUri": state.path.as_uri(),
            "isWindowOpen": state.is_window_open,
            "isRunning": state.is_running,
            "isTaskFinished": state.is_task_finished,
            "status": state.status,
            **{key: value for key, value in optional.items() if value is not None},
        }


def as_tree(states: Sequence[AgentState]) -> list[TreeRow]:
    """Return the agents, each once, in the order of their files; sub-agents below their parents, oldest first.

    The parent is the agent with the id that a sub-agent names. Of several with that id it is the one in
    the file that the sub-agent names, else the first.
    """
    ordered = sorted(states, key=lambda state: state.file)
    twins = defaultdict(list)
    for state in ordered:
        if state.uuid:
            twins[state.uuid].append(state)
    by_file = {state.file: state for state in ordered}
    subagents = defaultdict(list)
    roots = []
    for state in ordered:
        parent = _parent_of(state, twins, by_file)
        if parent is None:
            roots.append(state)
        else:
            subagents[parent.path].append(state)
    rows: dict[Path, TreeRow] = {}
    for root in roots:
        _add(root, subagents, twins, rows)
    for state in ordered:
        # What is not below a root is in a circle of parents, or below one.
        if state.path not in rows:
            _add(state, subagents, twins, rows, "its parents form a circle")
    return list(rows.values())


def _parent_of(
    state: AgentState, twins: dict[str, list[AgentState]], by_file: dict[str, AgentState]
) -> AgentState | None:
    if state.parent_id is None:
        return None
    named = by_file.get(state.parent_file) if state.parent_file is not None else None
    same = twins.get(state.parent_id, [])
    if named is not None and (named in same or not same):
        return named
    return same[0] if same else None


def _add(
    root: AgentState,
    subagents: dict[Path, list[AgentState]],
    twins: dict[str, list[AgentState]],
    rows: dict[Path, TreeRow],
    note: str | None = None,
) -> None:
    """Add an agent and those below it that have no row yet; not recursive, for deep files."""
    waiting = [(0, root, note)]
    while waiting:
        depth, state, odd = waiting.pop()
        if state.path in rows:
            continue
        first = twins[state.uuid][0] if state.uuid else state
        if first is not state:
            odd = odd or f"its id is also that of {first.file}"
        rows[state.path] = TreeRow(depth, state, odd)
        below = sorted(subagents.get(state.path, []), key=lambda subagent: subagent.created_at)
        waiting += [(depth + 1, subagent, None) for subagent in reversed(below)]


def without_pairs(states: Iterable[AgentState]) -> list[AgentState]:
    """Return the agents without notebooks that Jupytext pairs with a message file beside them."""
    states = list(states)
    texts = {(stem_of(state.file), state.uuid) for state in states if state.path.suffix == ".md"}
    return [
        state
        for state in states
        if state.path.suffix != ".ipynb"
        or not state.uuid
        or (stem_of(state.file), state.uuid) not in texts
    ]


def as_new_copies(states: Iterable[AgentState]) -> list[AgentState]:
    """Return the agents with copies, such as forks, as what they are until their first turn: new ones."""
    states = list(states)
    originals = {state.uuid for state in states if state.uuid and _is_where_it_says(state)}
    return [
        replace(
            state,
            uuid="",
            name=stem_of(state.path.name),
            parent_id=None,
            parent_file=None,
            is_task_finished=False,
            task=None,
        )
        if state.known_file is not None and state.uuid in originals and not _is_where_it_says(state)
        else state
        for state in states
    ]


def _is_where_it_says(state: AgentState) -> bool:
    # `chat.ipynb` beside `chat.msg.md` is the same conversation, not a copy.
    return state.known_file is not None and stem_of(state.path.as_posix()).endswith(
        f"/{stem_of(state.known_file)}"
    )


# The conversations of a folder, as their files and the marks of running conversations tell.


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
