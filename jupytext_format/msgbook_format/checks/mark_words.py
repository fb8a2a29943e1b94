"""Words that are, or nearly are, a `history` attribute."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache

from msgbook_format.syntax.history_values import HISTORY_VALUES, is_restricted

_KEY = "history"
_LONGEST = 24
"""Characters of a word that are compared."""
_LEAST = 4
"""Letters of `history` that are a short form of it."""
_OTHERS = frozenset(("hide", "hidden", "excluded", "no", "never", "off"))
"""Words that people write for `exclude`."""
_RESTRICTING = frozenset(filter(is_restricted, HISTORY_VALUES)) | _OTHERS
_SAID = re.compile(
    r"(?<!\w)(?P<key>\w{4,24})[\"']?\s*[=:\uff1a]\s*[\"'\u201c\u2018]?(?P<value>\w*)"
)
_LEFT_OUT = re.compile(r"\[[^\[\]]*\]|=\"[^\"]*\"")
_URL = re.compile(r"\W*[a-z]+://")
_TYPES = frozenset(("raw", "code", "markdown"))


@lru_cache(maxsize=256)
def is_near_history(word: str) -> bool:
    """Return whether a word is `history` in another spelling, such as `histroy` or `hist`."""
    near = word.casefold()[:_LONGEST]
    if near == _KEY:
        return word != _KEY
    is_short = len(near) >= _LEAST and _KEY.startswith(near)
    return _KEY in near or is_short or bool(get_close_matches(near, (_KEY,), cutoff=0.84))


def is_restricting_word(word: str) -> bool:
    """Return whether a word says that something is hidden, such as `exclude` or `hide`."""
    return word.casefold() in _RESTRICTING


def says_history(text: str) -> bool:
    """Return whether a text has a `history`, in any spelling, with a value that is nearly a known one."""
    return any(
        (said["key"] == _KEY or is_near_history(said["key"])) and _is_near_value(said["value"])
        for said in _SAID.finditer(text)
    )


def has_only_attributes(text: str) -> bool:
    """Return whether a line is a footnote's words. One word of another kind may be a type or flag."""
    words = _LEFT_OUT.sub("=", text).split()
    others = [word for word in words if not _is_attribute_like(word)]
    return len(others) <= 1 and not any(map(_URL.match, words))


def _is_attribute_like(word: str) -> bool:
    bare = word.strip("\"'\u201c\u201d\u2018\u2019.,;{}()<>*_\\").casefold()
    is_known = bare in _TYPES or bare in HISTORY_VALUES or bare == _KEY
    return is_known or "=" in word or not any(map(str.isalnum, word)) or word.endswith(":")


@lru_cache(maxsize=256)
def _is_near_value(value: str) -> bool:
    near = value.casefold()[:_LONGEST]
    known = HISTORY_VALUES | _OTHERS
    return not near or near in known or bool(get_close_matches(near, known, n=1, cutoff=0.75))
