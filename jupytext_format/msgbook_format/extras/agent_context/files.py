"""Files with an AgentContext: `.mtm` and `.mutsumi-notebook` (seed 000)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgbook_format.agents import new_agent_metadata
from msgbook_format.errors import MessageFileError
from msgbook_format.extras.agent_context.content import BrokenContextError
from msgbook_format.extras.agent_context.context_text import dump_context, load_context
from msgbook_format.extras.agent_context.conversion import context_from, notebook_from


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
