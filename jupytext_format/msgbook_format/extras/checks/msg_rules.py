"""Rules about `%%msg` lines: words that have no effect, and magics that are nearly `%%msg`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from msgbook_format.extras.checks.checked_text import CheckedText
from msgbook_format.finding import Finding
from msgbook_format.syntax.cell_rule import MSG_MAGIC
from msgbook_format.syntax.text_cell import MSG_KEYS, parse_msg_line
from msgbook_format.syntax.unread_footnotes import is_near_history, says_history

_CODE = "misspelled-mark"
_SHOWN = 40
_MAGIC = re.compile(r"\s*(%{1,3}\w{1,24})(?![^\s\w])([^\n]*)")


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
