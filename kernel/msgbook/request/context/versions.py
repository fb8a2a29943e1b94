"""Texts that the elements of other prompts hold, and the numbers of their versions. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgbook.request.context.records import files_by_key, is_sent_in_full, valid_entries

_GONE_RULE = ("", "")
"""No rule has this digest, so all rules are sent again."""


@dataclass(frozen=True, slots=True)
class EarlierTexts:
    """Texts that earlier elements of the request hold."""

    rules: list[tuple[str, str]]
    """Name and digest of the rules that were sent last."""
    versions: dict[str, int]
    """The highest version of each file."""
    newest: dict[str, tuple[str, int]]
    """Digest and version of the last entry of each file."""
    shown: dict[str, tuple[str, int]]
    """Digest and version of the last text of each file that the model can read above."""

    @classmethod
    def from_contexts(
        cls, contexts: Iterable[Mapping[str, Any]], has_blob: Callable[[str], bool]
    ) -> EarlierTexts:
        rules: list[tuple[str, str]] = []
        versions: dict[str, int] = {}
        newest: dict[str, tuple[str, int]] = {}
        shown: dict[str, tuple[str, int]] = {}
        for context in contexts:
            if isinstance(context.get("rules"), list):
                rules = [(rule["name"], rule["sha256"]) for rule in valid_entries(context, "rules")]
            for key, file in files_by_key(context).items():
                digest, version = file["sha256"], file["version"]
                versions[key] = max(versions.get(key, 0), version)
                newest[key] = digest, version
                if is_sent_in_full(file):
                    shown[key] = digest, version
        rules = rules if all(has_blob(digest) for _, digest in rules) else [_GONE_RULE]
        shown = {key: text for key, text in shown.items() if has_blob(text[0])}
        return cls(rules, versions, newest, shown)


@dataclass(frozen=True, slots=True)
class Versions:
    """Numbers of versions in elements below the one that is built."""

    highest: dict[str, int]
    """By key of the file."""
    known: dict[tuple[str, str], int]
    """By key and digest."""

    @classmethod
    def from_contexts(cls, contexts: Iterable[Mapping[str, Any]]) -> Versions:
        versions = cls({}, {})
        for context in contexts:
            for key, file in files_by_key(context).items():
                versions.highest[key] = max(versions.highest.get(key, 0), file["version"])
                versions.known.setdefault((key, file["sha256"]), file["version"])
        return versions

    def number_of(self, key: str, digest: str, earlier: EarlierTexts) -> int:
        """Return the number of a text that is sent in full."""
        newest, version = earlier.newest.get(key, ("", 0))
        if newest == digest:
            return version
        if (key, digest) in self.known:
            return self.known[key, digest]
        return max(earlier.versions.get(key, 0), self.highest.get(key, 0)) + 1
