"""The SDK of Anthropic as msgbook uses it: which key and headers reach which server, and nothing else."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from scripted_server import ScriptedServer, text

from msgbook.config import ProviderSettings
from msgbook.errors import ProviderError
from msgbook.messages import user
from msgbook.provider import Request, server_class

KEY = "sk-ant-of-the-test"
OTHERS = {
    "ANTHROPIC_CUSTOM_HEADERS": "X-Leak: of-the-shell\nauthorization: Bearer of-the-shell",
    "ANTHROPIC_AUTH_TOKEN": "token-of-the-shell",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "ANTHROPIC_PROFILE": "profile-of-the-shell",
}


def settings(url: str, **more: Any) -> ProviderSettings:
    return ProviderSettings("claude", url, KEY, api="anthropic", **more)


def asked(server: ProviderSettings, **options: Any) -> list[Any]:
    async def ask() -> list[Any]:
        provider = server_class(server)(server, secrets=(KEY,), **options)
        try:
            request = Request("claude-opus-5", [user("hi")])
            return [event async for event in provider.stream(request)]
        finally:
            await provider.close()

    return asyncio.run(ask())


def models(server: ProviderSettings) -> list[str]:
    async def ask() -> list[str]:
        provider = server_class(server)(server, secrets=(KEY,))
        try:
            return await provider.models()
        finally:
            await provider.close()

    return asyncio.run(ask())


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in OTHERS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("shell")
def test_a_server_gets_its_own_key_and_nothing_of_the_environment(server: ScriptedServer) -> None:
    server.reset()
    server.answers = [text("ok")]

    asked(settings(server.url))
    models(settings(server.url))

    assert "of-the-shell" not in str(server.seen)
    for seen in server.seen:
        assert seen["authorization"] == f"Bearer {KEY}"
        assert seen["x-api-key"] == KEY  # servers of others know this one
        assert seen["anthropic-version"]
    assert server.targets == ["/v1/messages", "/v1/models?limit=1000"]


def test_headers_of_the_settings_win_whatever_their_case(server: ScriptedServer) -> None:
    server.reset()
    server.answers = [text("ok")]
    headers = {
        "Anthropic-Version": "2023-06-01",
        "x-api-key": "mine",
        "Authorization": "Bearer mine",
        "X-Team": "red",
    }

    asked(settings(server.url, headers=headers))

    (seen,) = server.seen
    wanted = {name.lower(): value for name, value in headers.items()}
    assert {name: seen[name] for name in wanted} == wanted
    assert KEY not in str(seen)


def test_anthropics_own_server_gets_the_key_once() -> None:
    sent: list[Any] = []

    def transport(http: Any) -> Any:
        def respond(request: Any) -> Any:
            sent.append(request)
            return http.Response(200, json={"type": "message", "content": []})

        return http.MockTransport(respond)

    asked(settings("https://api.anthropic.com/v1"), transport=transport)

    (request,) = sent
    assert str(request.url) == "https://api.anthropic.com/v1/messages"
    assert [v for v in request.headers.values() if KEY in v] == [f"Bearer {KEY}"]
    assert request.headers["accept-encoding"] == "identity"


def test_nothing_is_sent_to_another_origin(server: ScriptedServer) -> None:
    server.reset()
    server.answers = [text("not reached")]
    with ScriptedServer([text("elsewhere")]) as elsewhere:
        server.redirects = (307, elsewhere.url)
        for ask in (asked, models):
            with pytest.raises(ProviderError, match="redirects"):
                ask(settings(server.url))

        assert elsewhere.seen == []


def test_a_wrong_key_names_its_setting_and_is_not_shown() -> None:
    def transport(http: Any) -> Any:
        error = {"type": "authentication_error", "message": f"invalid x-api-key {KEY}"}
        body = {"type": "error", "error": error, "request_id": "req_1"}
        return http.MockTransport(lambda _request: http.Response(401, json=body))

    server = ProviderSettings(
        "anthropic",
        "https://api.anthropic.com/v1",
        KEY,
        "ANTHROPIC_API_KEY",
        api="anthropic",
        from_environment=True,
    )
    with pytest.raises(ProviderError) as failed:
        asked(server, transport=transport)

    assert KEY not in str(failed.value)
    assert failed.value.advice == "Check ANTHROPIC_API_KEY."


def test_without_the_extra_one_line_names_it() -> None:
    """The package cannot be hidden from this process, so another one looks for it where there is none."""
    program = """
import asyncio, sys
from importlib.machinery import PathFinder
from msgbook.config import ProviderSettings
from msgbook.messages import user
from msgbook.provider import Request, server_class

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name == "anthropic" else super().find_spec(name, path, target)

sys.meta_path = [Without if finder is PathFinder else finder for finder in sys.meta_path]

async def ask():
    server = ProviderSettings("claude", "http://127.0.0.1:9/v1", "k", api="anthropic")
    async for _ in server_class(server)(server).stream(Request("m", [user("hi")])):
        pass

try:
    asyncio.run(ask())
except Exception as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert 'pip install "msgbook[anthropic]"' in line


def test_the_list_of_models_may_be_long(server: ScriptedServer) -> None:
    server.reset()
    server.models = [f"claude-{number}" for number in range(50)]

    assert models(settings(server.url)) == server.models


def test_an_answer_that_was_not_streamed_is_read(server: ScriptedServer) -> None:
    server.reset()
    said = {"type": "text", "text": "plain"}
    body = {"type": "message", "role": "assistant", "content": [said], "stop_reason": "end_turn"}
    server.answers = [text("")]
    server.answers[0].body = json.dumps(body)

    events = asked(settings(server.url))

    assert [getattr(event, "text", "") for event in events if hasattr(event, "text")] == ["plain"]
