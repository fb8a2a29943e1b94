"""Models whose server searches the web for them without being asked to: their names alone switch it on. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class SearchingModels(NamedTuple):
    """The names of one vendor's models that search by themselves, also where a gateway passes them on."""

    vendor: str
    names: str
    """A regular expression that finds them, in small letters. `\\b` would not end a word before `_`."""
    source: str
    """Where the vendor says so."""


_SEARCHING = (
    SearchingModels(
        "OpenRouter, NanoGPT",
        r":online(?![a-z0-9])",
        "openrouter.ai/docs/guides/routing/model-variants/online, docs.nano-gpt.com/api-reference/endpoint/chat-completion",
    ),
    SearchingModels(
        "OpenRouter",
        r"(?<![a-z])openrouter/fusion(?![a-z0-9])",
        "openrouter.ai/docs/guides/routing/routers/fusion-router",
    ),
    SearchingModels(
        "Perplexity",
        r"(?<![a-z])sonar(?![a-z0-9])|(?<![a-z])pplx-.*-online(?![a-z0-9])",
        "docs.perplexity.ai/guides/search-control-guide",
    ),
    SearchingModels(
        "OpenAI",
        r"-(search-(preview|api)|deep-research)(?![a-z0-9])",
        "developers.openai.com/api/docs/guides/tools-web-search",
    ),
    SearchingModels(
        "Groq", r"(^|/)compound(?![a-z0-9])", "console.groq.com/docs/compound/built-in-tools"
    ),
    SearchingModels(
        "Venice",
        r"[:&]enable_(web|x)_\w+=(?!off\b|false\b)",
        "docs.venice.ai/api-reference/endpoint/chat/model_feature_suffix",
    ),
    SearchingModels("Jina", r"(?<![a-z])jina-deepsearch(?![a-z0-9])", "jina.ai/deepsearch"),
)

_ANY = re.compile("|".join(f"(?:{row.names})" for row in _SEARCHING))


def searches_by_itself(model: str) -> bool:
    """Return whether a model of this name searches the web although no tool lets it."""
    return _ANY.search(model.lower()) is not None
