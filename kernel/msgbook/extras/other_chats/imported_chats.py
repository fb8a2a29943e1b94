"""Chats of other programs, written as conversations."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgbook.cli.folders import make_folder, require_target, unused_paths
from msgbook.cli.terminal import CommandError, line_of, say
from msgbook.errors import MsgbookError, describe_file_error
from msgbook.extras.other_chats import (
    OtherChat,
    ReadChats,
    files_of,
    notebook_of,
    read_chats,
    safe_stem,
    unread_files,
)
from msgbook.notebook import Document, DocumentError, create, require_name
from msgbook.text import join_first
from msgbook_format.files import own_folder, read_regular, stem_of

_MOST_FINDINGS = 20
"""Kinds of findings that are told, the most frequent first."""

_MOST_UNREAD = 1000
"""Chats that could not be read, of which each is named."""


def read_others(path: Path) -> ReadChats:
    """Return the chats of a file or folder of another program.

    Raises:
        CommandError: It cannot be read; the message names the file, and line or field.
    """
    try:
        return read_chats(path)
    except MsgbookError as error:
        raise CommandError(f"{path}: {error}. Nothing was written.") from None
    except (OSError, ValueError) as error:
        raise CommandError(f"{describe_file_error(path, error)}. Nothing was written.") from None
    except RecursionError:
        raise CommandError(f"{path}: it is nested too deep. Nothing was written.") from None
    except MemoryError:
        raise CommandError(
            f"{path}: it takes more memory than there is. Export fewer chats at once. Nothing was written."
        ) from None


def import_as(path: Path, new: Path, *, force: bool = False) -> int:
    """Write the only chat of a file into a new one, and its other branches beside it.

    Raises:
        MsgbookError: The file has several chats or cannot be read, or `new` exists.
    """
    require_name(new)
    if os.path.lexists(new) and not force:
        raise CommandError(
            f"{new} exists. Choose another name, or replace its conversation with --force."
        )
    require_target(new)
    found = read_others(path)
    chats = found.chats
    if len(chats) > 1:
        raise CommandError(
            f"{path}: expected one chat, found {len(chats):,}. Name a folder for them: --out DIR. "
            "Nothing was written."
        )
    suffix = new.name.removeprefix(stem_of(new.name))
    branches = [chats[0], *chats[0].forks]
    forks = [f"{stem_of(new.name)}-fork" for _ in chats[0].forks]
    names = [new, *unused_paths(new.parent, forks, suffix, {new.name})]
    if new.exists():
        present = Document.read(new)
        _write_new(names[1:], branches[1:])
        _replace(present, branches[0])
    else:
        _write_new(names, branches)
    report(path, found)
    return 1 if found.unread else 0


def import_into(path: Path, folder: Path, form: str) -> int:
    """Write each chat of a file into a folder. No file is replaced.

    Raises:
        MsgbookError: The file cannot be read, or a new one cannot be written; then none is left behind.
    """
    stems: list[str] = []
    branches: list[OtherChat] = []
    found = read_others(path)
    for chat in found.chats:
        stem = safe_stem(chat.title)
        stems += [stem, *(f"{stem}-fork" for _ in chat.forks)]
        branches += [chat, *chat.forks]
    make_folder(folder)
    _write_new(list(unused_paths(folder, stems, f".{form}")), branches)
    report(path, found)
    return 1 if found.unread else 0


def report(path: Path, found: ReadChats, branches: str = "written to files of their own") -> None:
    """Say on standard error what could not be read, and what of the chats has no place in a conversation.

    Args:
        branches: What becomes of other branches.
    """
    findings: list[tuple[str, str]] = []
    forks = 0
    for reason in found.unread[:_MOST_UNREAD]:
        say(line_of(f"{path}: not read: {reason}"), sys.stderr)
    if len(found.unread) > _MOST_UNREAD:
        say(
            f"{path}: and {len(found.unread) - _MOST_UNREAD:,} more that cannot be read", sys.stderr
        )
    for chat in found.chats:
        forks += len(chat.forks)
        for branch in (chat, *chat.forks):
            title = chat.title or "a chat without a title"
            findings += [(finding, title) for finding in branch.findings]
    if forks:
        say(f"{path}: other branches, {branches}: {forks:,}", sys.stderr)
    tell(path, findings)
    unread = unread_files(path)
    if unread:
        say(
            line_of(f"{path}: not read, because they are not chats: {join_first(unread, 5)}"),
            sys.stderr,
        )


def tell(path: Path, findings: Iterable[tuple[str, str]]) -> None:
    """Say findings on standard error, each kind once, with the title of the first chat that has it."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for finding, title in findings:
        counts[finding] += 1
        first.setdefault(finding, title)
    for finding, count in counts.most_common(_MOST_FINDINGS):
        times = "" if count == 1 else f", {count:,} times"
        say(line_of(f"{path}: {finding} (in {first[finding][:60]!r}{times})"), sys.stderr)
    if len(counts) > _MOST_FINDINGS:
        say(f"{path}: and {len(counts) - _MOST_FINDINGS:,} more kinds of findings", sys.stderr)


def _write_new(paths: Sequence[Path], chats: Sequence[OtherChat]) -> None:
    """Write each chat into a new file; if one cannot be written, remove those that were."""
    done: list[Path] = []
    try:
        for path, chat in zip(paths, chats, strict=True):
            done += _write_files(path.parent, chat)
            create(path, notebook_of(chat))
            done.append(path)
    except BaseException as error:
        for written in done:
            written.unlink(missing_ok=True)
        if not isinstance(error, (DocumentError, OSError)):
            raise
        reason = f"{path} exists" if isinstance(error, FileExistsError) else str(error)
        raise CommandError(f"{reason}. Nothing was written.") from error
    for path in paths:
        say(str(path))


def _write_files(folder: Path, chat: OtherChat) -> Iterator[Path]:
    """Write the files that a chat shows and yield those that are new. Their names follow from their content."""
    for name, data in files_of(chat).items():
        path = folder / name
        if path.parent.is_symlink():
            raise CommandError(
                f"expected a folder, found a link: {path.parent}. Nothing was written."
            )
        with own_folder(folder, path.parent.name) as beside:
            try:
                beside.create(path.name, [data])
            except FileExistsError:
                _require_same(path, data)
                continue
        yield path


def _require_same(path: Path, data: bytes) -> None:
    """Raise `CommandError` unless a file has this content, and is not a link."""
    require_target(path)
    if read_regular(path) != data:
        raise CommandError(f"{path} exists and is another file. Nothing was written.")


def _replace(present: Document, chat: OtherChat) -> None:
    present.notebook = notebook_of(chat)
    try:
        list(_write_files(present.path.parent, chat))
        present.save()
    except (OSError, ValueError) as error:
        raise CommandError(describe_file_error(present.path, error)) from error
    say(str(present.path))
