"""Where a key can be saved beside environment variables: one row for each place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from msgbook.config import key_file, key_store
from msgbook.config.settings import SavedKey


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
            entry = value.strip() if isinstance(value, str) else ""
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
            f"{key_file.FOLDER}/{{}} of Jupyter's configuration directory",
            key_file.read_key_file,
            key_file.save_key_file,
            key_file.delete_key_file,
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
