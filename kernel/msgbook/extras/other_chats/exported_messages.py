"""A conversation as OpenAI messages: those that its next request would send for the cells so far."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.approval import load_with_project
from msgbook.cli.convert import is_conversation
from msgbook.cli.file_turns import open_conversation, require_conversation
from msgbook.cli.folders import make_folder, require_target, unused_paths
from msgbook.cli.terminal import CommandError, printable_json, say, write
from msgbook.config import hide_keys
from msgbook.errors import MsgbookError, describe_file_error
from msgbook.extras.other_chats import FORMS, IMPORTED, notebook_of, openai_text, safe_stem
from msgbook.extras.other_chats.imported_chats import read_others, report, tell
from msgbook.messages import Message
from msgbook.notebook import Document, Transcript, outputs_of, working_folder
from msgbook.request import PLACEHOLDER, Preview
from msgbook_format.files import create_bytes, replace_bytes, stem_of
from msgbook_format.syntax import rule_of
from msgbook_format.turn import REASONINGS, turn_of
from msgbook_format.typed import as_dict, as_list, msgbook_metadata

_Json = dict[str, Any]


class _Conversation(NamedTuple):
    """A notebook to export, and the stem of a name for its file."""

    stem: str
    notebook: _Json


def export_messages(
    path: Path,
    new: Path | None,
    out: Path | None,
    form: str,
    *,
    system_prompt: bool = False,
    force: bool = False,
) -> int:
    """Write the messages of each conversation of a file: into `new`, into the folder `out`, or to standard output.

    Args:
        form: One of `FORMS`.
        system_prompt: Whether to begin with the system prompt of the agent that would answer next.
        force: Whether `new` may exist.

    Raises:
        MsgbookError: The file cannot be read, its agent cannot be asked, or a file cannot be written.
    """
    if new is not None:
        if os.path.lexists(new) and not force:
            raise CommandError(f"{new} exists. Choose another name, or replace it with --force.")
        require_target(new)
    conversations, unread = _read(path)
    if len(conversations) > 1 and out is None and form == "openai-messages":
        raise CommandError(
            f"{path}: expected one conversation, found {len(conversations):,}. Write them into a folder with "
            "--out DIR, or one on each line with --to openai-jsonl. Nothing was written."
        )
    texts = asyncio.run(_texts(path, conversations, form, system_prompt))
    if out is not None:
        _write_into(out, conversations, texts, form)
    elif new is not None:
        _write(new, "".join(texts), replace_bytes)
    else:
        for text in texts:
            write(printable_json(text), sys.stdout)
    return 1 if unread else 0


def _read(path: Path) -> tuple[list[_Conversation], list[str]]:
    """Return the conversations of a file, and what could not be read."""
    if is_conversation(path):
        document = Document.read(path)
        require_conversation(document)
        return [_Conversation(stem_of(path.name), document.notebook)], []
    found = read_others(path)
    report(path, found, "left out")
    chats = [_Conversation(safe_stem(chat.title), notebook_of(chat)) for chat in found.chats]
    return chats, found.unread


async def _texts(
    path: Path, conversations: Sequence[_Conversation], form: str, system_prompt: bool
) -> list[str]:
    folder = working_folder(path.absolute().parent)  # noqa: ASYNC240 - nothing else runs
    settings, rules = load_with_project(folder)
    hide_keys(settings)
    texts = []
    told: list[tuple[str, str]] = []
    for stem, notebook in conversations:
        conversation = open_conversation(
            folder, settings, rules, cell_rule=rule_of(notebook["metadata"]), as_kernel=True
        )
        own = path if is_conversation(path) else None
        above = Transcript("file", notebook["cells"], metadata=notebook["metadata"], path=own)
        name = f"{path}" if own is not None else f"{path} ({stem})"
        try:
            preview = await conversation.preview(PLACEHOLDER, above)
        except MsgbookError as error:
            raise CommandError(f"{name}: {error}") from error
        finally:
            await conversation.services.close()
        messages = _messages(preview, system_prompt=system_prompt)
        findings = list(_findings(notebook))
        if form == "openai-jsonl":
            count = len(messages)
            while messages and messages[-1]["role"] != "assistant":
                messages.pop()
            if not messages:
                raise CommandError(f"{name}: expected an answer to learn from, found none.")
            if len(messages) < count:
                findings.append("prompts below the last answer are left out: nothing answers them")
        tools, unknown = _tools(messages, notebook, preview)
        if form == "openai-jsonl" and unknown:
            findings.append(f"no schema is known of the tools {', '.join(unknown)}")
        texts.append(openai_text(messages, tools, form))
        told += [(finding, stem) for finding in findings]
    tell(path, told)
    return texts


def _messages(preview: Preview, *, system_prompt: bool) -> list[Message]:
    """Return the messages of the cells, without that of the prompt that is still to be written."""
    request = preview.prepared.request
    messages = request.messages[:-1]
    if system_prompt or not messages or request.owners[0] is not None:
        return messages
    # System notes of the conversation follow the agent's own system prompt.
    own = preview.prepared.active_agent.view.system_prompt
    text = messages[0]["content"].removeprefix(own).removeprefix("\n\n")
    return [{**messages[0], "content": text}, *messages[1:]] if text else messages[1:]


def _tools(
    messages: Sequence[Message], notebook: _Json, preview: Preview
) -> tuple[list[_Json], list[str]]:
    """Return the schemas of the tools that are called, and the names of those whose schema is not known."""
    called = {
        call["function"]["name"]: None
        for message in messages
        for call in message.get("tool_calls", ())
    }
    imported = as_dict(msgbook_metadata(notebook).get(IMPORTED)).get("tools")
    known = {}
    for tool in [*preview.body.tools, *(as_list(imported))]:
        name = as_dict(as_dict(tool).get("function")).get("name")
        if isinstance(name, str):
            known[name] = tool
    return [known[name] for name in called if name in known], [n for n in called if n not in known]


def _findings(notebook: _Json) -> Iterator[str]:
    """Yield what of a conversation is in no message."""
    turns = [turn for cell in notebook["cells"] for turn in map(turn_of, outputs_of(cell)) if turn]
    if any(REASONINGS.among(turn["blocks"]) for turn in turns):
        yield "reasoning is not among the messages"
    if any(cell.get("cell_type") == "raw" for cell in notebook["cells"]):
        yield "raw cells are not among the messages"


def _write_into(
    folder: Path, conversations: Sequence[_Conversation], texts: Sequence[str], form: str
) -> None:
    suffix = next(suffix for suffix, name in FORMS.items() if name == form)
    make_folder(folder)
    paths = unused_paths(folder, [conversation.stem for conversation in conversations], suffix)
    done: list[Path] = []
    try:
        for path, text in zip(paths, texts, strict=True):
            _write(path, text, create_bytes, quiet=True)
            done.append(path)
    except CommandError:
        for path in done:
            path.unlink(missing_ok=True)
        raise
    for path in done:
        say(str(path))


def _write(
    path: Path, text: str, write_bytes: Callable[[Path, bytes], None], *, quiet: bool = False
) -> None:
    try:
        write_bytes(path, text.encode())
    except OSError as error:
        raise CommandError(describe_file_error(path, error)) from error
    if not quiet:
        say(str(path))
