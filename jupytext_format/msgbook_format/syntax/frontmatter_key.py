"""Setting of one key in a frontmatter. The user's other lines stay byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgbook_format.syntax.frontmatter import parse_frontmatter, split_frontmatter
from msgbook_format.syntax.split import BOM
from msgbook_format.syntax.yaml_nodes import YamlError, compose, entries, kind_of, text_of

_JUPYTER = re.compile(r"^jupyter:(?=[ \t\r\n])", re.M)


class FrontmatterError(ValueError):
    """A key of a frontmatter cannot be set by changing one line."""


def with_frontmatter_key(text: str, key: str, value: str, has_value: Callable[[str], bool]) -> str:
    """Return `text` with a key set; a frontmatter is added if there is none.

    Only that line changes. If there is no such line, it becomes the user's last.

    Args:
        value: The value as YAML on one line.
        has_value: Returns whether the user's lines of a frontmatter set the key to this value.

    Raises:
        FrontmatterError: The frontmatter is not YAML or not a mapping, or one line cannot set the
            key.
    """
    bom = BOM if text.startswith(BOM) else ""
    body = text.removeprefix(BOM)
    newline = "\r\n" if "\r\n" in body and body.count("\r\n") == body.count("\n") else "\n"
    line = f"{key}: {value}"
    end = split_frontmatter(body)
    if not end:
        gap = newline if body and not body.startswith(("\n", "\r\n")) else ""
        return newline.join((f"{bom}---", line, "---", f"{gap}{body}"))
    block = body[:end]
    user, ours = parse_frontmatter(block)
    if has_value(user):
        return text
    start, stop = block.index("\n") + 1, block.rindex("---")
    inner = block[start:stop]
    try:
        before = _other_keys(inner, key)
    except YamlError as error:
        raise FrontmatterError(
            f"expected `key: value` lines in the frontmatter; line {error.line + 1}: {error}"
        ) from None
    new = _set_line(inner, key, line, newline)
    changed = block[:start] + new + block[stop:]
    new_user, new_ours = parse_frontmatter(changed)
    try:
        # A line in the wrong place would set something else, or break the YAML.
        is_set = has_value(new_user) and new_ours == ours and _other_keys(new, key) == before
    except YamlError:
        is_set = False
    if not is_set:
        raise FrontmatterError(
            f"`{key}` in the frontmatter is not on a line of its own, so it cannot be set "
            "automatically; edit the frontmatter by hand"
        )
    return bom + changed + body[end:]


def _set_line(inner: str, key: str, line: str, newline: str) -> str:
    found = list(_line_of(key).finditer(inner))
    if found:
        # If a key is repeated, YAML takes the last one.
        match = found[-1]
        return inner[: match.start()] + line + inner[match.end() :]
    jupyter = list(_JUPYTER.finditer(inner))
    place = jupyter[-1].start() if jupyter else len(inner)
    return f"{inner[:place]}{line}{newline}{inner[place:]}"


def _line_of(key: str) -> re.Pattern[str]:
    """Return the pattern of a line that sets a key to a scalar, up to a comment."""
    return re.compile(
        rf"^({key}:)[ \t]*"
        r"(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\n]|'')*'|[^\s#\"']\S*+(?:[ \t]++(?!#)\S++)*+)?"
        r"(?=[ \t]+#|[ \t]*\r?$)",
        re.M,
    )


def _other_keys(inner: str, key: str) -> list[tuple[str, str, str | None]]:
    """Return key, type and text of all other entries.

    Raises:
        YamlError: There are none, because it is not YAML or not a mapping.
    """
    root = compose(inner)
    if root is not None and not entries(root):
        raise YamlError(1, "it is not a mapping")
    return [(e.key, kind_of(e.node), text_of(e.node)) for e in entries(root) if e.key != key]
