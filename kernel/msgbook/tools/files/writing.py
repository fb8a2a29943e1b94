"""The tools `write`, `edit` and `mkdir`. Each call needs approval, shown as a diff, and files are replaced in one step."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgbook.errors import ToolError
from msgbook.text import counted, visible
from msgbook.tools.files.opening import (
    Place,
    is_folder,
    open_entry,
    open_place,
    os_errors_as_tool_errors,
)
from msgbook.tools.files.reading import SHOWN, Call
from msgbook.tools.files.text import TextFile, cut, decode

FILE_LIMIT = 10_000_000
"""Most bytes of a file to change: its text is in memory several times."""


class Old(NamedTuple):
    """A file before it is changed."""

    data: bytes
    status: os.stat_result
    file: TextFile | None
    """None if it is binary."""


class Plan(NamedTuple):
    """Planned change of a call."""

    effect: str
    preview: str
    data: bytes
    result: str


def write(call: Call, path: str, content: str) -> str:
    """Create a file, or replace its content."""

    def plan(name: str, old: Old | None) -> Plan:
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
        return Plan("it replaces the text of" if old else "it makes", shown, data, result)

    return carry_out(call, path, plan)


def edit(call: Call, path: str, old: str, new: str) -> str:
    """Replace a text that occurs in a file once."""

    def plan(name: str, found: Old | None) -> Plan:
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
        return Plan("it changes", preview(*texts, name), _encode(after, "new"), result)

    return carry_out(call, path, plan)


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


def carry_out(call: Call, path: str, plan: Callable[[str, Old | None], Plan]) -> str:
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


def _old(call: Call, real: Path, place: Place) -> Old | None:
    """Return the existing file, unless it changed since the conversation saw it; None for no file."""
    name = call.roots.format_path(real)
    try:
        descriptor = open_entry(call.roots, real, place)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        data = file.read(FILE_LIMIT + 1)
    if len(data) > FILE_LIMIT:
        raise ToolError(f"{name} has more than {FILE_LIMIT} bytes; it is too long to change.")
    if not status.st_mode & 0o222:
        raise ToolError(f"{name} is write-protected.")
    seen = call.seen.get(str(real))
    if seen and seen != hashlib.sha256(data).hexdigest():
        raise ToolError(f"{name} has changed since you read it; read it again.")
    return Old(data, status, decode(data))


def _replace(place: Place, old: Old | None, data: bytes) -> None:
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


def _check_unchanged(place: Place, old: Old | None) -> None:
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


# Unified diffs, in time that grows slowly with the size of the files.


_CONTEXT = 3
"""Unchanged lines around a change in a diff, as git shows."""
_SEARCHED = 2000
"""Changed lines on one side above which all are shown as replaced: finding a shorter diff takes quadratic
time."""
_SHOWN = 500_000
"""Characters of a diff that are shown. Jupyter's server drops messages of several megabytes, so that the
question would be lost."""

_Opcode = tuple[str, int, int, int, int]


def unified_diff(old: str, new: str, name: str) -> str:
    """Return the changes from one text to the other; empty for none.

    Different line ends count (`\\r` is shown), and so does a missing line end of the last line.
    """
    before, after = _lines(old), _lines(new)
    hunks = [_hunk(group, before, after) for group in _groups(before, after)]
    if not hunks:
        return ""
    shown = visible(name)
    return "".join([f"--- {shown}\n", f"+++ {shown}\n", *hunks])


def preview(old: str, new: str, name: str) -> str:
    """Return the diff as a person sees it.

    A very long diff is cut and begins with a line that says so. The line has the digest of the complete
    diff, so that an approval of one diff does not cover another.
    """
    text = visible(unified_diff(old, new, name).replace("\r", "\\r"), keep="\t\n")
    if len(text) <= _SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    head = f"[Only {_SHOWN} of the {len(text)} characters of this diff are shown; its sha256: {digest}]"
    return f"{head}\n{text[:_SHOWN]}\n[... {len(text) - _SHOWN} more characters]"


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    complete = [line + "\n" for line in lines]
    return [*complete, f"{last}\n\\ No newline at end of file\n"] if last else complete


def _groups(before: list[str], after: list[str]) -> list[list[_Opcode]]:
    """Return difflib's opcodes in hunks; only the part that differs is searched."""
    if before == after:
        return []
    head = _common(before, after)
    tail = min(_common(before[::-1], after[::-1]), len(before) - head, len(after) - head)
    first = max(head - _CONTEXT, 0)
    kept = head - first
    trailing = min(tail, _CONTEXT)
    a = before[first : len(before) - tail + trailing]
    b = after[first : len(after) - tail + trailing]
    if max(len(a), len(b)) > _SEARCHED:
        end_a, end_b = len(a) - trailing, len(b) - trailing
        groups: list[list[_Opcode]] = [
            [
                ("equal", 0, kept, 0, kept),
                ("replace", kept, end_a, kept, end_b),
                ("equal", end_a, len(a), end_b, len(b)),
            ]
        ]
    else:
        import difflib  # most calls make no diff

        matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
        groups = [list(group) for group in matcher.get_grouped_opcodes(_CONTEXT)]
    return [
        [(tag, i + first, j + first, k + first, m + first) for tag, i, j, k, m in group]
        for group in groups
    ]


