"""Keys in files of Jupyter's configuration directory that only their owner can read: one file for each key."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from jupyter_core.paths import jupyter_config_dir

from msgbook.errors import ConfigError
from msgbook_format.files import create_bytes, read_regular, replace_bytes

FOLDER = "msgbook-keys"

_OWNER_ONLY, _FOLDER_OWNER_ONLY = 0o600, 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST_BYTES = 16_384
_ENTRY = re.compile(r"[A-Za-z0-9_-]{1,80}")


def key_file(entry: str) -> Path:
    """Return the path of an entry's file.

    Raises:
        ConfigError: The name is not that of an entry, but a path.
    """
    if not _ENTRY.fullmatch(entry):
        raise ConfigError(
            f"{entry!r} is not the name of a key file: expected letters, digits, - and _."
        )
    return Path(jupyter_config_dir()) / FOLDER / entry


def read_key_file(entry: str) -> str | None:
    """Return the key of an entry; None if it has no file.

    Raises:
        ConfigError: The file cannot be read, or other users can read or replace it.
    """
    path = key_file(entry)
    try:
        _require_own(path.parent, stat.S_ISDIR, "a folder", "700")
        _require_own(path, stat.S_ISREG, "a regular file", "600")
        text = read_regular(path, _MOST_BYTES).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        # The text of a decoding error would quote the key.
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"The key file {path} cannot be read: {why}.") from None
    return text.strip() or None


def save_key_file(entry: str, key: str) -> None:
    """Save a key, in place of the one that the entry has.

    Raises:
        ConfigError: The file cannot be written, or other users could read it.
    """
    path = key_file(entry)
    try:
        path.parent.mkdir(mode=_FOLDER_OWNER_ONLY, parents=True, exist_ok=True)
        _require_own(path.parent, stat.S_ISDIR, "a folder", "700")
        data = f"{key}\n".encode()
        if path.is_symlink() or path.exists():
            _require_own(path, stat.S_ISREG, "a regular file", "600")
            replace_bytes(path, data, mode=_OWNER_ONLY)
        else:
            create_bytes(path, data, mode=_OWNER_ONLY)
    except OSError as error:
        raise ConfigError(f"The key file {path} cannot be written: {error.strerror}.") from None


def delete_key_file(entry: str) -> None:
    """Delete the file of an entry.

    Raises:
        ConfigError: The file cannot be deleted.
    """
    path = key_file(entry)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"The key file {path} cannot be deleted: {error.strerror}.") from None


def _require_own(path: Path, is_kind: Callable[[int], bool], kind: str, mode: str) -> None:
    """Raise `ConfigError` unless the path itself, not what it links to, belongs to the user alone."""
    found = path.lstat()
    if not is_kind(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else "something else"
        raise ConfigError(f"The key file is not used: {path} is {what}, expected {kind}.")
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise ConfigError(f"The key file is not used: {path} belongs to another user.")
    if found.st_mode & _OTHERS:
        raise ConfigError(
            f"The key file is not used: other users can open {path} (mode {stat.S_IMODE(found.st_mode):o}). "
            f"Run: chmod {mode} {path}. If others may have read the key, ask for a new one."
        )
