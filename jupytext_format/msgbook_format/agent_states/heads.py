"""The metadata of a conversation's file, of which only the part with the metadata is read."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from msgbook_format.agents import AgentMetadata, agent_metadata_of
from msgbook_format.document import reads, reads_metadata
from msgbook_format.files import SUFFIX, has_section, is_agent_file, open_regular, parse_ipynb
from msgbook_format.lazy import load_extra
from msgbook_format.syntax import has_msgbook_kernel, split_frontmatter
from msgbook_format.typed import as_dict, msgbook_metadata

HEAD = 100_000
"""Bytes of a text or an AgentContext in which its metadata must end: a folder may have thousands of files, and each
is read for the list."""
_TASK = 10_000
"""Characters below the frontmatter of a message file in which the task is looked for."""
_BROADCAST = "## Context Summary\n"
"""Begins what a parent tells all its sub-agents, above a rule and the task of this one."""
_TAIL = 20_000
"""Bytes at the end of an `.ipynb`, where Jupyter writes the metadata."""
_WHOLE = 20_000_000
"""Bytes of the largest JSON that is read as a whole, because its metadata are elsewhere."""
_IPYNB_METADATA = re.compile(rb'^ "metadata": (?=\{)', re.M)
_IPYNB_REST = re.compile(r',\n "nbformat": 4,\n "nbformat_minor": \d+\n\}\s*')
_OUR_KEY = re.compile(r"^jupyter:", re.M)
"""Our key among the user's lines: it is not what it should be."""
_CONTEXT_METADATA = re.compile(r'\s*\{\s*"metadata"\s*:\s*(?=\{)')


class HeadError(ValueError):
    """A file whose metadata cannot be read; the message says why, without its name."""


class Head(NamedTuple):
    """The head of a conversation's file."""

    agent: AgentMetadata
    task: str | None = None
    """What a sub-agent was asked, or its beginning; None for any other agent, and if it is not known."""


def read_head(path: Path) -> Head | None:
    """Return the head of a file; None if it holds no conversation with the msgbook kernel.

    Raises:
        HeadError: The metadata cannot be read.
        OSError: The file cannot be read, or is not regular.
    """
    try:
        if is_agent_file(path):
            return Head(AgentMetadata.read(_context_metadata(path)))
        if path.suffix == ".ipynb":
            return _kept(_ipynb_metadata(path))
        if path.suffix == ".md":
            return _text_head(path)
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, HeadError) else "expected JSON of a conversation"
        raise HeadError(words) from error
    return None


def _text_head(path: Path) -> Head | None:
    data = _start(path, HEAD)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        raise HeadError("expected UTF-8") from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not (path.name.endswith(SUFFIX) or has_section(text)):
        return None
    end = split_frontmatter(text)
    if not end and len(data) == HEAD and text.startswith("---\n"):
        raise HeadError("its frontmatter is too long to be read for a list")
    metadata = reads_metadata(text[:end])
    if _OUR_KEY.search(str(msgbook_metadata({"metadata": metadata}).get("frontmatter", ""))):
        raise HeadError("`jupyter:` in its frontmatter cannot be read")
    head = _kept(metadata)
    return head._replace(task=_task(text[: end + _TASK])) if head and head.agent.parent_id else head


def _task(text: str) -> str | None:
    """Return the first prompt in the beginning of a message file, without what all sub-agents were told."""
    codes = (cell["source"] for cell in reads(text)["cells"] if cell["cell_type"] == "code")
    prompt = next(codes, "").removeprefix("\\").strip()
    summary, rule, task = prompt.partition("\n\n---\n\n")
    return (task if rule and summary.startswith(_BROADCAST) else prompt) or None


def _kept(metadata: dict[str, Any]) -> Head | None:
    if not has_msgbook_kernel(metadata):
        return None
    return Head(AgentMetadata.read(agent_metadata_of(metadata)))


def _context_metadata(path: Path) -> dict[str, Any]:
    text = _start(path, HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
    match = _CONTEXT_METADATA.match(text)
    try:
        if match is not None:
            return as_dict(json.JSONDecoder().raw_decode(text, match.end())[0])
    except ValueError:
        pass  # The metadata are longer, or broken.
    load: Callable[[bytes], dict[str, Any]] = load_extra("msgbook_format", "agent_files.load")
    try:
        return as_dict(load(_start(path, None))["metadata"])
    except ValueError as error:
        raise HeadError(str(error)) from error


def _ipynb_metadata(path: Path) -> dict[str, Any]:
    """Return the metadata of a notebook: of its last lines if they are as Jupyter writes them."""
    with open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
    starts = [match.end() for match in _IPYNB_METADATA.finditer(tail)]
    if starts:
        text = tail[starts[-1] :].decode("utf-8", "replace")
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            value, end = None, 0
        if isinstance(value, dict) and _IPYNB_REST.fullmatch(text, end):
            return value
    return as_dict(parse_ipynb(_start(path, None), path)["metadata"])


def _start(path: Path, count: int | None) -> bytes:
    """Return the first bytes of a file; with None all, if they are not too many."""
    with open_regular(path) as file:
        if count is not None:
            return file.read(count)
        data = file.read(_WHOLE + 1)
    if len(data) > _WHOLE:
        raise HeadError("too large to be read for a list")
    return data
