"""The frontmatter: the user's lines, which stay byte for byte, and our key `jupyter:`.

Values below `jupyter:` are written as JSON, which is YAML but for a few characters and numbers:
PyYAML would break long lines and quote strings by rules that change with its version.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import yaml

from msgbook_format import jsontext
from msgbook_format.syntax.lines import MARKER
from msgbook_format.syntax.yaml_nodes import deep_line
from msgbook_format.typed import as_dict, as_text, is_texts

_FENCE = re.compile(r"^---[ \t\r]*$", re.M)
_MARKER = re.compile(rf"^{MARKER}", re.M)
_JUPYTER = re.compile(r"^jupyter:(?=[ \t\r\n])", re.M)
_NEXT_KEY = re.compile(r"^(?![ \t\r]|$)", re.M)
_SECTION = re.compile(r"^message_section:(?=[ \t\r]).*$", re.M)
_MAX_BLOCKS = 4
"""Keys `jupyter:` that are tried from the last on: each is read as YAML."""
NAMED_FIELDS = frozenset(["nbformat", "nbformat_minor", "metadata", "cells"])
"""Fields of a notebook that are elsewhere in a text, or below keys of their own."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_YAML_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_STRING_OR_EXPONENT = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|(?<![0-9.])([0-9])e')
"""A string, or the start of a number such as `1e+22`, which YAML 1.1 reads as a string."""
_LONE_SURROGATE = re.compile(r"\\ud[89a-f]")
_LONG_KEY = 500
"""Characters of a key, as written, that YAML surely reads; it reads no key of 1024 or more."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML_ERRORS = (
    # PyYAML raises these, too, for example for a broken `!!int` or `!!timestamp`.
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
"""Smallest whole number that Python neither writes nor reads from JSON."""


class _Loader(_LOADER):  # type: ignore[misc]  # one of two
    """Safe loader that refuses numbers too large to be used before it computes them."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > _MAX_DIGITS + 1:
            raise ValueError(f"expected a number of at most {_MAX_DIGITS} digits")
        number: int = super().construct_yaml_int(node)
        return number


# PyYAML finds constructors by tag, not by name.
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def split_frontmatter(text: str) -> int:
    """Return the length of the frontmatter of `text`, with its closing line; 0 without one.

    If there is a marker before the closing line, the first line is a rule and no frontmatter.
    """
    first = _FENCE.match(text)
    last = _FENCE.search(text, first.end() + 1) if first else None
    if first is None or last is None:
        return 0
    return 0 if _MARKER.search(text, first.end(), last.start()) else last.end()


def parse_frontmatter(block: str) -> tuple[str, dict[str, Any] | None]:
    """Return the user's lines of a frontmatter, and the fields of a notebook below `jupyter:`.

    The fields are `metadata` and those that differ from the defaults; None if there is no
    `jupyter:` that can be read.
    """
    inner = block[block.index("\n") + 1 : block.rindex("---")]
    # A broken `jupyter:` may be followed by a good one, but nobody writes many.
    for match in reversed(list(_JUPYTER.finditer(inner))[-_MAX_BLOCKS:]):
        following = _NEXT_KEY.search(inner, match.end())
        end = following.start() if following else len(inner)
        jupyter = _load_fields(inner[match.start() : end])
        if jupyter is not None:
            return inner[: match.start()] + inner[end:], jupyter
    return inner, None


def format_frontmatter(user: str | None, jupyter: dict[str, Any]) -> str:
    """Return the frontmatter for the user's lines, if any, and our fields; it may be empty."""
    if user is None and not jupyter:
        return ""
    return f"---\n{user or ''}{_format_jupyter(jupyter) if jupyter else ''}---"


def can_hold(user: str) -> bool:
    """Return whether the user's lines, written alone, read back as they are."""
    if jsontext.needs_json(user.replace("\r\n", "\n")):
        return False
    block = format_frontmatter(user, {})
    return (not user or user.endswith("\n")) and (
        split_frontmatter(block) == len(block) and parse_frontmatter(block) == (user, None)
    )


