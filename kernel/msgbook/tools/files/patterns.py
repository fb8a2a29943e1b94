"""Glob patterns: `*`, `?`, `[...]`, `{a,b}`, and `**` for any number of folders."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgbook.tools.rights import Refused

_ALTERNATIVES = 100
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def matcher(pattern: str, *, anywhere: bool = False) -> Callable[[str], bool]:
    """Tells whether a relative path with `/` matches a pattern, case and all.

    Args:
        anywhere: A pattern without `/` matches names in every folder below.

    Raises:
        Refused: It leaves the folder, or has too many alternatives.
    """
    plain = pattern.removeprefix("./").rstrip("/")
    if plain.startswith("/") or ".." in plain.split("/") or not plain or "\0" in plain:
        raise Refused(
            f"{pattern!r} is no pattern below a folder; give the folder itself as `path`."
        )
    if anywhere and "/" not in plain:
        plain = f"**/{plain}"
    expression = re.compile("|".join(map(_expression, _alternatives(plain))))
    return lambda path: expression.fullmatch(path) is not None


def _alternatives(pattern: str) -> list[str]:
    done, open_ones = [], [pattern]
    while open_ones:
        text = open_ones.pop()
        braces = _BRACES.search(text)
        if braces is None:
            done.append(text)
            continue
        head, tail = text[: braces.start()], text[braces.end() :]
        open_ones += [head + word + tail for word in braces[1].split(",")]
        if len(done) + len(open_ones) > _ALTERNATIVES:
            raise Refused(f"{pattern!r} stands for more than {_ALTERNATIVES} patterns.")
    return done


def _expression(pattern: str) -> str:
    segments = [s for s in pattern.split("/") if s]
    words = []
    for number, segment in enumerate(segments):
        last = number == len(segments) - 1
        if segment == "**":
            if number and segments[number - 1] == "**":
                continue
            words.append(".*" if last else "(?:[^/]+/)*")
        else:
            words.append(_segment(segment) + ("" if last else "/"))
    return f"(?s:{''.join(words)})"


def _segment(segment: str) -> str:
    """One name's pattern; `[` without its `]` stands for itself."""
    words, at = "", 0
    while at < len(segment):
        character, at = segment[at], at + 1
        if character == "*":
            words += "" if words.endswith("[^/]*") else "[^/]*"
        elif character == "?":
            words += "[^/]"
        elif character == "[" and (end := segment.find("]", at + 1)) > 0:
            inner, at = segment[at:end], end + 1
            negated = inner[0] in "!^"
            inner = inner[1:] if negated else inner
            safe = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner)
            words += f"(?!/)[{'^' if negated else ''}{safe}]"
        else:
            words += re.escape(character)
    return words
