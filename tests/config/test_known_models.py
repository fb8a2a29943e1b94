"""Windows and prices of known models: whose they are, what the user's own settings change, what is not known."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from msgbook.config import ProviderSettings
from msgbook.config.known_models import (
    describe_data,
    describe_unknown,
    find_price,
    find_window,
)
from msgbook.config.prices import Price

OPENAI = ProviderSettings("openai")
ANTHROPIC = ProviderSettings("claude", "https://api.anthropic.com")
LOCAL = ProviderSettings("local", "http://127.0.0.1:8000/v1")
OPENROUTER = ProviderSettings("openrouter", "https://openrouter.ai/api/v1")
GEMINI = ProviderSettings("g", "https://generativelanguage.googleapis.com/v1beta/openai")
PLUGIN = ProviderSettings("mine", plugin="mine")


@pytest.mark.parametrize(
    ("server", "model", "window"),
    [
        (OPENAI, "gpt-4o", 128_000),
        (OPENAI, "gpt-4o-2024-08-06", 128_000),
        (ANTHROPIC, "claude-opus-4-5-20251101", 200_000),
        (OPENROUTER, "openai/gpt-4o", 128_000),
        (OPENROUTER, "openai/gpt-4o:online", 128_000),
        (GEMINI, "models/gemini-2.5-flash-lite", 1_000_000),
        (LOCAL, "claude-opus-4-5", 200_000),
        (LOCAL, "anthropic/claude-opus-4-5", 200_000),
        (LOCAL, "openai/gpt-4o", 128_000),
        (LOCAL, "gpt-oss-20b", None),
        (LOCAL, "deepseek-r1:8b", None),
        (LOCAL, "llama3", None),
        (LOCAL, "mistral", None),
        (OPENAI, "no-such-model", None),
        (OPENAI, "x" * 100_000, None),
        (PLUGIN, "gpt-4o", None),
        (None, "demo", None),
    ],
)
def test_a_window_is_that_of_the_server_or_of_a_maker_whose_models_only_gateways_offer(
    server, model, window
):
    assert find_window(server, model) == window


def test_the_windows_of_the_user_win():
    own = ProviderSettings("openai", context_window=4096)

    assert find_window(own, "gpt-4o") == find_window(own, "no-such-model") == 4096


def test_a_known_price_has_its_own_for_cached_and_written_tokens_and_for_searches():
    price = find_price(ANTHROPIC, "claude-opus-4-5")

    assert price == Price(
        input=5, output=25, cached=0.5, cache_write=6.25, web_search=0.01, is_known=True
    )
    assert find_price(GEMINI, "models/gemini-2.5-flash-lite") is not None


def test_the_prices_of_the_user_win_under_either_name():
    own = ProviderSettings(
        "claude", "https://api.anthropic.com", prices={"claude-opus-4-5": {"input": 1, "output": 2}}
    )

    assert find_price(own, "claude-opus-4-5") == Price(1, 2, cached=1, cache_write=1)
    assert find_price(own, "claude-opus-4-5-20251101", "claude-opus-4-5") == Price(1, 2, 1, 1)
    assert find_price(own, "", "claude-sonnet-4-5") == find_price(ANTHROPIC, "claude-sonnet-4-5")


@pytest.mark.parametrize("model", ["no-such-model", "", "x" * 100_000, "whisper-1", "\ud800"])
def test_what_has_no_price_for_tokens_has_none(model):
    assert find_price(OPENAI, model) is None


def test_each_kind_of_token_costs_what_it_costs():
    price = Price(input=10, output=100, cached=1, cache_write=12, web_search=0.01)
    usage = {
        "input_tokens": 1_000_000,
        "cached_tokens": 500_000,
        "cache_write_tokens": 100_000,
        "output_tokens": 10_000,
        "web_searches": 3,
    }

    assert price.cost(usage) == pytest.approx(0.4 * 10 + 0.5 + 1.2 + 1 + 0.03)


def test_a_request_may_have_a_price_of_its_own():
    perplexity = ProviderSettings("p", "https://api.perplexity.ai")
    own = replace(perplexity, prices={"m": {"input": 0, "output": 0, "request": 0.5}})
    usage = {"input_tokens": 0, "output_tokens": 0}

    known, mine = find_price(perplexity, "sonar-pro"), find_price(own, "m")

    assert known is not None
    assert known.cost(usage) == pytest.approx(0.014)
    assert mine is not None
    assert mine.cost(usage, requests=3) == pytest.approx(1.5)


def test_a_name_that_adds_a_search_has_no_price_but_the_users():
    """What the search costs, nobody says; the model's own price would be too low."""
    own = replace(OPENROUTER, prices={"openai/gpt-4o:online": {"input": 1, "output": 2}})

    assert find_price(OPENROUTER, "openai/gpt-4o:nitro") == find_price(OPENROUTER, "openai/gpt-4o")
    assert find_price(OPENROUTER, "openai/gpt-4o:online") is None
    assert find_price(own, "openai/gpt-4o:online") == Price(1, 2, 1, 1)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 3}, {"output_tokens": 3}])