def _common(a: list[str], b: list[str]) -> int:
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _hunk(group: list[_Opcode], before: list[str], after: list[str]) -> str:
    first, last = group[0], group[-1]
    lines = [f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"]
    for tag, i, j, k, m in group:
        if tag == "equal":
            lines += [" " + line for line in before[i:j]]
            continue
        lines += ["-" + line for line in before[i:j]]
        lines += ["+" + line for line in after[k:m]]
    return "".join(lines)


def _span(start: int, stop: int) -> str:
    """Return a range in the notation of unified diffs: from 1, without the length if it is 1."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


# Literal replacement in a text, whatever its line ends.


_LINE_END = re.compile("\r?\n")


def replace_only(text: str, old: str, new: str, name: str) -> str:
    """Return the text with `new` in place of the only occurrence of `old`.

    LF, CRLF and, where all lines end so, CR count as equal in the search; the new text gets the line ends of its place.

    Raises:
        ToolError: `old` is empty, or occurs not at all or several times.
    """
    if "\r" in text and "\n" not in text:
        text, old, new = map(_with_lf, (text, old, new))
        return replace_only(text, old, new, name).replace("\n", "\r")
    old, new = _LINE_END.sub("\n", old), _LINE_END.sub("\n", new)
    if not old:
        raise ToolError("`old` is empty; give text that occurs in the file, or use write.")
    if old == new:
        raise ToolError("`old` and `new` are the same; there is nothing to change.")
    plain = _LINE_END.sub("\n", text)
    at = _only(plain, old, name)
    ends = [match.end() - match.start() for match in _LINE_END.finditer(text)]
    above, inside = plain.count("\n", 0, at), old.count("\n")
    begin = at + sum(ends[:above]) - above
    touched = ends[above : above + inside]
    stop = begin + len(old) + sum(touched) - inside
    # The line end within, else the one after, else the one before.
    near = [*touched, *ends[above : above + 1], *ends[above - 1 : above]]
    if near and near[0] == len("\r\n"):
        new = new.replace("\n", "\r\n")
    return text[:begin] + new + text[stop:]


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _only(text: str, old: str, name: str) -> int:
    """Return the position of the only occurrence of `old`; occurrences may overlap."""
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and len(found) <= 100:
        found.append(at)
        at = text.find(old, at + 1)
    if not found:
        raise ToolError(f"`old` was not found in {name}; every character has to match.")
    if len(found) > 1:
        lines = [str(text.count("\n", 0, place) + 1) for place in found[:5]]
        count = "more than 100" if len(found) > 100 else str(len(found))
        raise ToolError(
            f"`old` occurs {count} times in {name} (lines {', '.join(lines)}"
            f"{', ...' if len(found) > 5 else ''}); give more of the text around it."
        )
    return found[0]
