"""The source of a code cell as a fence with its language, and the prose around it."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax import fence
from msgbook_format.syntax.dialect import PYTHON_LINE, Dialect
from msgbook_format.syntax.fence import Fenced, fits_before, fits_info, format_fence, parse_fence
from msgbook_format.syntax.lines import trim

_COMMAND = re.compile(r"\s*(?:!|%(?!%|continue\s*\Z)[A-Za-z_]|%%(?!msg(?:\s|$))[A-Za-z_])")
PYTHON_INFO = frozenset(("python", "py", ""))
"""First words of the info strings of Python's fences."""
_MAGIC = re.compile(r"[A-Za-z_][\w.+-]*")


def is_code(source: str, dialect: Dialect) -> bool:
    """Return whether a code cell is written as `[code]`: on other kernels always, on msgbook's if it
    is a magic or a `!` command.

    `%continue` is written as a prompt, because a turn follows it.
    """
    return not dialect.has_prompts or bool(_COMMAND.match(source))


def read_code(body: str, dialect: Dialect) -> tuple[str, dict[str, Any]]:
    """Return the source for the body of a `[code]` cell, and keys for `metadata.msgbook`."""
    fenced = parse_fence(body)
    msgbook: dict[str, Any] = {}
    if fenced.before:
        msgbook["before"] = fenced.before
    if fenced.after:
        msgbook["after"] = fenced.after
    source = _prefix(fenced.info or "", dialect) + fenced.code
    if fenced.info is not None and fenced.info != _canonical_info(source, dialect):
        msgbook["lang"] = fenced.info
    return source, msgbook


def write_code(source: str, msgbook: dict[str, Any], dialect: Dialect) -> str:
    """Return the body of a `[code]` cell; keys of `msgbook` that it holds are removed in place."""
    info = msgbook.get("lang")
    if isinstance(info, str) and fits_info(info) and source.startswith(_prefix(info, dialect)):
        del msgbook["lang"]
    else:
        info = _canonical_info(source, dialect)
    before = after = ""
    if _is_prose(msgbook.get("before")) and fits_before(msgbook["before"]):
        before = msgbook.pop("before")
    if _is_prose(msgbook.get("after")):
        after = msgbook.pop("after")
    return format_fence(Fenced(info, source[len(_prefix(info, dialect)) :], before, after))


def replace_code(body: str, source: str, dialect: Dialect) -> str | None:
    """Return a body, which has its escapes, with the code of `source` in place of its own.

    Returns None if the language of its fence is not that of `source`.
    """
    prefix = _prefix(parse_fence(body).info or "", dialect)
    if not source.startswith(prefix):
        return None
    return fence.replace_code(body, dialect.escaper.escape_lines(source[len(prefix) :]))


def _canonical_info(source: str, dialect: Dialect) -> str:
    language = dialect.language_of(source)
    return language if fits_info(language) else ""


def _prefix(info: str, dialect: Dialect) -> str:
    """Return the line that a source has above the code of a fence with this info string."""
    language = info.split(" ", 1)[0]
    if not dialect.has_prompts or language == "ipython":
        return ""
    if language in PYTHON_INFO or not _MAGIC.fullmatch(language):
        return PYTHON_LINE
    return f"%%{language}\n"


def _is_prose(text: Any) -> bool:
    return isinstance(text, str) and text == trim(text) != "" and not jsontext.needs_json(text)
