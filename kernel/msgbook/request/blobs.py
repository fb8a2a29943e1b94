"""Texts as they were when they were sent, under their sha256: `.msgbook/blobs/` of the project."""

from __future__ import annotations

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
"""Characters that are held in memory."""


class Blobs:
    """Gives texts by their digests; those of this session also where none can be written."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lengths: dict[str, int] = {}
        self._size = 0
        self._unwritten: set[str] = set()
        self.gone: set[str] = set()
        """Digests whose texts were asked for in vain."""

    def load(self, digest: str) -> str | None:
        """The text with a sha256 in hex; None when it is gone, or is another by now."""
        if digest in self._texts:
            self._texts.move_to_end(digest)
            return self._texts[digest]
        text = self._read(digest) if _DIGEST.fullmatch(digest) else None
        if text is None:
            self.gone.add(digest)
        else:
            self._hold(digest, text)
        return text

    def has(self, digest: str) -> bool:
        """Whether `load` gives a text."""
        return self.load(digest) is not None

    def length(self, digest: str) -> int:
        """Characters of the text with a digest; 0 when it is gone."""
        if digest not in self._lengths:
            self.load(digest)
        return self._lengths.get(digest, 0)

    def add(self, texts: Mapping[str, str], allowed: Set[str] = frozenset()) -> None:
        """Hold texts by their digests, in memory alone.

        Args:
            allowed: Digests of what was not free: as blobs, which are, they are never written.
        """
        self.gone -= texts.keys()
        for digest, text in texts.items():
            if digest not in allowed and self._read(digest) is None:
                self._unwritten.add(digest)
            self._hold(digest, text)

    def write(self, digests: Iterable[str]) -> list[str]:
        """Write what was added under these digests; takes time, so call it in a thread.

        Returns:
            Why texts could not be kept, each reason once.
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
        try:
            data, _ = read_file(Roots(folder), folder / digest, BLOB_LIMIT)
        except (ToolError, OSError):
            return None
        return data.decode("utf-8", "replace") if sha256(data).hexdigest() == digest else None
