"""`msgbook set-default FILE AGENT`: who answers where a message names nobody."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cli.terminal import complain, line_of
from msgbook.cli.usage_errors import CommandError, require_text
from msgbook.errors import MsgbookError, describe_file_error

_VERB = "set-default"


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        _VERB,
        help="choose the agent that answers where a message names none",
        description="Set default_agent in the frontmatter of a text file; the rest of it stays as "
        "it is. If the file defines agents, it has to name AGENT, as `msgbook list FILE/agent` "
        "does.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("agent", metavar="AGENT")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    return set_default(Path(arguments.file), arguments.agent)


def set_default(path: Path, agent: str) -> int:
    """Set the default agent of a message file; a file that has it already is not touched.

    An agent that nothing defines is set with a warning: it may be defined later, or elsewhere.

    Returns:
        0.

    Raises:
        CommandError: The agent is not known, or the file cannot be read or written or changed.
    """
    from msgbook_format.agents import FrontmatterError, with_default_agent
    from msgbook_format.errors import MessageFileError
    from msgbook_format.files import Snapshot

    try:
        require_text(path)
        snapshot = Snapshot.read(path)
        _require_known(path, snapshot.text, agent)
        text = with_default_agent(snapshot.text, agent)
        if text != snapshot.text:
            snapshot.replace(text)
        _warn_of_unknown(path, text, agent)
    except (MessageFileError, FrontmatterError, OSError, ValueError) as error:
        raise CommandError(describe_file_error(path, error)) from error
    return 0


def _require_known(path: Path, text: str, agent: str) -> None:
    from msgbook_format import reads
    from msgbook_format.agents import defined_agents, list_agents

    if not agent or line_of(agent) != agent:
        raise CommandError(f"expected the name of an agent, found {agent!r}")
    notebook = reads(text)
    known = list_agents(notebook)
    # Without agents of its own a file may name any: they are defined elsewhere then.
    if defined_agents(notebook) and agent not in known:
        raise CommandError(
            f"{path}: expected an agent of this conversation, found {agent!r}; "
            f"there are {', '.join(known)}"
        )


def _warn_of_unknown(path: Path, text: str, agent: str) -> None:
    """Say what the next message would say, if nothing defines the agent."""
    from msgbook.agents import AgentSources, read_project, resolve_agent
    from msgbook.approval import followed_project
    from msgbook.config import load_settings
    from msgbook_format import reads

    notebook = reads(text)
    folder = path.absolute().parent
    try:
        project = read_project(followed_project(folder), folder)
        sources = AgentSources.from_notebook(notebook["metadata"], project, load_settings().agents)
        resolve_agent(agent, notebook["cells"], sources)
    except MsgbookError as error:
        complain(_VERB, f"{path}: {error}")
