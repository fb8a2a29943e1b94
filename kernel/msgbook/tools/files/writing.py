"""The tools `write`, `edit` and `mkdir`. Each call needs approval, and files are replaced in one step."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgbook.errors import ToolError
from msgbook.text import counted, visible
from msgbook.tools.files.call import Call
from msgbook.tools.files.diff import preview, unified_diff
from msgbook.tools.files.opening import (
    Place,
    is_folder,
    open_entry,
    open_place,
    os_errors_as_tool_errors,
)
from msgbook.tools.files.reading import SHOWN
from msgbook.tools.files.replacing import replace_only
from msgbook.tools.files.text import TextFile, cut, decode

_FILE_LIMIT = 10_000_000
"""Most bytes of a file to change: its text is in memory several times."""


class _Old(NamedTuple):
    """A file before it is changed."""

    data: bytes
    status: os.stat_result
    file: TextFile | None
    """None if it is binary."""


class _Plan(NamedTuple):
    """Planned change of a call."""

    effect: str
    preview: str
    data: bytes
    result: str


def write(call: Call, path: str, content: str) -> str:
    """Create a file, or replace its content."""

    def plan(name: str, old: _Old | None) -> _Plan:
        before = old.file if old else None
        after, notes = _spelled(before or TextFile(""), content)
        data = _encode(after, "content")
        if old and old.data == data:
            raise ToolError(f"{name} has exactly this content already.")
        if old and before is None:
            digest = hashlib.sha256(old.data).hexdigest()
            size = counted(len(old.data), "byte")
            notes.append(f"[replaces a binary file of {size}, sha256 {digest}]\n")
        shown = "".join([*notes, preview(*_comparable(before or TextFile(""), after), name)])
        result = f"Wrote {name}: {counted(len(data), 'byte')}."
        return _Plan("it replaces the text of" if old else "it makes", shown, data, result)

    return _carry_out(call, path, plan)


def edit(call: Call, path: str, old: str, new: str) -> str:
    """Replace a text that occurs in a file once."""

    def plan(name: str, found: _Old | None) -> _Plan:
        if found is None:
            raise ToolError(f"{name}: No such file; use write to make it.")
        before = found.file
        if before is None:
            raise ToolError(f"{name} is a binary file.")
        if _encode(before, "old") != found.data:
            raise ToolError(
                f"{name} is not quite {before.codec}: an edit would change other bytes of it, too."
            )
        after = before._replace(text=replace_only(before.text, old, new, name))
        texts = _comparable(before, after)
        result = cut(unified_diff(*texts, name), SHOWN, "[the diff goes on]")
        return _Plan("it changes", preview(*texts, name), _encode(after, "new"), result)

    return _carry_out(call, path, plan)


def mkdir(call: Call, path: str) -> str:
    """Create a folder, and the missing folders above it."""
    roots = call.roots
    real = roots.resolve(path)
    is_readable = roots.check_read(real) is None
    if not (is_readable and os.path.isdir(real)):  # noqa: PTH112 - no error if it may not look there
        call.require(roots.check_write(real, "it makes the folder"))
    missing = [real, *real.parents]
    while missing and os.path.lexists(missing[-1]):
        missing.pop()
    if not missing and not is_folder(roots, real):
        raise ToolError(f"{roots.format_path(real)} exists and is not a folder.")
    for folder in reversed(missing):
        with open_place(roots, folder) as place, os_errors_as_tool_errors(roots, folder):
            os.mkdir(place.name, dir_fd=place.folder)
    return (
        f"Made {roots.format_path(real)}/."
        if missing
        else f"{roots.format_path(real)}/ exists already."
    )


def _carry_out(call: Call, path: str, plan: Callable[[str, _Old | None], _Plan]) -> str:
    """Plan a change, require approval for it, and make exactly this change.

    The reason of a failure may reveal the content of a file. So if reading needs approval, the
    reason is reported only after the call is approved.
    """
    roots = call.roots
    if path.endswith(("/", os.sep)):
        raise ToolError(f"{path} is the path of a folder; give that of a file.")
    real = roots.resolve(path)
    try:
        if not os.path.isdir(real.parent):  # noqa: PTH112
            parent = roots.format_path(real.parent)
            raise ToolError(f"There is no folder {parent}; make it with mkdir.")
        with open_place(roots, real) as place, os_errors_as_tool_errors(roots, real):
            old = _old(call, real, place)
            made = plan(roots.format_path(real), old)
            call.require(roots.check_write(real, made.effect, made.preview))
            _replace(place, old, made.data)
    except ToolError as refusal:
        if roots.check_read(real) is not None:
            words = f"[it would fail: {visible(str(refusal))}]"
            call.require(roots.check_write(real, "it writes", words))
        raise
    call.now_seen[str(real)] = hashlib.sha256(made.data).hexdigest()
    return made.result


def _old(call: Call, real: Path, place: Place) -> _Old | None:
    """Return the existing file, unless it changed since the conversation saw it; None for no file."""
    name = call.roots.format_path(real)
    try:
        descriptor = open_entry(call.roots, real, place)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        data = file.read(_FILE_LIMIT + 1)
    if len(data) > _FILE_LIMIT:
        raise ToolError(f"{name} has more than {_FILE_LIMIT} bytes; it is too long to change.")
    if not status.st_mode & 0o222:
        raise ToolError(f"{name} is write-protected.")
    seen = call.seen.get(str(real))
    if seen and seen != hashlib.sha256(data).hexdigest():
        raise ToolError(f"{name} has changed since you read it; read it again.")
    return _Old(data, status, decode(data))


def _replace(place: Place, old: _Old | None, data: bytes) -> None:
    """Replace the file in one step; mode and owner stay."""
    name, folder = place
    head = os.path.dirname(name)  # noqa: PTH120
    temporary = os.path.join(head, f".{os.urandom(8).hex()}.tmp")  # noqa: PTH118
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o600 if old else 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old and hasattr(os, "fchown"):
                with suppress(PermissionError):  # another user's file in our folder
                    os.fchown(descriptor, old.status.st_uid, old.status.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(old.status.st_mode))
            os.fsync(descriptor)
        _check_unchanged(place, old)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=folder)
        raise


def _check_unchanged(place: Place, old: _Old | None) -> None:
    try:
        now = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        now = None
    if _identity(now) != _identity(old.status if old else None):
        raise ToolError("The file changed meanwhile; read it again.")


def _identity(status: os.stat_result | None) -> tuple[int, ...]:
    if status is None:
        return ()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _spelled(before: TextFile, content: str) -> tuple[TextFile, list[str]]:
    """Return the content in the file's encoding and line ends, and notes if these change."""
    after = before.with_text(content)
    try:
        after.encode()
    except UnicodeEncodeError:
        if before.codec != "utf-8":
            after = TextFile(after.text)
    respelled = before.codec != after.codec or ("\n" in after.text and before.note != after.note)
    if not before.text or not respelled:
        return after, []
    return after, [f"{before.note or '[UTF-8, LF]'} -> {after.note or '[UTF-8, LF]'}\n"]


def _encode(file: TextFile, argument: str) -> bytes:
    try:
        return file.encode()
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise ToolError(
            f"`{argument}` has {character!r}, which {file.codec} cannot encode."
        ) from None


def _comparable(before: TextFile, after: TextFile) -> tuple[str, str]:
    """Return two texts to compare; CRLF and CR become LF if all lines of both end so."""
    if before.has_cr_only and after.has_cr_only:
        return before.lines, after.lines
    if all(file.text.count("\r\n") == file.text.count("\n") for file in (before, after)):
        return before.lines, after.lines
    return before.text, after.text
