"""The merge driver of git: `python -P -m msgbook_format.merging BASE OURS THEIRS SIZE PATH`.

git runs it for a file that both sides changed, and takes what is then in OURS. Exit code: 0 for a
merge without conflicts, 3 for one with conflicts. With any other code, such as Python's own for a
missing package, OURS is as it was, and the command that `msgbook git-setup` gives to git has git
merge the lines.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from msgbook_format.extras.merging.conflicts import Labels
from msgbook_format.extras.merging.merge import MergeError, merge_texts
from msgbook_format.files import replace_bytes

_CONFLICTS = 3
_NOT_MERGED = 2
_SIDES = ("the common ancestor", "our version", "their version")


class _UnreadableError(Exception):
    """A version of the file is not a text."""


def main(argv: Sequence[str]) -> int:
    """Merge the files that git names, and write the result over the second one."""
    if len(argv) != len(("base", "ours", "theirs", "size", "path")) or not argv[3].isdigit():
        _say("expected BASE OURS THEIRS SIZE PATH, as `msgbook git-setup` has told git")
        return _NOT_MERGED
    files, size, name = [Path(file) for file in argv[:3]], int(argv[3]), argv[4]
    try:
        base, ours, theirs = map(_read, files, _SIDES)
        merged = merge_texts(base, ours, theirs, Labels(size=size))
        replace_bytes(files[1], merged.text.encode("utf-8"))
    except (_UnreadableError, MergeError, OSError) as error:
        return _refuse(name, str(error))
    except Exception as error:
        return _refuse(name, type(error).__name__)
    if merged.conflicts:
        count = "1 conflict" if merged.conflicts == 1 else f"{merged.conflicts} conflicts"
        _say(f"{name}: {count}; `msgbook check` lists the marks")
        return _CONFLICTS
    return 0


def _read(file: Path, side: str) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"its byte {error.start + 1} is 0x{error.object[error.start]:02x}"
        raise _UnreadableError(f"expected UTF-8, and {side} is not: {byte}") from None


def _refuse(name: str, reason: str) -> int:
    _say(f"{name}: {reason}. git merges its lines instead. Look at it before you commit.")
    return _NOT_MERGED


def _say(text: str) -> None:
    shown = "".join(char if char.isprintable() else "?" for char in text)
    encoding = sys.stderr.encoding or "utf-8"
    shown = shown.encode(encoding, "backslashreplace").decode(encoding)
    sys.stderr.write(f"msgbook: {shown}\n")
