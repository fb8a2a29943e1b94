"""Keys in the keyring of the operating system. Only this module imports `keyring`, which is optional.

Nothing imports it unless the settings name an entry, or a person is about to make one.
"""

from __future__ import annotations

import importlib
from typing import Any

from msgbook.errors import ConfigError
from msgbook.installed import without_working_directory
from msgbook_format.typed import as_text

SERVICE = "msgbook"
"""Under which all entries are saved."""

_SAFE = 1
"""Priority from which on a backend is recommended; those below keep keys in a plain file, or nowhere."""

_INSTALL = "Install it with: pip install 'msgbook[keyring]'"


def find_key_store() -> str | None:
    """Return the name of the keyring that works here; None if there is none."""
    try:
        backend = _backend()
    except ConfigError:
        return None
    return str(getattr(backend, "name", "")) or type(backend).__name__


def read_key(entry: str) -> str | None:
    """Return the key of an entry; None if there is no such entry.

    Raises:
        ConfigError: There is no keyring that works, or it stays locked.
    """
    found = _ask("read", lambda backend: backend.get_password(SERVICE, entry))
    return as_text(found).strip() or None


def save_key(entry: str, key: str) -> None:
    """Save a key, in place of the one that the entry has.

    Raises:
        ConfigError: There is no keyring that works, or it stays locked.
    """
    _ask("write", lambda backend: backend.set_password(SERVICE, entry, key))


def delete_key(entry: str) -> None:
    """Delete an entry.

    Raises:
        ConfigError: There is no keyring that works, or it stays locked.
    """
    _ask("change", lambda backend: backend.delete_password(SERVICE, entry))


def _ask(what: str, ask: Any) -> Any:
    backend = _backend()
    try:
        return ask(backend)
    except (
        Exception
    ) as error:  # backends raise what their libraries raise, perhaps with the key in it
        raise ConfigError(
            f"The keyring could not be {_DONE[what]} ({type(error).__name__}). Is it locked?"
        ) from None


_DONE = {"read": "read", "write": "written", "change": "changed"}


def _backend() -> Any:
    """Return the keyring; raise `ConfigError` if it is not installed or not safe."""
    try:
        with without_working_directory():
            keyring: Any = importlib.import_module("keyring")
    except ImportError:
        raise ConfigError(f"The package keyring is not installed. {_INSTALL}") from None
    try:
        # It looks for entry points of packages, and imports what they name.
        with without_working_directory():
            backend = keyring.get_keyring()
            priority = float(backend.priority)
    except Exception as error:  # a broken backend
        raise ConfigError(f"The keyring cannot be used ({type(error).__name__}).") from None
    if priority < _SAFE:
        raise ConfigError("This system has no keyring that keeps keys safe.")
    return backend