def test_a_count_that_was_not_reported_has_no_cost(usage):
    assert Price(1, 1, 1, 1).cost(usage) is None


def test_more_cached_or_written_tokens_than_were_sent_make_no_cost_negative():
    price = Price(input=10, output=0, cached=1, cache_write=2)
    lies = {"input_tokens": 10, "output_tokens": 0, "cached_tokens": 99, "cache_write_tokens": 99}

    assert price.cost(lies) == pytest.approx(10 / 1_000_000)


def test_a_long_request_costs_what_long_requests_cost():
    price = find_price(ANTHROPIC, "claude-sonnet-4-5")
    short, long = ({"input_tokens": n, "output_tokens": 0} for n in (200_000, 200_001))

    assert price.cost(short) == pytest.approx(0.6)
    assert price.cost(long) == pytest.approx(1.2, rel=1e-3)
    # Two requests of half the length are short ones.
    assert price.cost(long, requests=2) == pytest.approx(0.6, rel=1e-3)


def test_a_price_is_that_of_its_time():
    deepseek = ProviderSettings("d", "https://api.deepseek.com/v1")
    then, later = datetime(2025, 3, 1, 0, tzinfo=UTC), datetime(2025, 3, 1, 12, tzinfo=UTC)

    before = find_price(deepseek, "deepseek-chat", at=then)

    assert before != find_price(deepseek, "deepseek-chat", at=later)
    # The next look in between changes nothing.
    assert find_price(deepseek, "deepseek-chat", at=then) == before


def test_what_is_not_known_is_said_with_what_to_set():
    words = describe_unknown(OPENAI, "no-such-model")

    assert "no-such-model" in words
    assert "[providers.openai.prices]" in words
    assert "context_window" in words


@pytest.mark.parametrize(
    ("server", "model"),
    [
        (OPENAI, "gpt-4o"),
        (LOCAL, "llama3"),
        (PLUGIN, "no-such-model"),
        (None, "demo"),
        (
            ProviderSettings(
                "openai", context_window=1, prices={"no-such-model": {"input": 0, "output": 0}}
            ),
            "no-such-model",
        ),
    ],
)
def test_nothing_is_said_of_what_is_known_or_set_or_of_a_server_of_the_users_own(server, model):
    assert describe_unknown(server, model) == ""


def test_how_old_the_data_is_can_be_said():
    assert re.fullmatch(
        r"genai-prices \d+\.\d+\S*, whose newest entry is of 202\d-\d\d-\d\d",
        str(describe_data()),
    )


def test_nothing_is_imported_before_a_model_is_looked_up_and_nothing_is_fetched():
    code = (
        "import sys, threading, msgbook.config, msgbook.config.known_models as k;"
        "before = 'genai_prices' in sys.modules;"
        "sys.addaudithook(lambda e, a: e.startswith('socket.') and sys.exit(e));"
        "k.find_price(msgbook.config.ProviderSettings('p'), 'gpt-4o');"
        "print(before, threading.active_count())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False 1\n"
