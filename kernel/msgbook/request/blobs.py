"""Texts as they were sent, by their sha256, kept in the project's `.msgbook/blobs/`."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Set
from hashlib import sha256

from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.tools import BLOB_LIMIT, NotKeptError, Results
from msgbook.tools.files import read_file

_DIGEST = re.compile(r"[0-9a-f]{64}")
_MEMORY = 100_000_000
"""Characters of texts in memory. What is dropped is read from disk again."""


class Blobs:
    """Loads and keeps texts by digest. Texts of this session are available even if none can be written."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lengths: dict[str, int] = {}
        self._size = 0
        self._unwritten: set[str] = set()
        self.gone: set[str] = set()
        """Digests of texts that were requested and are gone. `look_again` forgets them."""

    def load(self, digest: str) -> str | None:
        """Return the text with a sha256 in hex; None if it is gone or the file has another text."""
        if digest in self._texts:
            self._texts.move_to_end(digest)
            return self._texts[digest]
        if digest in self.gone:
            return None
        text = self._read(digest) if _DIGEST.fullmatch(digest) else None
        if text is None:
            self.gone.add(digest)
        else:
            self._hold(digest, text)
        return text

    def look_again(self) -> None:
        """Look again for texts that were gone, at the beginning of a request."""
        self.gone.clear()

    def has(self, digest: str) -> bool:
        """Return whether `load` finds a text."""
        return self.load(digest) is not None

    def length(self, digest: str) -> int:
        """Return the number of characters of a text; 0 if it is gone."""
        if digest not in self._lengths:
            self.load(digest)
        return self._lengths.get(digest, 0)

    def add(self, texts: Mapping[str, str], session_only: Set[str] = frozenset()) -> None:
        """Keep texts in memory, by their digests.

        Args:
            session_only: Digests of texts that needed approval. They are never written, because
                reading a blob needs no approval.
        """
        self.gone -= texts.keys()
        for digest, text in texts.items():
            if digest not in session_only and self._read(digest) is None:
                self._unwritten.add(digest)
            self._hold(digest, text)

    def write(self, digests: Iterable[str]) -> list[str]:
        """Write added texts to disk. Takes time, so call it in a thread.

        Returns:
            Reasons why texts could not be written, each once.
        """
        problems = []
        for digest in self._unwritten.intersection(digests):
            text = self._texts.get(digest)
            if text is None:
                continue
            try:
                self._results.keep(text)
                self._unwritten.discard(digest)
            except NotKeptError as error:
                problems.append(str(error))
        return list(dict.fromkeys(problems))

    def _hold(self, digest: str, text: str) -> None:
        self._size += len(text) - len(self._texts.get(digest, ""))
        self._texts[digest] = text
        self._lengths[digest] = len(text)
        self._texts.move_to_end(digest)
        while self._size > _MEMORY and len(self._texts) > 1:
            _, dropped = self._texts.popitem(last=False)
            self._size -= len(dropped)

    def _read(self, digest: str) -> str | None:
        folder = self._results.blobs
        # A record may name thousands that are gone, and the checks below take a hundred times as long.
        if not os.path.lexists(folder / digest):
            return None
        try:
            data, _ = read_file(Roots(folder), folder / digest, BLOB_LIMIT)
        except (ToolError, OSError):
            return None
        return data.decode("utf-8", "replace") if sha256(data).hexdigest() == digest else None
