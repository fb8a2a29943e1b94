"""Rules about words that are nearly those that hide a text: they are read as something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache

from msgbook_format.extras.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.finding import Finding
from msgbook_format.syntax.dialect import MSG_MAGIC
from msgbook_format.syntax.text_cell import (
    HISTORY_VALUES,
    MSG_KEYS,
    is_excluded,
    is_restricted,
    parse_msg_line,
)

_CODE = "misspelled-mark"
_SHOWN = 40
_TYPES = frozenset(("raw", "code", "markdown"))
"""Types that say what a cell is."""
_NEAR_RAW = frozenset(("row", "rwa", "arw", "rw", "ra", "rae", "raaw", "raww", "rraw"))
_MAGIC = re.compile(r"\s*(%{1,3}\w{1,24})(?![^\s\w])([^\n]*)")


def check_misspelled_marks(checked: CheckedText) -> Iterator[Finding]:
    """Yield attributes and types that are nearly those that hide a text."""
    for located in checked.text_cells:
        words = list(_words_without_effect(located))
        if words:
            shown = ", ".join(f"`{word[:_SHOWN]}`" for word in words[:3])
            hides = "hides" if len(words) == 1 else "hide"
            message = f"{shown} {hides} nothing: expected `history=exclude`"
            yield Finding(located.footnote_line, _CODE, message)
        expected = _expected_type(located)
        if expected is not None:
            shown = (located.cell.type or "")[:_SHOWN]
            message = f"`[{shown}]` is a type of your own: expected `[{expected}]`"
            yield Finding(located.footnote_line, _CODE, message)


def check_msg_words(checked: CheckedText) -> Iterator[Finding]:
    """Yield attributes of `%%msg` lines that are unknown, and magics that are nearly `%%msg`."""
    for located in checked.text_cells:
        if located.role != "prompt" or "%" not in located.cell.body[:_SHOWN]:
            continue
        msg = parse_msg_line(located.cell.body)
        if msg is not None:
            for key in msg.attributes.keys() - MSG_KEYS:
                yield _unknown_key(located.body_line, key)
            continue
        magic = _MAGIC.match(located.cell.body)
        if magic is not None and _is_near_msg(magic[1], magic[2]):
            yield Finding(located.body_line, _CODE, _describe_magic(magic[1]))


def _words_without_effect(located: LocatedCell) -> Iterator[str]:
    attributes = located.cell.attributes
    is_hidden = any(key == "history" and value is not True for key, value in attributes)
    is_hidden = is_hidden and is_excluded(located.value("history"))
    for key, value in attributes:
        name = re.split(r"[=:\uff1a]", key, maxsplit=1)[0] if value is True else key
        is_mark = is_restricting_word(name) or name.strip("[]").casefold() == "raw"
        is_flag = value is True and (name == "history" or (is_mark and not is_hidden))
        if is_flag or is_near_history(name):
            yield key


def _expected_type(located: LocatedCell) -> str | None:
    type_ = located.cell.type
    if type_ is None or type_ in _TYPES:
        return None
    if type_.casefold() in _TYPES:
        return type_.casefold()
    is_head = located.role not in ("block", "output", "attachment")
    return "raw" if is_head and type_.casefold() in _NEAR_RAW else None


def _unknown_key(line: int, key: str) -> Finding:
    near = ["history"] if is_near_history(key) else get_close_matches(key[:_SHOWN], MSG_KEYS, n=1)
    suggestion = (
        f". Did you mean `{near[0]}`?" if near else f": expected {', '.join(sorted(MSG_KEYS))}"
    )
    message = f"`{MSG_MAGIC}` has no attribute `{key[:_SHOWN]}`, so it has no effect{suggestion}"
    return Finding(line, _CODE, message)


def _describe_magic(magic: str) -> str:
    effect = "its attributes have no effect, so it hides nothing"
    if magic.startswith("%%"):
        effect = (
            "the cell is sent as code, its attributes hide nothing, and running it is an error unless there "
            "is such a magic"
        )
    return f"`{magic}` is not `{MSG_MAGIC}`: {effect}. Write `{MSG_MAGIC}`"


def _is_near_msg(magic: str, rest: str) -> bool:
    if magic == MSG_MAGIC:
        return False
    is_near = bool(get_close_matches(magic.casefold(), (MSG_MAGIC,), cutoff=0.78))
    return is_near or (magic.startswith("%%") and says_history(rest))


# Words that are, or nearly are, a `history` attribute.


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
