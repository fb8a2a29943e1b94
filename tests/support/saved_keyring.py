"""A keyring in a file, for processes of tests: `PYTHON_KEYRING_BACKEND=saved_keyring.SavedKeyring`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class SavedKeyring(KeyringBackend):
    """Keeps its entries in the file of `SAVED_KEYRING`."""

    priority = 5  # type: ignore[assignment]  # a class property there

    @property
    def name(self) -> str:
        return "Test Keyring"

    def get_password(self, service: str, username: str) -> str | None:
        return self._entries().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._path.write_text(json.dumps({**self._entries(), f"{service}/{username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        entries = self._entries()
        del entries[f"{service}/{username}"]
        self._path.write_text(json.dumps(entries))

    @property
    def _path(self) -> Path:
        return Path(os.environ["SAVED_KEYRING"])

    def _entries(self) -> dict[str, str]:
        return json.loads(self._path.read_text()) if self._path.exists() else {}
