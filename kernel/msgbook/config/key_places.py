"""Where a key can be saved beside environment variables: one row for each place."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from jupyter_core.paths import jupyter_config_dir

from msgbook.config import key_store
from msgbook.config.settings import SavedKey
from msgbook.errors import ConfigError
from msgbook_format.files import create_bytes, read_regular, replace_bytes
from msgbook_format.typed import as_text

# Keys in files of Jupyter's configuration directory that only their owner can read: one file for each key.


FOLDER = "msgbook-keys"

_OWNER_ONLY, _FOLDER_OWNER_ONLY = 0o600, 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST_BYTES = 16_384
"""Bytes of a file that holds a key. Keys are at most a few kilobytes; a larger file is the wrong one."""
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


class KeyPlace(NamedTuple):
    """A place for keys.

    Attributes:
        name: Its name in the form that connects a model.
        setting: The key of `[providers.NAME]` that names an entry; of a place without entries it is `true`.
        words: Describes an entry.
        read: Returns the key of an entry; None if there is none. Raises `ConfigError`.
        save: Saves the key of an entry. Raises `ConfigError`.
        delete: Deletes an entry. Raises `ConfigError`.
        has_entries: False for the place that keeps one key for each server.
    """

    name: str
    setting: str
    words: str
    read: Callable[[str], str | None]
    save: Callable[[str, str], None]
    delete: Callable[[str], None]
    has_entries: bool = True

    def value(self, entry: str) -> str | bool:
        """Return the value of the setting."""
        return entry if self.has_entries else True

    def find(self, table: dict[str, Any]) -> SavedKey | None:
        """Return what a provider's table says about this place; None if nothing that can be used."""
        value = table.get(self.setting)
        if self.has_entries:
            entry = as_text(value).strip()
            return SavedKey(self.name, entry, self.words.format(entry)) if entry else None
        return SavedKey(self.name, "", self.words) if value is True else None


def _nothing(*_args: str) -> None:
    """Do nothing: the Jupyter server keeps the keys of its session, and hands them to kernels."""


SESSION = "session"

KEY_PLACES = {
    place.name: place
    for place in (
        KeyPlace(
            "keyring",
            "api_key_keyring",
            "entry {} of the keyring",
            key_store.read_key,
            key_store.save_key,
            key_store.delete_key,
        ),
        KeyPlace(
            "file",
            "api_key_file",
            f"{FOLDER}/{{}} of Jupyter's configuration directory",
            read_key_file,
            save_key_file,
            delete_key_file,
        ),
        KeyPlace(
            SESSION,
            "api_key_session",
            "the key that was entered for this session of JupyterLab",
            _nothing,
            _nothing,
            _nothing,
            has_entries=False,
        ),
    )
}
"""By name, in the order in which they are asked."""


def find_saved_key(table: dict[str, Any]) -> SavedKey | None:
    """Return where the key of a provider's table is saved; None for nowhere."""
    found = (place.find(table) for place in KEY_PLACES.values())
    return next(filter(None, found), None)
