"""`msgbook git-setup`: tells git how to diff and merge message files."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from msgbook.cli.git_settings import GitSettings
from msgbook.cli.terminal import complain, line_of, say
from msgbook_format.files import SUFFIX

ATTRIBUTES = f"*{SUFFIX} diff=msgbook merge=msgbook"
DRIVER = "merge.msgbook.driver"
"""Setting of git with the command that merges."""
_COMMENT = "# written by msgbook git-setup"
_HUNK_HEADER = r"^(#{1,5} %%([[:blank:]].*|\[\^.*)?)$"
"""The marker of a cell, not of an output cell: the line that git shows after `@@`."""
_LINES = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
"""git's own merge. Without it a driver that cannot run, because its Python has moved, would leave our
version without a mark, as if it were the merge."""
_WORD = "[^[:space:][:punct:]]+|[[:punct:]]"
"""Letters and digits, or one other character. It cuts no character of UTF-8 in any locale."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    settings = GitSettings.for_user() if arguments.everywhere else GitSettings.for_repository()
    return remove(settings) if arguments.remove else install(settings, sys.executable)


def driver_settings(python: str) -> dict[str, str]:
    """Return the settings of git for both drivers; `python` is the interpreter that merges."""
    # git replaces what follows a percent sign.
    command = f"{shlex.quote(python).replace('%', '%%')} -P -m msgbook_format.merging"
    return {
        "diff.msgbook.xfuncname": _HUNK_HEADER,
        "diff.msgbook.wordRegex": _WORD,
        "merge.msgbook.name": "msgbook: cells of a conversation",
        DRIVER: f"{command} %O %A %B %L %P || {{ test $? = 3 || {_LINES}; false; }}",
    }


def install(settings: GitSettings, python: str) -> int:
    """Write the settings and the attributes, and print what was written.

    Returns:
        0.

    Raises:
        MsgbookError: git does not accept the settings, or a file cannot be written.
    """
    wanted = driver_settings(python)
    changed = [key for key, value in wanted.items() if settings.get(key) != value]
    lines = settings.read_attributes()
    has_line = ATTRIBUTES in lines
    for key in changed:
        settings.set(key, wanted[key])
    if not has_line:
        # The last line that matches counts: those of the user, which follow, stay in force.
        settings.write_attributes([_COMMENT, ATTRIBUTES, *lines])
    if not changed and has_line:
        say("git already diffs and merges message files with msgbook. Nothing was changed.")
    if not has_line:
        say(f"{line_of(str(settings.attributes))}: added `{ATTRIBUTES}`")
    for key in changed:
        say(f"{settings.name}: {key} = {line_of(wanted[key])}")
    _warn_of_others(settings)
    return 0


def remove(settings: GitSettings) -> int:
    """Take back what `install` wrote, and print it; everything else stays.

    Returns:
        0.

    Raises:
        MsgbookError: A file cannot be written.
    """
    lines = settings.read_attributes()
    left = [line for line in lines if line not in (ATTRIBUTES, _COMMENT)]
    found = [key for key in driver_settings("") if settings.get(key) is not None]
    if left != lines:
        settings.write_attributes(left)
        say(f"{line_of(str(settings.attributes))}: removed `{ATTRIBUTES}`")
    for key in found:
        settings.unset(key)
        say(f"{settings.name}: removed {key}")
    if left == lines and not found:
        say("There was nothing to remove.")
    return 0


def _warn_of_others(settings: GitSettings) -> None:
    others = [
        f"{name}={value}"
        for name, value in settings.attributes_of(Path(f"chat{SUFFIX}")).items()
        if value != "msgbook"
    ]
    if others:
        complain(
            "git-setup",
            f"other lines of your attributes files say {' '.join(others)} for *{SUFFIX}. They stay in force: "
            "remove them if msgbook is to do it.",
        )
