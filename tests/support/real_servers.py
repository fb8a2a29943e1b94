"""A user of a server that others wrote, over one API and over the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aimock import Aimock, aimock
from engine_turns import run_prompt

from msgbook.config import load_settings

Settings = Callable[..., dict[str, str]]


@pytest.fixture(params=["chat", "responses"])
def api(request: pytest.FixtureRequest) -> str:
    """The API over which the server is asked."""
    name: str = request.param
    return name


@pytest.fixture
def settings(api: str, tmp_path: Path) -> Settings:
    """Writes a msgbook.toml for a server; the environment variables of its user."""

    def write(url: str, model: str = "m", *lines: str, **env: str) -> dict[str, str]:
        config = tmp_path / "msgbook.toml"
        provider = [f'base_url = "{url}"', 'api_key_env = "SERVER_KEY"']
        # A server at an address of one's own is asked by the chat API unless the file says otherwise.
        provider += [f'api = "{api}"'] if api != "chat" else []
        head = [f'model = "{model}"', "[providers.real]", *provider, *lines]
        config.write_text("\n".join(head) + "\n", "utf-8")
        return {"MSGBOOK_CONFIG": str(config), "SERVER_KEY": "sk-of-the-user", **env}

    return write


@pytest.fixture
def ask(settings: Settings, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Runs one prompt against a server and returns the turn; names in capitals are variables."""

    def run(server: Any, prompt: str, *, model: str = "m", **more: Any) -> dict[str, Any]:
        env = settings(
            server.url, model, **{key: more.pop(key) for key in [*more] if key.isupper()}
        )
        return run_prompt(server, tmp_path, prompt, settings=load_settings(env), **more)

    return run


@pytest.fixture(scope="module")
def module_aimock() -> Iterator[Aimock]:
    with aimock() as running:
        yield running


@pytest.fixture
def mock(module_aimock: Aimock) -> Aimock:
    """A server that answers by the fixtures that a test gives it."""
    module_aimock.answers()
    return module_aimock