def section_name(user: str) -> str | None:
    """Return the heading that `message_section` names, which is `Discussion` for `true`.

    Returns None without the key, and for lines that cannot be written back as they are: such a
    file is not ours.
    """
    match = _SECTION.search(user)
    if match is None or not can_hold(user):
        return None
    value = _load(match[0].rstrip("\r"))
    name = as_dict(value).get("message_section")
    if name is True:
        return "Discussion"
    name = as_text(name).strip()
    # A heading `# %% name` would be a marker.
    return name if name and not name.startswith("%") and "\n" not in name else None


def _load_fields(text: str) -> dict[str, Any] | None:
    value = _load(text)
    mapping = as_dict(value).get("jupyter")
    if not isinstance(mapping, dict) or not _is_json(mapping):
        return None
    metadata = dict(mapping)
    # A value of any other type is metadata, not the version of the format.
    is_version = type(metadata.get("nbformat_minor")) is int
    minor = {"nbformat_minor": metadata.pop("nbformat_minor")} if is_version else {}
    texts = {"fields": "{}", **metadata}
    if texts.keys() != {"fields", "json"} or not is_texts([*texts.values()]):
        return {**minor, "metadata": metadata}
    saved, fields = jsontext.load_object(texts["json"]), jsontext.load_object(texts["fields"])
    if saved is None or fields is None or fields.keys() & NAMED_FIELDS:
        return None
    return {**fields, **minor, "metadata": saved}


def _load(text: str) -> Any:
    try:
        if deep_line(text) is not None or ("*" in text and _has_alias(text)):
            return None
        return yaml.load(text, _Loader)  # noqa: S506  # a safe loader, in C where there is one
    except _YAML_ERRORS:
        return None


def _has_alias(text: str) -> bool:
    # Copies of aliases of aliases grow exponentially.
    return any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _LOADER))


def _is_json(value: Any) -> bool:
    match value:
        case dict():
            return is_texts([*value]) and all(map(_is_json, value.values()))
        case list():
            return all(map(_is_json, value))
        case float():
            return math.isfinite(value)
        case int():
            return abs(value) < _TOO_LARGE
        case None | str():
            return True
    return False


def _format_jupyter(jupyter: dict[str, Any]) -> str:
    mapping = jupyter.get("metadata", {})
    fields = {key: value for key, value in jupyter.items() if key not in NAMED_FIELDS}
    metadata_json = jsontext.dumps(mapping)
    reserved = mapping.keys() & {"json", "nbformat_minor"}
    if fields or reserved or not _fits_yaml(mapping, metadata_json):
        mapping = {"json": metadata_json}
        if fields:
            mapping["fields"] = jsontext.dumps(fields)
    if "nbformat_minor" in jupyter:
        mapping = {**mapping, "nbformat_minor": jupyter["nbformat_minor"]}
    lines = ["jupyter:"]
    for key in sorted(mapping):
        value = mapping[key]
        if isinstance(value, dict) and value:
            lines.append(f"  {_key(key)}:")
            lines += [f"    {_key(name)}: {_yaml(value[name])}" for name in sorted(value)]
        else:
            lines.append(f"  {_key(key)}: {_yaml(value)}")
    return "\n".join(lines) + "\n"


def _fits_yaml(mapping: dict[str, Any], metadata_json: str) -> bool:
    return not _LONE_SURROGATE.search(metadata_json) and not _has_long_key(mapping)


def _has_long_key(value: Any) -> bool:
    match value:
        case dict():
            return any(map(_is_long, value)) or any(map(_has_long_key, value.values()))
        case list():
            return any(map(_has_long_key, value))
    return False


def _is_long(key: str) -> bool:
    return len(_yaml(key)) >= _LONG_KEY + len('""')


def _key(key: str) -> str:
    is_plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _YAML_WORDS
    return key if is_plain else _yaml(key)


def _yaml(value: Any) -> str:
    """Return a value as JSON, where it differs from YAML 1.1 as YAML."""
    text = jsontext.dumps_spaced(value)
    text = _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return _STRING_OR_EXPONENT.sub(lambda match: match[1] or f"{match[2]}.0e", text)
