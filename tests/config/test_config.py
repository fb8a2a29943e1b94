"""Settings come from the environment, then from msgbook.toml; secrets are never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents.agent import parse_agent
from msgbook.config import Settings, load_settings
from msgbook.config.lines import find_line
from msgbook.errors import ConfigError


def test_without_settings_there_is_no_provider():
    assert load_settings({}) == Settings(approval="ask")


def test_the_environment_wins_over_the_file(toml):
    settings = toml(
        'model = "b"\n[providers.local]\nbase_url = "http://b"',
        MSGBOOK_MODEL="a",
        OPENAI_BASE_URL="http://a",
    )

    assert (settings.model, settings.provider.name, settings.provider.base_url) == (
        "a",
        "openai",
        "http://a",
    )


def test_the_file_names_a_server_and_the_variable_of_its_key(toml):
    settings = toml(
        'model = "b"\n[providers.local]\nbase_url = "http://b"\napi_key_env = "LOCAL_KEY"\n'
        'headers = { X-Team = "red" }',
        LOCAL_KEY="sk-local-key",
    )

    provider = settings.provider
    assert (settings.model, provider.name, provider.base_url) == ("b", "local", "http://b")
    assert (provider.api_key, provider.headers) == ("sk-local-key", {"X-Team": "red"})
    assert settings.warnings == ()


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("https://api.openai.com/v1", "responses"),
        ("https://eu.api.openai.com/v1", "responses"),
        ("https://api.openai.com.example/v1", "chat"),
        ("https://name.openai.azure.com/openai/v1", "chat"),
        ("http://localhost:11434/v1", "chat"),
    ],
)
def test_openais_own_servers_are_asked_by_the_responses_api_unless_another_is_set(toml, url, api):
    named = f'[providers.x]\nbase_url = "{url}"\n'

    assert toml(named).provider.api == api
    assert toml(named + 'api = "chat"').provider.api == "chat"
    assert toml(named + 'api = "responses"').provider.api == "responses"


def test_a_plug_in_is_no_server_of_openai(toml):
    assert toml('[providers.x]\nplugin = "echo"').provider.api == "chat"


def test_the_file_sets_the_api_of_the_server_of_the_environment(toml):
    assert toml("", OPENAI_API_KEY="sk-x").provider.api == "responses"
    assert toml("", OPENAI_BASE_URL="http://a").provider.api == "chat"
    found = toml('[providers.openai]\napi = "responses"', OPENAI_BASE_URL="http://a")
    assert (found.provider.api, found.warnings) == ("responses", ())


@pytest.mark.parametrize("value", ['"Chat"', "1", '["chat"]', '""'])
def test_an_unknown_api_is_a_warning_with_its_line(toml, value):
    settings = toml(f'[providers.x]\nbase_url = "http://u"\napi = {value}')

    assert settings.provider.api == "chat"
    assert [w.rpartition("/")[2] for w in settings.warnings] == [
        'msgbook.toml:3: api is ignored: expected "chat", "responses" or "anthropic".'
    ]


def test_unknown_keys_are_warned_about_with_file_and_line(toml):
    settings = toml(
        'model = "b"\ncolour = "red"\n[providers.x]\nbase_url = "http://u"\nbase_ulr = "v"'
    )

    assert settings.warnings == (
        "msgbook.toml:2: unknown key 'colour' is ignored.",
        "msgbook.toml:5: unknown key 'base_ulr' is ignored.",
    )


def test_a_key_variable_that_is_not_set_is_named(toml):
    settings = toml('[providers.x]\nbase_url = "http://u"\napi_key_env = "X_KEY"')

    assert settings.warnings == ("X_KEY, the api_key_env of provider x, is not set.",)


@pytest.mark.parametrize("text", ["model = ", "\udcff"])
def test_an_error_says_if_a_file_is_not_valid_toml(tmp_path, text):
    path = tmp_path / "msgbook.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))

    with pytest.raises(ConfigError, match=r"msgbook\.toml is not valid TOML"):
        load_settings({"MSGBOOK_CONFIG": str(path)})


def test_a_named_file_that_is_missing_says_so(tmp_path):
    with pytest.raises(ConfigError, match="MSGBOOK_CONFIG"):
        load_settings({"MSGBOOK_CONFIG": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    "entry",
    ['base_ulr = "http://local/v1"', 'base_url = ["http://local"]', 'base_url = ""', ""],
)
def test_a_server_without_a_url_is_an_error_and_never_openai(toml, entry):
    with pytest.raises(ConfigError, match=r"msgbook\.toml: base_url of \[providers\.local\]"):
        toml(f"[providers.local]\n{entry}")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENAI_BASE_URL", "localhost:8000"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:99999/v1"),
        ("OPENAI_BASE_URL", "ftp://host/v1"),
        ("OPENAI_API_KEY", "sk-one\nsk-two"),
        ("OPENAI_API_KEY", "schlüssel"),
        ("MSGBOOK_CONFIG", "~nobody-of-that-name/x.toml"),
    ],
)
def test_a_value_that_cannot_be_used_names_its_setting(variable, value):
    with pytest.raises(ConfigError, match=variable):
        load_settings({variable: value})


def test_wrong_types_are_warned_about(toml):
    settings = toml('providers = "x"\nmodel = 5')

    assert settings.warnings == (
        "msgbook.toml:2: model is ignored: expected a string.",
        "msgbook.toml:1: providers is ignored: expected a table.",
    )


def test_agents_and_mcp_servers_are_read_as_they_stand(toml):
    settings = toml(
        '[agents]\nbroken = 7\n[agents.reviewer]\nmodels = "m"\nodd = [1]\n'
        '[mcp_servers.files]\ncommand = "x"\n[mcp_servers.web]\nurl = "http://w"'
    )

    assert settings.agents == {"broken": 7, "reviewer": {"models": "m", "odd": [1]}}
    assert list(settings.mcp_servers) == ["files", "web"]
    assert settings.warnings == ()


@pytest.mark.parametrize("key", ["agents", "mcp_servers"])
def test_agents_and_mcp_servers_have_to_be_tables(toml, key):
    settings = toml(f"{key} = 3")

    assert (settings.agents, settings.mcp_servers) == ({}, {})
    assert settings.warnings == (f"msgbook.toml:1: {key} is ignored: expected a table.",)


FILE = """\
model = "m"
providers.a.base_url = "http://a"
[providers]
[providers.b]
prices = { m = { input = 1 } }
[[approval.rules]]
tool = "x"
text = \"\"\"
[no header
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("model",), 1),
        (("providers", "a", "base_url"), 2),
        (("providers", "a", "headers"), 2),
        (("providers", "b"), 4),
        (("providers", "b", "prices", "m"), 5),
        (("providers", "b", "headers"), 4),
        (("approval", "rules"), 6),
        (("approval", "rules", "tool"), 7),
        (("nothing",), 1),
    ],
)
def test_the_line_of_a_key_is_the_nearest_that_is_known(path, line):
    assert find_line(FILE.splitlines(), path) == line


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=3))
def test_no_text_keeps_a_line_from_being_named(lines, path):
    assert 1 <= find_line(lines, tuple(path)) <= max(1, len(lines))


def test_the_example_of_the_documentation_is_understood_whole(toml):
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]

    settings = toml(example, CLOUD_KEY="sk-0123456789")

    assert settings.warnings == ()
    assert list(settings.providers) == ["local", "cloud"]
    agent, notices = parse_agent("reviewer", settings.agents["reviewer"], "configuration")
    assert (agent.provider, agent.models, notices) == ("cloud", ("big-1",), ())
    assert set(settings.providers["cloud"].prices) == set(agent.models)


def test_a_file_that_is_missing_is_named_with_its_folder(tmp_path):
    with pytest.raises(ConfigError, match=str(tmp_path / "no" / "x.toml")):
        load_settings({"MSGBOOK_CONFIG": str(tmp_path / "no" / "x.toml")})
