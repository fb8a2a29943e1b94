"""Texts that the elements of other prompts hold, and the numbers of their versions. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook.request.records import files_by_key, is_sent_in_full, valid_entries


@dataclass(slots=True)
class EarlierTexts:
    """Texts that earlier elements of the request hold. Grows with each element."""

    rules: list[tuple[str, str]] = field(default_factory=list)
    """Name and digest of the rules that were sent last."""
    shown: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Digest and version of the last text of each file that is sent in full above."""
    _newest: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Digest and version of the last entry of each file."""
    _highest: dict[str, int] = field(default_factory=dict)
    """The highest version of each file, later elements included."""
    _later: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """Versions in later elements by key and digest, the first element last."""

    @classmethod
    def from_contexts(cls, contexts: Iterable[Mapping[str, Any]]) -> EarlierTexts:
        """Return the texts of some contexts, which are in order and as saved."""
        texts = cls()
        for context in contexts:
            texts.add(context)
        return texts

    @classmethod
    def above(cls, contexts: Sequence[Mapping[str, Any]]) -> EarlierTexts:
        """Return no texts yet. No version will get a number that these later contexts use for another text."""
        texts = cls()
        for context in reversed(contexts):
            for key, file in files_by_key(context).items():
                texts._later.setdefault((key, file["sha256"]), []).append(file["version"])
                texts._count(key, file["version"])
        return texts

    def add(self, context: Mapping[str, Any]) -> None:
        """Add the texts of the next element."""
        if isinstance(context.get("rules"), list):
            self.rules = [
                (rule["name"], rule["sha256"]) for rule in valid_entries(context, "rules")
            ]
        for key, file in files_by_key(context).items():
            digest, version = file["sha256"], file["version"]
            self._count(key, version)
            self._newest[key] = digest, version
            if is_sent_in_full(file):
                self.shown[key] = digest, version

    def add_later(self, context: Mapping[str, Any]) -> None:
        """Add the texts of the next element, which is the first of the later ones."""
        for key, file in files_by_key(context).items():
            self._later[key, file["sha256"]].pop()
        self.add(context)

    def number_of(self, key: str, digest: str) -> int:
        """Return the number of a text that is sent in full."""
        newest, version = self._newest.get(key, ("", 0))
        if newest == digest:
            return version
        later = self._later.get((key, digest))
        return later[-1] if later else self._highest.get(key, 0) + 1

    def _count(self, key: str, version: int) -> None:
        self._highest[key] = max(self._highest.get(key, 0), version)
