"""`msgbook git-setup`: tells git how to diff and merge message files."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgbook.cli.folders import require_folder, require_target
from msgbook.cli.terminal import CommandError, complain, line_of, say
from msgbook.text import one_line
from msgbook_format.files import SUFFIX, read_regular, replace_bytes

if TYPE_CHECKING:
    from msgbook.server_checks.answer import Finding

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


def check_git() -> Finding | None:
    """Check that the Python that merges for git, if git was set up, is this one."""
    from msgbook.server_checks.answer import Finding  # the verb itself needs none of it

    try:
        driver = setting_in_force(DRIVER)
    except GitSilentError as error:
        return Finding(
            "git", "note", one_line(str(error)), "Go to another folder, or mend these settings"
        )
    if driver is None:
        return None
    if driver == driver_settings(sys.executable)[DRIVER]:
        return Finding("git", "pass", "merges message files by cell")
    words = (
        "it merges message files with another Python, or as another version of msgbook set it up"
    )
    return Finding("git", "note", words, "If that is not what you want: msgbook git-setup")


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


# Settings and attributes of git, of one repository or of a user.


_NOT_SET = (1, 5)
"""Exit codes of `git config` for a setting that does not exist."""

_OVERRIDDEN = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "",
    "core.editor": "false",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "",
    "credential.helper": "",
    "diff.external": "",
    "gpg.program": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "safe.bareRepository": "explicit",
}
"""Settings with which a repository could run a program, or have something fetched."""
_NOTHING_RUNS = (
    "--no-pager",
    *(word for key, value in _OVERRIDDEN.items() for word in ("-c", f"{key}={value}")),
)
_KEPT = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LC_.*|TMPDIR|TEMP|TMP|XDG_CONFIG_HOME|USERPROFILE|APPDATA|LOCALAPPDATA|"
    r"HOMEDRIVE|HOMEPATH|PROGRAMDATA|SYSTEMROOT|PATHEXT|"
    r"GIT_(?:DIR|WORK_TREE|COMMON_DIR|CEILING_DIRECTORIES|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))",
    re.IGNORECASE,
)
"""Variables that git is given: those with which it finds the user's own settings, and no key."""

_PATIENCE = 10
"""Seconds for one command. A repository can name pipes and devices among its settings, which git waits for."""


class GitSilentError(CommandError):
    """git did not end."""


@dataclass(frozen=True, slots=True)
class GitSettings:
    """The settings of one repository, or those of the user for all repositories."""

    scope: str
    """`--local` or `--global`."""
    name: str
    """Where they are, for a reader."""
    attributes: Path
    """The attributes file that nobody else sees."""

    @classmethod
    def for_repository(cls) -> GitSettings:
        """Return those of the repository of the working folder."""
        found = _git("rev-parse", "--git-path", "info/attributes")
        if found.returncode != 0:
            raise CommandError(
                "expected a git repository, but this folder is not in one. Go to one, or set git up "
                f"for all of yours with --global. git says: {found.stderr.strip()}"
            )
        config = _require("rev-parse", "--git-path", "config").rstrip("\n")
        attributes = Path(found.stdout.rstrip("\n"))
        # Whoever made the repository may have put links there, which git would follow.
        for folder in (Path(config).parent, attributes.parent):
            require_folder(folder)
        for file in (Path(config), attributes):
            require_target(file)
        if "GIT_DIR" not in os.environ:
            _require_own_repository()
        return cls("--local", config, attributes)

    @classmethod
    def for_user(cls) -> GitSettings:
        """Return those of the user."""
        found = _git("config", "--global", "--type=path", "--get", "core.attributesFile")
        if found.returncode == 0:
            return cls("--global", "git config --global", Path(found.stdout.rstrip("\n")))
        folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
        return cls(
            "--global", "git config --global", Path(folder).expanduser() / "git" / "attributes"
        )

    def get(self, key: str) -> str | None:
        """Return a setting; None without it."""
        found = _git("config", self.scope, "--null", "--get", key)
        if found.returncode in _NOT_SET:
            return None
        if found.returncode != 0:
            raise CommandError(f"git cannot read its setting {key}: {found.stderr.strip()}")
        return found.stdout.removesuffix("\0")

    def set(self, key: str, value: str) -> None:
        """Write a setting, once."""
        _require("config", self.scope, "--replace-all", key, value)

    def unset(self, key: str) -> None:
        """Remove a setting."""
        _require("config", self.scope, "--unset-all", key)

    def read_attributes(self) -> list[str]:
        """Return the lines of the attributes file; none if there is no such file."""
        try:
            # git reads bytes, so that any name is possible.
            text = read_regular(self.attributes).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return []
        return text.removesuffix("\n").split("\n") if text else []

    def write_attributes(self, lines: Sequence[str]) -> None:
        """Replace the attributes file; without lines it is deleted, unless it is a link of the user's own."""
        if not lines and not self.attributes.is_symlink():
            self.attributes.unlink(missing_ok=True)
            return
        self.attributes.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines)
        data = text.encode("utf-8", "surrogateescape")
        replace_bytes(self.attributes, data, follow=self.scope == "--global")

    def attributes_of(self, file: Path) -> dict[str, str]:
        """Return the `diff` and `merge` attributes of a file; empty outside of a repository."""
        try:
            found = _git("check-attr", "-z", "diff", "merge", "--", str(file))
        except GitSilentError:
            return {}
        words = found.stdout.split("\0") if found.returncode == 0 else []
        return dict(zip(words[1::3], words[2::3], strict=False))


