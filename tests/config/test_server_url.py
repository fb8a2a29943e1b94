"""A server's URL as people have it: with a query, or that of a whole endpoint."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import text

from msgbook.config import load_settings, split_query
from msgbook.config.urls import read_server_url
from msgbook.messages import user
from msgbook.provider import Request
from msgbook.provider.servers import new_provider

AZURE = "https://x.openai.azure.com/openai/deployments/d"
AZURE_AI = "https://r.services.ai.azure.com/models"
VERSION = "?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("given", "base", "api"),
    [
        ("http://h/v1", "http://h/v1", None),
        ("http://h/v1/", "http://h/v1/", None),
        ("http://h/v1/chat/completions", "http://h/v1", "chat"),
        ("http://h/v1/chat/completions/", "http://h/v1", "chat"),
        ("http://h/v1/Chat/Completions", "http://h/v1", "chat"),
        ("http://h/chat/completions", "http://h", "chat"),
        ("http://h/v1/responses", "http://h/v1", "responses"),
        ("http://h/v1/models", "http://h/v1/models", None),
        (f"{AZURE_AI}{VERSION}", f"{AZURE_AI}{VERSION}", None),
        (f"{AZURE_AI}/chat/completions{VERSION}", f"{AZURE_AI}{VERSION}", "chat"),
        (f"{AZURE}{VERSION}", f"{AZURE}{VERSION}", None),
        (f"{AZURE}/chat/completions{VERSION}", f"{AZURE}{VERSION}", "chat"),
        ("http://h/my-responses", "http://h/my-responses", None),
        ("http://[bad", "http://[bad", None),
    ],
)
def test_the_url_of_an_endpoint_is_taken_as_its_base_with_its_api(given, base, api):
    assert read_server_url(given) == (base, api)


@given(st.text(max_size=30))
def test_any_url_is_read_and_keeps_its_server(path):
    assert read_server_url(f"http://h/{path}").base.startswith("http://h")


@pytest.mark.parametrize(
    ("url", "query"),
    [
        ("http://h/v1", ""),
        ("http://h/v1?a=1&b=%20x", "?a=1&b=%20x"),
        ("http://h/v1/?a", "?a"),
        ("http://h/v1?", ""),
    ],
)
def test_a_query_stays_as_it_is_written(url, query):
    bare, found = split_query(url)

    assert "?" not in bare
    assert found == query


@pytest.mark.parametrize(
    ("end", "path"),
    [
        ("", "/v1/chat/completions"),
        ("?api-version=2024-10-21&x=a%2Fb", "/v1/chat/completions?api-version=2024-10-21&x=a%2Fb"),
        ("/?k=1", "/v1/chat/completions?k=1"),
        ("/chat/completions", "/v1/chat/completions"),
        ("/chat/completions?k=1", "/v1/chat/completions?k=1"),
        ("/responses?k=1", "/v1/responses?k=1"),
    ],
)
def test_each_request_goes_to_its_endpoint_with_the_query(server, end, path):
    server.answers = [text("ok")]
    settings = load_settings({"OPENAI_BASE_URL": f"{server.url}{end}"})
    provider = new_provider(settings.provider, settings)

    async def ask():
        async for _ in provider.stream(Request("m", [user("hi")])):
            pass
        models = await provider.models()
        await provider.close()
        return models

    assert asyncio.run(ask()) == ["scripted"]
    _, question, query = path.partition("?")
    assert server.targets == [path, f"/v1/models{question}{query}"]


def test_the_api_that_is_set_wins_over_that_of_the_url(tmp_path):
    file = tmp_path / "msgbook.toml"
    file.write_text('[providers.a]\nbase_url = "http://h/v1/chat/completions"\napi = "responses"\n')

    provider = load_settings({"MSGBOOK_CONFIG": str(file)}).provider

    assert (provider.base_url, provider.api) == ("http://h/v1", "responses")
