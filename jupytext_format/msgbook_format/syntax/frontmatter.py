"""The YAML block at the top: the user's lines, kept to the byte, and our key `jupyter:`."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import yaml

from msgbook_format.syntax import jsontext
from msgbook_format.syntax.yaml_nodes import deep_line

_FENCE = re.compile(r"^---[ \t\r]*$", re.M)
_MARKER = re.compile(r"^#{1,5} %%%?(?:[ \t\r]|$)", re.M)
_JUPYTER = re.compile(r"^jupyter:(?=[ \t\r\n])", re.M)
_NEXT_KEY = re.compile(r"^(?![ \t\r]|$)", re.M)
_SECTION = re.compile(r"^message_section:(?=[ \t\r]).*$", re.M)
_MAX_BLOCKS = 4
NAMED_FIELDS = frozenset(["nbformat", "nbformat_minor", "metadata", "cells"])
"""Fields of a notebook that a text holds elsewhere, or by a key of their own."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_YAML_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_LONE_SURROGATE = re.compile(r"\\ud[89a-f]")
_LONG_KEY = 500
"""Characters of a key, as it is spelled, that YAML surely reads; from 1024 on it does not."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML_ERRORS = (
    # Constructors of PyYAML let their own errors through: a broken `!!int` or `!!timestamp`.
    yaml.YAMLError,
    ValueError,
    OverflowError,
    TypeError,
    AttributeError,
    LookupError,
    RecursionError,
)

_MAX_DIGITS = sys.int_info.default_max_str_digits
_TOO_LARGE: int = 10**_MAX_DIGITS
"""Whole numbers from here on are not written by Python, nor read from JSON."""


class _Loader(_LOADER):  # type: ignore[misc]  # one of two
    """A safe loader that takes no time for numbers which are too large anyway."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > _MAX_DIGITS + 1:
            raise ValueError(f"expected a number of at most {_MAX_DIGITS} digits")
        number: int = super().construct_yaml_int(node)
        return number


# Constructors are found by tag, not by name.
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def split_frontmatter(text: str) -> int:
    """Length of the block at the start of `text`, its closing line included; 0 without one.

    A cell marker before the closing line means that the first line was a rule, not a frontmatter.
    """
    first = _FENCE.match(text)
    last = _FENCE.search(text, first.end() + 1) if first else None
    if first is None or last is None:
        return 0
    return 0 if _MARKER.search(text, first.end(), last.start()) else last.end()


def parse_frontmatter(block: str) -> tuple[str, dict[str, Any] | None]:
    """The user's lines of a block and what `jupyter:` holds, None without a readable one.

    That is fields of a notebook: `metadata`, and those that say more than it goes without saying.
    """
    inner = block[block.index("\n") + 1 : block.rindex("---")]
    # A broken block may be followed by a whole one, but nobody writes many.
    for match in reversed(list(_JUPYTER.finditer(inner))[-_MAX_BLOCKS:]):
        following = _NEXT_KEY.search(inner, match.end())
        end = following.start() if following else len(inner)
        ours = _load_fields(inner[match.start() : end])
        if ours is not None:
            return inner[: match.start()] + inner[end:], ours
    return inner, None


def format_frontmatter(user: str | None, ours: dict[str, Any]) -> str:
    """The block for the user's lines (None: there are none) and our fields; may be empty."""
    if user is None and not ours:
        return ""
    return f"---\n{user or ''}{_format_jupyter(ours) if ours else ''}---"


def can_hold(user: str) -> bool:
    """Whether the user's lines, written without ours, are read back as they are."""
    if jsontext.needs_json(user.replace("\r\n", "\n")):
        return False
    block = format_frontmatter(user, {})
    return (not user or user.endswith("\n")) and (
        split_frontmatter(block) == len(block) and parse_frontmatter(block) == (user, None)
    )


def section_name(user: str) -> str | None:
    """Heading text that `message_section` names, `Discussion` for `true`; None without.

    Lines that cannot be written back as they are name none, so that such a file is not ours.
    """
    match = _SECTION.search(user)
    if match is None or not can_hold(user):
        return None
    value = _load(match[0].rstrip("\r"))
    name = value.get("message_section") if isinstance(value, dict) else None
    if name is True:
        return "Discussion"
    name = name.strip() if isinstance(name, str) else ""
    # A heading `# %% name` would be a marker.
    return name if name and not name.startswith("%") and "\n" not in name else None


def _load_fields(text: str) -> dict[str, Any] | None:
    value = _load(text)
    mapping = value.get("jupyter") if isinstance(value, dict) else None
    if not isinstance(mapping, dict) or not _is_json(mapping):
        return None
    metadata = dict(mapping)
    # Of any other type it is not the version of the format, but metadata.
    known = type(metadata.get("nbformat_minor")) is int
    minor = {"nbformat_minor": metadata.pop("nbformat_minor")} if known else {}
    texts = {"fields": "{}", **metadata}
    if texts.keys() != {"fields", "json"} or not all(isinstance(t, str) for t in texts.values()):
        return {**minor, "metadata": metadata}
    whole, fields = jsontext.load_object(texts["json"]), jsontext.load_object(texts["fields"])
    if whole is None or fields is None or fields.keys() & NAMED_FIELDS:
        return None
    return {**fields, **minor, "metadata": whole}


def _load(text: str) -> Any:
    try:
        if deep_line(text) is not None or ("*" in text and _has_alias(text)):
            return None
        return yaml.load(text, _Loader)  # noqa: S506  # a safe loader, in C where there is one
    except _YAML_ERRORS:
        return None


def _has_alias(text: str) -> bool:
    """Aliases of aliases grow exponentially when a value is copied."""
    return any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _LOADER))


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < _TOO_LARGE
    return value is None or isinstance(value, str)


def _format_jupyter(ours: dict[str, Any]) -> str:
    mapping = ours.get("metadata", {})
    fields = {key: value for key, value in ours.items() if key not in NAMED_FIELDS}
    whole = jsontext.dumps(mapping)
    if fields or mapping.keys() & {"json", "nbformat_minor"} or not _fits_yaml(mapping, whole):
        mapping = {"json": whole}
        if fields:
            mapping["fields"] = jsontext.dumps(fields)
    if "nbformat_minor" in ours:
        mapping = {**mapping, "nbformat_minor": ours["nbformat_minor"]}
    lines = ["jupyter:"]
    for key in sorted(mapping):
        value = mapping[key]
        if isinstance(value, dict) and value:
            lines.append(f"  {_key(key)}:")
            lines += [f"    {_key(name)}: {_flow(value[name])}" for name in sorted(value)]
        else:
            lines.append(f"  {_key(key)}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _fits_yaml(mapping: dict[str, Any], whole: str) -> bool:
    """Whether YAML can say a mapping; `whole` is the mapping as JSON."""
    return not _LONE_SURROGATE.search(whole) and not _has_long_key(mapping)


def _has_long_key(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_long, value)) or any(map(_has_long_key, value.values()))
    return isinstance(value, list) and any(map(_has_long_key, value))


def _is_long(key: str) -> bool:
    return len(_quoted(key)) >= _LONG_KEY + len('""')


def _key(key: str) -> str:
    plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _YAML_WORDS
    return key if plain else _quoted(key)


def _quoted(text: str) -> str:
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", jsontext.dumps(text))


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_quoted(key)}: {_flow(value[key])}" for key in sorted(value)) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    text = jsontext.dumps(value)
    # YAML 1.1 reads `1e+22` as a string.
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text
