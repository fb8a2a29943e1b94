"""Glob patterns: `*`, `?`, `[...]`, `{a,b}`, and `**` for any number of folders; and all paths below a folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from msgbook.approval.roots import Roots
from msgbook.errors import ToolError
from msgbook.tools.files.opening import list_entries
from msgbook_format.links import nfc

_ALTERNATIVES = 100
"""Patterns that braces may stand for: `{a,b}` ten times would make 1,024."""
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def matcher(pattern: str, *, anywhere: bool = False) -> Callable[[str], bool]:
    """Return a function that says whether a relative path with `/` matches a pattern; case counts.

    Both may be in any Unicode form.

    Args:
        anywhere: A pattern without `/` matches names in every folder below.

    Raises:
        ToolError: The pattern leaves the folder, or has too many alternatives.
    """
    plain = nfc(pattern).removeprefix("./").rstrip("/")
    if plain.startswith("/") or ".." in plain.split("/") or not plain or "\0" in plain:
        raise ToolError(
            f"{pattern!r} is not a pattern below a folder; give the folder itself as `path`."
        )
    if anywhere and "/" not in plain:
        plain = f"**/{plain}"
    expression = re.compile("|".join(map(_expression, _alternatives(plain))))
    return lambda path: expression.fullmatch(nfc(path)) is not None


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
            raise ToolError(f"{pattern!r} has more than {_ALTERNATIVES} alternatives.")
    return done


def _expression(pattern: str) -> str:
    """Return a regular expression that takes linear time, since pattern and path may both be hostile.

    The part between two `**`, or between two `*` of a name, matches at its first possible place: if the
    rest matches after a later place, it also matches after the first. So nothing is tried again.
    """
    groups: list[list[str]] = [[]]
    for segment in (s for s in pattern.split("/") if s):
        if segment == "**":
            groups.append([])
        else:
            groups[-1].append(_segment(segment) + "/")
    first, *rest = ["".join(group) for group in groups]
    if not rest:
        return f"(?s:{first[:-1]})"
    *middle, last = rest
    found = "".join(f"(?>(?:[^/]++/)*?{group})" for group in middle if group)
    return f"(?s:{first}{found}{f'(?:[^/]++/)*{last[:-1]}' if last else '.*'})"


def _segment(segment: str) -> str:
    """Return the expression of one name; `[` without `]` stands for itself."""
    pieces, at = [""], 0
    while at < len(segment):
        character, at = segment[at], at + 1
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += "[^/]"
        elif character == "[" and (end := segment.find("]", at + 1)) > 0:
            inner, at = segment[at:end], end + 1
            negated = inner[0] in "!^"
            inner = inner[1:] if negated else inner
            safe = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner)
            pieces[-1] += f"(?!/)[{'^' if negated else ''}{safe}]"
        else:
            pieces[-1] += re.escape(character)
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    found = "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    return f"{first}{found}[^/]*{last}"


# All paths below a folder, without following links or entering folders of tools such as `.git`.


SKIPPED = (".git", "node_modules", "__pycache__", ".msgbook")
"""Folders that are not entered, unless the walk starts there."""
_FOLDERS = 50_000
"""Folders that one call walks, so that one in a home directory ends."""

Hidden = Callable[[str, str], bool]
"""Returns whether to leave out a path, relative with `/`, of a kind (`file`, `folder`, `other`)."""


def walk(
    roots: Roots, top: Path, hidden: Hidden | None = None, limit: int = _FOLDERS
) -> Iterator[tuple[str, str]]:
    """Yield the paths below a folder and their kinds, relative with `/`, sorted by folder.

    Folders that cannot be listed are left out.

    Args:
        hidden: Says what to leave out, with everything below it.
        limit: Most folders to list.

    Raises:
        ToolError: The top cannot be listed, or there are too many folders.
    """
    waiting = [""]
    listed = 0
    while waiting:
        folder = waiting.pop()
        listed += 1
        if listed > limit:
            raise ToolError(f"There are more than {limit} folders; name one of them.")
        try:
            found = list_entries(roots, top / folder)
        except OSError as error:
            if not folder:
                raise ToolError(f"{roots.format_path(top)}: {error.strerror}") from None
            continue
        below = []
        for name, kind in found:
            if hidden and hidden(folder + name, kind):
                continue
            yield folder + name, kind
            if kind == "folder" and name not in SKIPPED:
                below.append(f"{folder}{name}/")
        waiting += reversed(below)
