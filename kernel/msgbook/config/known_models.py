"""Context windows and prices of models: what the user has set, else what is known of the model.

What is known is the data of the package genai-prices, as it was installed. Nothing is fetched. The package is imported
when a model is first looked up, which takes a moment.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from msgbook.config.prices import Price, read_price
from msgbook.config.providers import server_url
from msgbook.config.searching_models import searches_by_itself
from msgbook.config.settings import ProviderSettings
from msgbook.text import one_line, visible
from msgbook_format.typed import as_list

if TYPE_CHECKING:
    from decimal import Decimal

    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice, Tier, TieredPrices

_MAKERS = {"anthropic", "openai", "google"}
"""Makers of models that nobody else runs: behind an unknown URL, a gateway passes requests on to them."""

_OPEN_MODELS = re.compile(r"gpt-oss|gemma", re.IGNORECASE)
"""Models of these makers that anybody can run."""

_NAME = 200
"""Characters of a model's name; a longer one is not looked up."""


def find_window(server: ProviderSettings | None, model: str) -> int | None:
    """Return the tokens that a model's context window has; None if they are not known.

    Args:
        server: None for the demo model.
    """
    if server is not None and server.context_window is not None:
        return server.context_window
    known = _look_up(server, model)
    return known.context_window if known else None


def find_price(
    server: ProviderSettings | None, *models: str, at: datetime | None = None
) -> Price | None:
    """Return the price of a model; None if it is not known.

    Args:
        models: The names that it goes by, the most exact first.
        at: Time of the request; None for now.
    """
    own = server.prices if server is not None else {}
    for model in models:
        if model in own:
            return read_price(own[model])
    for model in models:
        # What a search costs that a name adds to a model, as `:online` does, is not known.
        adds_search = ":" in model and searches_by_itself(model)
        known = None if adds_search else _look_up(server, model)
        price = _known_price(known.get_prices(at or datetime.now(UTC))) if known else None
        if price is not None:
            return price
    return None


def describe_unknown(
    server: ProviderSettings | None, model: str, *, has_window: bool = False
) -> str:
    """Return a notice about what is not known of a model; empty if nothing is missing.

    A server that nobody knows, such as one on this machine, is the user's own: nothing is said of its models.

    Args:
        has_window: Whether the agent sets the context window.
    """
    if server is None or server.plugin or not _is_known_server(_plain_url(server)):
        return ""
    missing = [
        *(["price"] if find_price(server, model) is None else []),
        *(["context window"] if not has_window and find_window(server, model) is None else []),
    ]
    if not missing:
        return ""
    name, table = visible(one_line(model, 100)), f"providers.{server.name}"
    settings = {
        "price": f"its price in [{table}.prices]",
        "context window": f"context_window in [{table}]",
    }
    return (
        f"The {' and the '.join(missing)} of {name} {'is' if len(missing) == 1 else 'are'} not known. "
        f"Set {' and '.join(settings[one] for one in missing)} of {server.file}."
    )


class PriceData(NamedTuple):
    """Where known windows and prices come from, and how old they are."""

    source: str
    date: str
    """Day of the newest entry, such as `2026-11-09`."""

    def __str__(self) -> str:
        return f"{self.source}, whose newest entry is of {self.date}"


def describe_data() -> PriceData:
    """Return where known windows and prices come from."""
    from importlib.metadata import version

    return PriceData(f"genai-prices {version('genai-prices')}", _newest_date())


async def ready() -> None:
    """Import what is known, in another thread: it takes a moment."""
    if not _data.cache_info().currsize:
        await asyncio.to_thread(_data)


# Models in the data of genai-prices.


@cache
def _data() -> DataSnapshot:
    from genai_prices.data import providers
    from genai_prices.data_snapshot import DataSnapshot

    return DataSnapshot(providers=providers, from_auto_update=False)


def _look_up(server: ProviderSettings | None, model: str) -> ModelInfo | None:
    if server is None or server.plugin or not model or len(model) > _NAME:
        return None
    return _find_model(_plain_url(server), model)


def _plain_url(server: ProviderSettings) -> str:
    """Return the URL of a server without user, password, port and query; empty if there is none."""
    try:
        parts = urlsplit(server_url(server.base_url))
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname else ""


@lru_cache(1024)
def _find_model(url: str, model: str) -> ModelInfo | None:
    is_known = _is_known_server(url)
    for name in _names(model):
        try:
            if is_known:
                return _data().find_provider_model(name, None, None, url)[1]
            # It takes the maker from the name, as gateways write it in front, or from the model.
            maker, found = _data().find_provider_model(name, None, "litellm", None)
        except LookupError:
            continue
        if maker.id in _MAKERS and not _OPEN_MODELS.search(name):
            return found
    return None


def _names(model: str) -> list[str]:
    # A server puts something in front of a name, and a user behind it.
    return list(dict.fromkeys([model, model.removeprefix("models/").partition(":")[0]]))


@lru_cache(64)
def _is_known_server(url: str) -> bool:
    try:
        _data().find_provider(None, None, url)
    except LookupError:
        return False
    return True


@cache
def _newest_date() -> str:
    """Return the latest past day of which the data says that something is so since then, or was seen then."""
    today = datetime.now(UTC).date().isoformat()
    days = {
        day
        for provider in _data().providers
        for model in provider.models
        for day in _days_of(model)
    }
    return max((day for day in days if day <= today), default="an unknown day")


def _days_of(model: ModelInfo) -> list[str]:
    prices = as_list(model.prices)
    starts = (getattr(price.constraint, "start_date", None) for price in prices)
    seen = re.findall(r"\b20\d\d-\d\d-\d\d\b", model.price_comments or "")
    return [*(day.isoformat() for day in starts if day), *seen]


# Prices in the data.


def _known_price(prices: ModelPrice) -> Price | None:
    """Return a price of the data; None for a model that is not paid by tokens."""
    if prices.input_mtok is None or prices.output_mtok is None:
        return None
    of_tokens = (prices.input_mtok, prices.output_mtok, prices.cache_read_mtok)
    listed = (*of_tokens, prices.cache_write_mtok)
    starts = {tier.start for price in listed for tier in getattr(price, "tiers", ())}
    tiers = tuple((start, _price_at(prices, start + 1)) for start in sorted(starts, reverse=True))
    return replace(_price_at(prices, 0), tiers=tiers)


def _price_at(prices: ModelPrice, tokens: int) -> Price:
    """Return the price of a request with so many tokens of input."""
    assert prices.input_mtok is not None  # noqa: S101 - a price has both
    assert prices.output_mtok is not None  # noqa: S101
    entry = _amount(prices.input_mtok, tokens)
    read, write, search, request = (
        prices.cache_read_mtok,
        prices.cache_write_mtok,
        prices.web_searches_kcount,
        prices.requests_kcount,
    )
    return Price(
        entry,
        _amount(prices.output_mtok, tokens),
        entry if read is None else _amount(read, tokens),
        entry if write is None else _amount(write, tokens),
        0.0 if search is None else _amount(search, tokens) / 1000,
        0.0 if request is None else _amount(request, tokens) / 1000,
        is_known=True,
    )


def _amount(price: Decimal | TieredPrices, tokens: int) -> float:
    base: Any = getattr(price, "base", price)
    tiers: list[Tier] = getattr(price, "tiers", [])
    return float(next((tier.price for tier in reversed(tiers) if tokens > tier.start), base))
