"""The price of a model, and the cost of what was used. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

PRICE_KEYS = {"input", "cached", "cache_write", "output", "web_search", "request"}
"""Keys of a price in `[providers.NAME.prices]`; `input` and `output` are needed."""

_PER = 1_000_000
"""Tokens that a price is for: all providers state prices per million."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs: currency units, for known models US dollars, per million tokens."""

    input: float
    output: float
    cached: float
    """Price of input that the server had cached."""
    cache_write: float
    """Price of input that the server caches from now on."""
    web_search: float = 0.0
    """Price of one search."""
    request: float = 0.0
    """Price of one request, whatever its length."""
    tiers: tuple[tuple[int, Price], ...] = ()
    """What a request with more input than this costs; the longest first."""
    is_known: bool = False
    """True for a price of genai-prices, False for the user's own."""

    def cost(self, usage: Mapping[str, int], requests: int = 1) -> float | None:
        """Return the cost of what a server reported; None without the tokens of input and output.

        Args:
            usage: Counts as in `Usage`.
            requests: Number of requests of which they are the sum.
        """
        total, output = usage.get("input_tokens"), usage.get("output_tokens")
        if total is None or output is None:
            return None
        price = self._for_length(total / max(requests, 1))
        cached = min(usage.get("cached_tokens", 0), total)
        written = min(usage.get("cache_write_tokens", 0), total - cached)
        tokens = (
            (total - cached - written) * price.input
            + cached * price.cached
            + written * price.cache_write
            + output * price.output
        )
        searches = usage.get("web_searches", 0) * price.web_search
        return tokens / _PER + searches + requests * price.request

    def _for_length(self, tokens: float) -> Price:
        return next((price for start, price in self.tiers if tokens > start), self)


class FindPrice(Protocol):
    """Finds the price of a model."""

    def __call__(self, *models: str) -> Price | None:
        """Return the price of a model; None if it is not known.

        Args:
            models: The names that it goes by, the most exact first.
        """
        ...


FREE = Price(0, 0, 0, 0)
"""What the demo model costs."""


def read_price(table: Mapping[str, float]) -> Price:
    """Return the price in a table that the user has written."""
    numbers = {key: float(value) for key, value in table.items()}
    default = numbers["input"]
    return Price(
        default,
        numbers["output"],
        numbers.get("cached", default),
        numbers.get("cache_write", default),
        numbers.get("web_search", 0.0),
        numbers.get("request", 0.0),
    )
