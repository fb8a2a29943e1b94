"""The source of a code cell as a fence with its language, and the prose around it."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format.syntax import fence, jsontext
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.fence import Fenced, fits_before, fits_info, format_fence, parse_fence
from msgbook_format.syntax.lines import trim

_COMMAND = re.compile(r"\s*(?:!|%(?!%|continue\s*\Z)[A-Za-z_]|%%(?!msg(?:\s|$))[A-Za-z_])")
_PYTHON = "%%python\n"
PYTHON_INFO = frozenset(("python", "py", ""))
"""First words of the info strings of Python's fences."""
_MAGIC = re.compile(r"[A-Za-z_][\w.+-]*")


def is_code(source: str, ctx: Context) -> bool:
    """Whether a code cell stands as `[code]`: on msgbook's kernel a magic or `!` command.

    `%continue` is none: a turn follows it.
    """
    return not ctx.chat or bool(_COMMAND.match(source))


def read_code(body: str, ctx: Context) -> tuple[str, dict[str, Any]]:
    """Source of a cell for the body of a `[code]` unit, and keys for `metadata.msgbook`."""
    fenced = parse_fence(body)
    ours: dict[str, Any] = {}
    if fenced.before:
        ours["before"] = fenced.before
    if fenced.after:
        ours["after"] = fenced.after
    source = _prefix(fenced.info or "", ctx) + fenced.code
    if fenced.info is not None and fenced.info != _canonical_info(source, ctx):
        ours["lang"] = fenced.info
    return source, ours


def write_code(source: str, ours: dict[str, Any], ctx: Context) -> str:
    """The body of a `[code]` unit; the keys of `ours` that it says are removed."""
    info = ours.get("lang")
    if isinstance(info, str) and fits_info(info) and source.startswith(_prefix(info, ctx)):
        del ours["lang"]
    else:
        info = _canonical_info(source, ctx)
    before = after = ""
    if _is_prose(ours.get("before")) and fits_before(ours["before"]):
        before = ours.pop("before")
    if _is_prose(ours.get("after")):
        after = ours.pop("after")
    return format_fence(Fenced(info, source[len(_prefix(info, ctx)) :], before, after))


def replace_code(body: str, source: str, ctx: Context) -> str | None:
    """`body` of a `[code]` unit, escapes and all, with the code of `source` in place of its own.

    None if the language of its fence is not that of `source`.
    """
    prefix = _prefix(parse_fence(body).info or "", ctx)
    if not source.startswith(prefix):
        return None
    return fence.replace_code(body, ctx.escaper.pattern.sub(r"\\", source[len(prefix) :]))


def _canonical_info(source: str, ctx: Context) -> str:
    if ctx.chat:
        return "python" if source.startswith(_PYTHON) else "ipython"
    return ctx.language if fits_info(ctx.language) else ""


def _prefix(info: str, ctx: Context) -> str:
    """What stands in a source before the code of a fence with this info string."""
    language = info.split(" ", 1)[0]
    if not ctx.chat or language == "ipython":
        return ""
    if language in PYTHON_INFO or not _MAGIC.fullmatch(language):
        return _PYTHON
    return f"%%{language}\n"


def _is_prose(text: Any) -> bool:
    return isinstance(text, str) and text == trim(text) != "" and not jsontext.needs_json(text)
