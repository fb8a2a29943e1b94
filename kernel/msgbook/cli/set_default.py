"""`msgbook set-default FILE AGENT`: chooses the agent that answers by default."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgbook.agents import AgentSources, UnknownAgentError, read_project, resolve_agent
from msgbook.approval import followed_project
from msgbook.cli.folders import list_outside_agents, require_text
from msgbook.cli.terminal import CommandError, complain, line_of
from msgbook.config import load_settings
from msgbook.errors import MsgbookError, describe_file_error
from msgbook_format import check, reads
from msgbook_format.agents import defined_agents, list_agents, with_default_agent
from msgbook_format.errors import MessageFileError
from msgbook_format.files import Snapshot
from msgbook_format.syntax import FrontmatterError

_VERB = "set-default"


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return set_default(Path(arguments.file), arguments.agent)


def set_default(path: Path, agent: str) -> int:
    """Set the default agent of a message file. A file that has it already is not written.

    An undefined agent is set with a warning: it may be defined later, or elsewhere.

    Returns:
        0.

    Raises:
        CommandError: The agent is not known, or the file cannot be read or written or changed.
    """
    try:
        require_text(path)
        snapshot = Snapshot.read(path)
        problem = _find_problem(path, snapshot.text, agent)
        text = with_default_agent(snapshot.text, agent)
        if text != snapshot.text:
            snapshot.replace(text)
    except (MessageFileError, FrontmatterError, OSError, ValueError) as error:
        raise CommandError(describe_file_error(path, error)) from error
    if problem is not None:
        is_undefined = type(problem) is UnknownAgentError
        lead = f"default_agent is now {agent}. " if is_undefined else ""
        complain(_VERB, f"{path}: {lead}{problem}")
    for finding in check(text, agents=list_outside_agents(path.absolute().parent)):
        if finding.code == "agent-too-late":
            complain(_VERB, f"{path}:{finding.line}: {finding.message}")
    return 0


def _find_problem(path: Path, text: str, agent: str) -> MsgbookError | None:
    """Return the error that a message at the end would end with; None if the agent is defined.

    Raises:
        CommandError: The file defines agents, and neither it nor anything else knows this one.
    """
    if not agent or line_of(agent) != agent:
        raise CommandError(f"expected the name of an agent, got {agent!r}")
    notebook = reads(text)
    folder = path.absolute().parent
    try:
        project = read_project(followed_project(folder), folder)
        sources = AgentSources.from_notebook(notebook["metadata"], project, load_settings().agents)
        resolve_agent(agent, notebook["cells"], sources)
    except MsgbookError as error:
        known = list_agents(notebook)
        # A file that defines no agents may name any: they are defined elsewhere.
        if defined_agents(notebook) and agent not in known:
            raise CommandError(
                f"{path}: expected an agent of this conversation, got {agent!r}. "
                f"It has {', '.join(known)}."
            ) from None
        return error
    return None
