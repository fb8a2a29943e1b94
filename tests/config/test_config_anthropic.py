"""The settings of a server of Anthropic's Messages API."""

from __future__ import annotations

import pytest

from msgbook.config import hide_keys, load_settings
from msgbook.errors import ConfigError

KEY = "sk-ant-of-the-test"
URL = "https://api.anthropic.com/v1"


def load(tmp_path, text="", **env):
    file = tmp_path / "msgbook.toml"
    file.write_text(text)
    return load_settings({"MSGBOOK_CONFIG": str(file), **env})


def test_the_key_alone_is_a_working_configuration(tmp_path):
    settings = load(tmp_path, ANTHROPIC_API_KEY=KEY, MSGBOOK_MODEL="claude-sonnet-5-5")

    server = settings.provider
    assert (server.name, server.base_url, server.api) == ("anthropic", URL, "anthropic")
    assert (server.api_key, server.documents, settings.model) == (KEY, True, "claude-sonnet-5-5")
    assert settings.warnings == ()


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("https://proxy.example/anthropic", "https://proxy.example/anthropic/v1"),
        ("https://proxy.example/v1/", "https://proxy.example/v1/"),
        ("https://proxy.example/v1/messages", "https://proxy.example/v1"),
        ("https://proxy.example/?team=red", "https://proxy.example/v1?team=red"),
    ],
)
def test_its_url_may_be_changed_and_needs_no_version(tmp_path, given, base):
    settings = load(tmp_path, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=given)
    table = load(tmp_path, f'[providers.p]\napi = "anthropic"\nbase_url = "{given}"')

    assert settings.provider.base_url == table.provider.base_url == base


def test_the_url_of_its_endpoint_says_its_api(tmp_path):
    settings = load(tmp_path, '[providers.p]\nbase_url = "https://p.example/v1/messages"')

    assert (settings.provider.base_url, settings.provider.api) == (
        "https://p.example/v1",
        "anthropic",
    )


def test_a_table_needs_no_url_and_has_its_own_key(tmp_path):
    text = '[providers.claude]\napi = "anthropic"\napi_key_env = "MY_KEY"'
    settings = load(tmp_path, text, MY_KEY="sk-ant-mine", ANTHROPIC_API_KEY=KEY)

    assert [(p.name, p.base_url, p.api_key) for p in settings.providers.values()] == [
        ("claude", URL, "sk-ant-mine"),
        ("anthropic", URL, KEY),
    ]
    assert KEY in settings.secrets


def test_other_servers_come_first(tmp_path):
    settings = load(tmp_path, ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY="sk-of-openai")

    assert list(settings.providers) == ["openai", "anthropic"]


def test_a_table_of_the_same_name_adds_options_to_the_server_of_the_environment(tmp_path):
    text = "[providers.anthropic]\nkeep_reasoning = true"
    settings = load(tmp_path, text, ANTHROPIC_API_KEY=KEY)

    assert list(settings.providers) == ["anthropic"]
    assert (settings.provider.api_key, settings.provider.keep_reasoning) == (KEY, True)
    assert settings.provider.api == "anthropic"


def test_a_table_of_the_same_name_with_a_server_of_its_own_gets_no_key_of_the_environment(tmp_path):
    text = '[providers.anthropic]\napi = "anthropic"\nbase_url = "https://other.example"'
    settings = load(tmp_path, text, ANTHROPIC_API_KEY=KEY)

    assert settings.provider.base_url == "https://other.example/v1"
    assert settings.provider.api_key is None


def test_a_chat_server_at_anthropics_url_stays_one(tmp_path):
    settings = load(tmp_path, f'[providers.p]\nbase_url = "{URL}"')

    assert settings.provider.api == "chat"


def test_a_key_that_no_header_can_carry_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        load(tmp_path, ANTHROPIC_API_KEY="sk ant")


def test_its_keys_are_hidden_from_other_programs(tmp_path):
    env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": "token-of-the-test", "HOME": "/h"}
    hide_keys(load(tmp_path, **env), env)

    assert env == {"HOME": "/h"}


def test_a_table_of_options_alone_says_what_is_missing_without_the_key(tmp_path):
    with pytest.raises(ConfigError) as failed:
        load(tmp_path, "[providers.anthropic]\nkeep_reasoning = true").usable_provider()

    words = "[providers.anthropic] has no base_url, and ANTHROPIC_API_KEY is not set in the environment."
    assert words in str(failed.value)
