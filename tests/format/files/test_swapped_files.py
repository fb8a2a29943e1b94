"""Somebody else who may write into a folder puts a link in the place of the file that is being written."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from msgbook_format.files import replace_bytes

SWAPS = 5


class Swapper:
    """Puts a link in the place of each temporary file of a folder, as soon as there is one."""

    def __init__(self, folder: Path, leads_to: Path) -> None:
        self.swaps = 0
        self._folder, self._leads_to = folder, leads_to
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Swapper:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.is_set():
            for path in self._folder.glob(".msgbook-*.tmp"):
                if not path.is_symlink():
                    link = self._folder / "link"
                    link.symlink_to(self._leads_to)
                    link.replace(path)
                    self.swaps += 1


@pytest.mark.skipif(os.chmod not in os.supports_fd, reason="modes are set by names")
def test_a_link_in_the_place_of_a_new_file_changes_nothing_where_it_leads(tmp_path: Path) -> None:
    private, folder = tmp_path / "private", tmp_path / "shared"
    private.write_text("mine")
    private.chmod(0o600)
    folder.mkdir()
    chat = folder / "chat.msg.md"

    with Swapper(folder, private) as swapper:
        while swapper.swaps < SWAPS:
            chat.unlink(missing_ok=True)
            chat.write_text("x")
            chat.chmod(0o666)
            replace_bytes(chat, b"y" * 2_000_000)

    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert private.read_text() == "mine"
