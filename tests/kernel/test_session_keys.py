"""A key of the session reaches the provider for whose server it was entered, and no other."""

from __future__ import annotations

import asyncio
import json

import pytest

from msgbook.config import load_settings
from msgbook.kernel.session_keys import SessionKeys, read_keys

KEY = "sk-0123456789-secret"
URL = "http://h/v1"
SETTINGS = """
[providers.main]
base_url = "http://h/v1"
api_key_session = true

[providers.same]
base_url = "http://h/v1"

[providers.other]
base_url = "http://other/v1"
api_key_session = true
"""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MSGBOOK_MODEL", "MSGBOOK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    (tmp_path / "msgbook.toml").write_text(SETTINGS)
    return load_settings()


def test_only_a_provider_that_wants_it_and_has_that_server_gets_the_key(settings):
    async def given():
        keys = SessionKeys()
        keys.take({URL: KEY, "http://elsewhere/v1": "sk-elsewhere"})
        return await keys.wait_for(settings)

    found = asyncio.run(given())

    keys = {name: provider.api_key for name, provider in found.providers.items()}
    assert keys == {"main": KEY, "same": None, "other": None}
    assert KEY in found.secrets
    assert "Provider other has no key" in found.warnings[-1]
    assert KEY not in repr(found)


def test_the_first_cell_waits_until_the_key_comes(settings):
    async def given():
        keys = SessionKeys()
        waiting = asyncio.ensure_future(keys.wait_for(settings, seconds=300))
        await asyncio.sleep(0)
        assert not waiting.done()
        keys.take({URL: KEY})
        return await waiting

    assert asyncio.run(given()).provider.api_key == KEY


def test_where_no_server_hands_keys_over_the_warning_says_what_to_do(settings):
    found = asyncio.run(SessionKeys().wait_for(settings, seconds=0))

    assert "Connect a Model" in found.warnings[0]
    assert found.provider.api_key is None


@pytest.mark.parametrize(
    "buffer",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"\xff",
        b'{"u": 1}',
        b'{"u": ""}',
        b'{"u": "a b"}',
        b'{"u": "a\\nb"}',
        b"[" * 9999,
    ],
)
def test_what_is_no_key_is_left_out(buffer):
    assert read_keys([memoryview(buffer)]) == {}
    assert read_keys(None) == read_keys([]) == {}
    assert read_keys([json.dumps({URL: KEY}).encode()]) == {URL: KEY}
