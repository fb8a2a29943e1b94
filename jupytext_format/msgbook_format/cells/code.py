"""The source of a code cell as a fence with its language, and the prose around it."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax import CHAT_CELLS, OTHER_CELLS, fence
from msgbook_format.syntax.dialect import PYTHON_LINE, Dialect
from msgbook_format.syntax.fence import Fenced, fits_before, fits_info, format_fence, parse_fence
from msgbook_format.syntax.lines import trim

PYTHON_INFO = frozenset(("python", "py", ""))
"""First words of the info strings of Python's fences."""
_PYTHON_NAMES = PYTHON_INFO | {"ipython"}
_MAGIC = re.compile(r"[A-Za-z_][\w.+-]*")


def is_code(source: str, dialect: Dialect) -> bool:
    """Return whether a code cell is written as `[code]`: any that is not a message."""
    return not dialect.rule.is_message(source)


def read_code(body: str, dialect: Dialect) -> tuple[str, dict[str, Any]]:
    """Return the source for the body of a `[code]` cell, and keys for `metadata.msgbook`."""
    fenced = parse_fence(body)
    msgbook: dict[str, Any] = {}
    if fenced.before:
        msgbook["before"] = fenced.before
    if fenced.after:
        msgbook["after"] = fenced.after
    source = _join(fenced.info or "", fenced.code, dialect)
    if fenced.info is not None and fenced.info != _canonical_info(source, dialect):
        msgbook["lang"] = fenced.info
    return source, msgbook


def write_code(source: str, msgbook: dict[str, Any], dialect: Dialect) -> str:
    """Return the body of a `[code]` cell; keys of `msgbook` that it holds are removed in place."""
    info = msgbook.get("lang")
    code = _split(info, source, dialect) if isinstance(info, str) and fits_info(info) else None
    if code is not None:
        del msgbook["lang"]
    else:
        info = _canonical_info(source, dialect)
        code = _split(info, source, dialect)
    before = after = ""
    if _is_prose(msgbook.get("before")) and fits_before(msgbook["before"]):
        before = msgbook.pop("before")
    if _is_prose(msgbook.get("after")):
        after = msgbook.pop("after")
    return format_fence(Fenced(info, source if code is None else code, before, after))


def replace_code(body: str, source: str, dialect: Dialect) -> str | None:
    """Return a body, which has its escapes, with the code of `source` in place of its own.

    Returns None if the language of its fence is not that of `source`.
    """
    code = _split(parse_fence(body).info or "", source, dialect)
    return None if code is None else fence.replace_code(body, dialect.escaper.escape_lines(code))


def _canonical_info(source: str, dialect: Dialect) -> str:
    language = dialect.language_of(source)
    return language if fits_info(language) else ""


def _join(info: str, code: str, dialect: Dialect) -> str:
    """Return the source of the code of a fence with this info string. On msgbook's kernels it is code."""
    if dialect.rule is OTHER_CELLS:
        return code
    language = info.split(" ", 1)[0]
    named = f"%%{language}\n{code}"
    is_magic = _MAGIC.fullmatch(language) and not CHAT_CELLS.is_message(named)
    if is_magic and language not in _PYTHON_NAMES:
        return named
    is_whole = language == "ipython" and not CHAT_CELLS.is_message(code)
    return code if is_whole or not dialect.is_chat else PYTHON_LINE + code


def _split(info: str, source: str, dialect: Dialect) -> str | None:
    """Return the code of a fence with this info string; None if it cannot hold the source."""
    first_line, newline, rest = source.partition("\n")
    codes = [rest, source] if newline and first_line.startswith("%%") else [source]
    return next((code for code in codes if _join(info, code, dialect) == source), None)


def _is_prose(text: Any) -> bool:
    return isinstance(text, str) and text == trim(text) != "" and not jsontext.needs_json(text)
