"""Keys, headers and conversations go to the origin that was configured, and to no other one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apis import over_all_apis
from engine_turns import run_prompt
from scripted_server import ScriptedServer, text

from msgbook.__main__ import main
from msgbook.config import ProviderSettings, Settings, load_settings
from msgbook.errors import ProviderError
from msgbook.messages import ApiName
from msgbook.provider import OpenAIProvider

OPENAIS = {
    "OPENAI_ORG_ID": "org-of-mine",
    "OPENAI_PROJECT_ID": "project-of-mine",
    "OPENAI_ADMIN_KEY": "admin-of-mine",
    "OPENAI_WEBHOOK_SECRET": "webhook-of-mine",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway-Key: header-of-mine\nX-Team: team-of-mine",
}


@pytest.fixture
def elsewhere() -> Iterator[ScriptedServer]:
    with ScriptedServer([text("taken")]) as other:
        yield other


@pytest.fixture
def openais(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in OPENAIS.items():
        monkeypatch.setenv(name, value)


def a_provider(server: ScriptedServer, api: ApiName = "chat") -> Settings:
    provider = ProviderSettings(
        "mine", server.url, "sk-of-mine", headers={"X-Api-Key": "xk-mine"}, api=api
    )
    return Settings({"mine": provider}, "m", approval="deny")


@over_all_apis
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_an_error_that_names_both(
    server, elsewhere, tmp_path: Path, status: int, api: ApiName
):
    server.answers = [text("not reached")]
    server.redirects = (status, elsewhere.url)

    turn = run_prompt(server, tmp_path, settings=a_provider(server, api))

    assert elsewhere.seen == []
    assert len(server.seen) == 1, "it is not tried again"
    assert turn["status"] == "error"
    message = turn["blocks"][-1]["message"]
    for words in (server.url, elsewhere.url):
        assert words.removesuffix("/v1") in message
    assert "base_url of [providers.mine] of msgbook.toml to its address, and restart" in message


@over_all_apis
def test_a_redirect_to_another_scheme_or_host_of_the_same_server_is_another_origin(
    server, tmp_path
):
    server.answers = [text("not reached")]
    for url in (
        server.url.replace("http:", "https:"),
        server.url.replace("127.0.0.1", "localhost"),
    ):
        server.redirects = (307, url)
        message = run_prompt(server, tmp_path)["blocks"][-1]["message"]
        assert url.removesuffix("/v1") in message
        assert "OPENAI_BASE_URL" in message


@over_all_apis
def test_a_redirect_within_the_origin_is_followed(server, tmp_path):
    server.answers = [text("hello")]
    server.redirects = (307, f"{server.url}/further")

    turn = run_prompt(server, tmp_path)

    assert turn["blocks"][-1]["text"] == "hello"


@over_all_apis
def test_what_a_redirect_says_shows_no_secret_and_steers_no_terminal(server, tmp_path, api):
    server.answers = [text("not reached")]
    server.redirects = (307, "http://sk-of-mine:sk-of-mine@evil.invalid/sk-of-mine")

    turn = run_prompt(server, tmp_path, settings=a_provider(server, api))

    assert "http://evil.invalid" in turn["blocks"][-1]["message"]
    assert "sk-of-mine" not in str(turn)


def models(settings: ProviderSettings) -> list[str]:
    async def ask() -> list[str]:
        provider = OpenAIProvider(settings)
        try:
            return await provider.models()
        finally:
            await provider.close()

    return asyncio.run(ask())


def test_the_list_of_models_is_not_asked_for_elsewhere(server, elsewhere):
    server.redirects = (302, elsewhere.url)

    with pytest.raises(ProviderError, match="redirects"):
        models(a_provider(server).provider)

    assert elsewhere.seen == []


@over_all_apis
def test_doctor_names_both_origins(server, elsewhere, monkeypatch, capsys):
    server.redirects = (302, elsewhere.url)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)

    code = main(["doctor", "--json", "--timeout", "30"])

    told = json.loads(capsys.readouterr().out)
    words = str(next(f for f in told["findings"] if f["check"] == "server"))
    assert code == 1
    for url in (server.url, elsewhere.url):
        assert url.removesuffix("/v1") in words
    assert elsewhere.seen == []


@pytest.mark.usefixtures("openais")
def test_what_the_environment_says_for_openai_reaches_no_other_provider(server, tmp_path):
    server.answers = [text("ok")]

    turn = run_prompt(server, tmp_path, settings=a_provider(server))
    models(a_provider(server).provider)

    assert turn["status"] == "done"
    assert len(server.seen) == 2
    assert [word for word in OPENAIS.values() if word in str(server.seen)] == []
    assert "of-mine" not in str(server.seen).replace("sk-of-mine", "")
    assert all(headers["x-api-key"] == "xk-mine" for headers in server.seen)


@pytest.mark.usefixtures("openais")
def test_what_the_file_says_of_organization_and_project_counts(server, tmp_path):
    server.answers = [text("ok")]
    headers = {"OpenAI-Organization": "org-of-the-file", "x-team": "team-of-the-file"}
    provider = ProviderSettings("mine", server.url, headers=headers)

    run_prompt(server, tmp_path, settings=Settings({"mine": provider}, "m"))

    assert server.seen[0]["openai-organization"] == "org-of-the-file"
    assert server.seen[0]["x-team"] == "team-of-the-file"


@pytest.mark.usefixtures("openais")
def test_the_environments_provider_is_sent_what_the_environment_says(server, tmp_path):
    server.answers = [text("the key is header-of-mine")]

    turn = run_prompt(server, tmp_path, **OPENAIS)

    sent: dict[str, Any] = server.seen[0]
    assert sent["openai-organization"] == "org-of-mine"
    assert sent["openai-project"] == "project-of-mine"
    assert (sent["x-gateway-key"], sent["x-team"]) == ("header-of-mine", "team-of-mine")
    assert turn["status"] == "done"


def test_what_is_secret_in_the_headers_of_the_environment_is_known_as_such():
    settings = load_settings({**OPENAIS, "OPENAI_API_KEY": "sk-of-mine"})

    assert {"header-of-mine", "admin-of-mine", "webhook-of-mine"} <= set(settings.secrets)
    assert "team-of-mine" not in settings.secrets


@over_all_apis
@pytest.mark.parametrize(
    "location", ["http://[", "javascript:alert(1)", "//", "///", "http://", "http://x:99999", "file:///etc/passwd",
                 "http://evil.invalid:0/", "\x80\xff", "http://" + "x" * 70_000]
)  # fmt: skip
def test_an_odd_redirect_ends_the_turn_in_a_line(server, elsewhere, tmp_path, location):
    server.answers = [text("not reached")]
    server.redirects = (307, location)

    turn = run_prompt(server, tmp_path)

    message = turn["blocks"][-1]["message"]
    assert turn["status"] == "error"
    assert "\n" not in message
    assert len(message) < 1000
    assert "bug in msgbook" not in message
