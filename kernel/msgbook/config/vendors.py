"""What is known of model servers by their host, a row for each vendor, so that no request has to find it out. Pure.

Whatever else differs between servers is found out from their answers and refusals: tables in `msgbook.provider`
list it, with the names of vendors beside the rows.
"""

from __future__ import annotations

from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from msgbook.messages import ApiName


class Vendor(NamedTuple):
    """A vendor's own servers."""

    hosts: tuple[str, ...] = ()
    """Domains; those below them count, too."""
    company: str = ""
    """The company whose own server is known to be there; empty for any other."""
    api: ApiName = "chat"
    """The API that is asked unless one is set."""
    second_api: ApiName = "responses"
    """The API that a server of the chat API may have besides, or instead."""
    documents: tuple[ApiName, ...] = ()
    """The APIs over which PDFs are taken as documents. Local servers and most gateways refuse them."""
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    """The key that limits the tokens of an answer. OpenAI's reasoning models refuse `max_tokens`, which is the key
    of Ollama, LM Studio and Mistral, and works with vLLM, llama.cpp and the large gateways."""


# OpenAI's reasoning models show their reasoning over the Responses API alone.
OPENAI = Vendor(
    ("openai.com",),
    "OpenAI",
    api="responses",
    documents=("chat", "responses"),
    token_limit="max_completion_tokens",  # noqa: S106
)
ANTHROPIC = Vendor(
    ("anthropic.com", "claude.com"),
    "Anthropic",
    second_api="anthropic",
    documents=("anthropic",),
)
# A deployment may be older than the Responses API.
AZURE = Vendor(
    ("openai.azure.com",),
    documents=("responses",),
    token_limit="max_completion_tokens",  # noqa: S106
)
OPENROUTER = Vendor(("openrouter.ai",), documents=("chat",))

VENDORS = (OPENAI, ANTHROPIC, AZURE, OPENROUTER)

OTHER = Vendor()
"""Any other server: every compatible one has the chat API."""


def vendor_of(base_url: str | None) -> Vendor:
    """Return whose server a base URL leads to.

    Args:
        base_url: None for OpenAI's own.
    """
    if base_url is None:
        return OPENAI
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return OTHER
    for vendor in VENDORS:
        if any(host == name or host.endswith(f".{name}") for name in vendor.hosts):
            return vendor
    return OTHER
