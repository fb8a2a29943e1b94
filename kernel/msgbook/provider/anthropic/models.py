"""What the names of models tell about requests of the Messages API: the longest answer, and the form of thinking. Pure.

The API wants a limit of the answer in each request, and refuses one that is too large as well as the wrong form of
thinking. Other servers of this API (DeepSeek, Kimi, Ollama) have models of other names.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_VERSION_LAST = re.compile(r"claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])")
_VERSION_FIRST = re.compile(r"claude-(\d)(?:[-.](\d{1,2}))?(?![\d])")
"""`claude-opus-4-8` and `claude-sonnet-5`, but before 2025-05 `claude-3-7-sonnet`."""
_ALWAYS_THINKING = re.compile(r"claude-(fable|mythos)\b")
_DATE = re.compile(r"(?:[-@](?:\d{8}|latest))?(?:-v\d+(?::\d+)?)?$")

ThinkingForm = Literal["adaptive", "budget", "none"]
"""How a model is told to think: it decides itself, by a budget of tokens, or not at all."""

_OTHER_LIMIT = 8192
"""Longest answer that is asked of a model of unknown name: servers refuse more than theirs, and most have this."""


class Version(NamedTuple):
    """Version of a model."""

    major: int
    minor: int


def known_max_output(model: str) -> int:
    """Return the most tokens that an answer of a model may have; what all take for one of unknown name."""
    version = find_version(model)
    if _ALWAYS_THINKING.search(model):
        return 128_000
    if version is None:
        return _OTHER_LIMIT
    if version >= (5, 0):
        return 64_000 if "haiku" in model else 128_000
    if version < (3, 5):
        return 4096
    if version < (3, 7):
        return 8192
    if "opus" in model:
        return 32_000 if version < (4, 5) else 64_000 if version < (4, 6) else 128_000
    return 64_000


def thinking_form(model: str) -> ThinkingForm:
    """Return how a model is told to think. Other makers' models take a budget, where they think at all."""
    version = find_version(model)
    if _ALWAYS_THINKING.search(model):
        return "adaptive"
    if version is None:
        return "budget"
    if version >= (4, 6):
        return "adaptive"
    return "budget" if version >= (3, 7) else "none"


def thinks_unasked(model: str) -> bool:
    """Return whether a model thinks where a request says nothing about it."""
    version = find_version(model)
    return bool(_ALWAYS_THINKING.search(model)) or (version is not None and version >= (5, 0))


def find_version(model: str) -> Version | None:
    """Return the version in the name of a model of Anthropic's, however a gateway spells it; None for another one."""
    name = model.lower()
    found = _VERSION_LAST.search(name) or _VERSION_FIRST.search(name)
    return Version(int(found[1]), int(found[2] or 0)) if found else None


def takes_signatures_of(one: str, other: str) -> bool:
    """Return whether a model takes the thinking that another name's has signed: an alias and the name with its date, and
    however a gateway spells either, are one model.
    """
    return _plain(one) == _plain(other)


def _plain(model: str) -> str:
    name = model.strip().lower().replace(".", "-").rpartition("/")[2].removeprefix("anthropic-")
    return _DATE.sub("", name)