def _require_own_repository() -> None:
    """Raise `CommandError` if the files of the working folder name the repository of another one.

    Whoever made the folder may have written a `.git` file, or a `commondir`. A worktree and a submodule have
    them, too, and there the repository names the folder in return.
    """
    here = Path.cwd()
    folder = next((f for f in (here, *here.parents) if os.path.lexists(f / ".git")), None)
    if folder is None:
        return
    used = Path(_require("rev-parse", "--absolute-git-dir").rstrip("\n"))
    common = Path(here, _require("rev-parse", "--git-common-dir").rstrip("\n")).resolve()
    if common == used.resolve():
        named = _git("config", "--local", "--type=path", "--get", "core.worktree").stdout
        is_own = common.is_relative_to(folder.resolve()) or _is_same(
            used / named.rstrip("\n"), folder
        )
    else:
        is_worktree = used.resolve().parent == common / "worktrees"
        is_own = is_worktree and _is_same(_first_line(used / "gitdir"), folder / ".git")
    if not is_own:
        raise CommandError(
            f"{line_of(str(folder))} says that it belongs to another repository, {line_of(str(common))}, which does "
            "not know it. Nothing was written. Go to that one, or set git up for all of yours with --global."
        )


def _first_line(file: Path) -> Path:
    try:
        return file.parent / read_regular(file).decode("utf-8", "surrogateescape").split("\n")[0]
    except (OSError, ValueError):
        return file


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def setting_in_force(key: str) -> str | None:
    """Return a setting of git as it counts in the working folder; None without it or without git.

    Raises:
        GitSilentError: git did not end.
    """
    try:
        found = _git("config", "--null", "--get", key)
    except GitSilentError:
        raise
    except CommandError:
        return None
    return found.stdout.removesuffix("\0") if found.returncode == 0 else None


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git: the only place that does, so that nothing of a repository runs or waits.

    Raises:
        GitSilentError: It did not end.
        CommandError: There is no git.
    """
    try:
        return subprocess.run(  # noqa: S603
            [_program(), *_NOTHING_RUNS, *arguments],
            env=_environment(),
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that it finds no terminal to ask at
            timeout=_PATIENCE,
            encoding="utf-8",
            errors="surrogateescape",
        )
    except subprocess.TimeoutExpired:
        raise GitSilentError(
            f"git {' '.join(arguments[:2])} did not end within {_PATIENCE} seconds. Check the files that the "
            "settings of this repository name, in .git/config under include.path and core.attributesFile: "
            "one may be a pipe or a device"
        ) from None
    except FileNotFoundError:
        raise CommandError("git was not found on PATH") from None


def _program() -> str:
    """Return the path of git, which is never taken from the working folder."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
    found = shutil.which("git", path=absolute)
    if found is None:
        raise FileNotFoundError("git")
    return found


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}


def _require(*arguments: str) -> str:
    found = _git(*arguments)
    if found.returncode != 0:
        raise CommandError(f"git {' '.join(arguments[:3])} failed: {found.stderr.strip()}")
    return found.stdout
