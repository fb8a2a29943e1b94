"""Several model servers in the settings, and that of the environment beside them."""

from __future__ import annotations

import pytest

from msgbook.config import hide_keys, load_settings, redact
from msgbook.errors import ConfigError

TWO = (
    '[providers.near]\nbase_url = "http://near"\napi_key_env = "NEAR_KEY"\n'
    '[providers.far]\nbase_url = "http://me:pass-word@far"\napi_key_env = "FAR_KEY"\n'
    "keep_reasoning = true\nalternate = true\n"
    'headers = { Authorization = "Bearer sk-in-a-header" }\n'
)
KEYS = {"NEAR_KEY": "sk-near-0123456789", "FAR_KEY": "sk-far-0123456789"}


def test_each_provider_of_the_file_is_there_and_the_first_is_the_default(toml):
    settings = toml(TWO, **KEYS)

    assert list(settings.providers) == ["near", "far"]
    assert settings.provider is settings.providers["near"]
    wants = [(p.keep_reasoning, p.alternate) for p in settings.providers.values()]
    assert wants == [(False, False), (True, True)]
    assert settings.warnings == ()


def test_the_environments_server_comes_before_those_of_the_file(toml):
    settings = toml(TWO, OPENAI_BASE_URL="http://here", **KEYS)

    assert list(settings.providers) == ["openai", "near", "far"]
    assert settings.provider.from_environment
    assert not settings.providers["near"].from_environment


def test_what_is_secret_of_any_provider_is_secret(toml):
    settings = toml(TWO, OPENAI_API_KEY="sk-of-openai-1", **KEYS)

    text = "sk-of-openai-1 sk-near-0123456789 sk-far-0123456789 sk-in-a-header pass-word"
    assert redact(text, settings.secrets) == " ".join(["[redacted]"] * 5)
    assert [word for word in text.split() if word in repr(settings)] == []


def test_the_keys_of_all_providers_are_taken_out_of_the_environment(toml):
    environ = {**KEYS, "OPENAI_API_KEY": "sk-of-openai-1", "BROKEN": "sk-broken-1", "HOME": "h"}
    settings = toml(TWO + '[providers.x]\napi_key_env = "BROKEN"', **environ)

    hide_keys(settings, environ)

    assert environ == {"HOME": "h"}
    assert "sk-broken-1" in settings.secrets


def test_the_environments_table_without_the_environment_names_its_variables(toml):
    with pytest.raises(
        ConfigError, match="no base_url, and neither OPENAI_API_KEY nor OPENAI_BASE_URL"
    ):
        toml('[providers.openai]\napi = "chat"')


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("", "base_url of [providers.x] is missing"),
        ('base_url = "far"', "base_url of [providers.x] is not a URL"),
        ('base_url = "http://["', "base_url of [providers.x] is not a URL"),
        ('base_url = "http://x"\nheaders = 7', "headers of [providers.x] is not a table"),
        ('base_url = "http://x"\nheaders = { A = "ä" }', "characters that a header cannot have"),
        (
            'base_url = "http://x"\nheaders = { A = "a\\nb" }',
            "characters that a header cannot have",
        ),
        (
            'base_url = "http://x"\napi_key_env = "ODD"',
            "ODD contains a line break or characters that a key cannot",
        ),
    ],
)
def test_a_broken_provider_is_a_warning_unless_it_is_the_default(toml, entry, problem):
    settings = toml(f"{TWO}[providers.x]\n{entry}", ODD="sk-odd-0123456789\nx", **KEYS)

    assert len(settings.warnings) == 1
    assert problem in settings.warnings[0]
    assert settings.warnings[0].endswith("The provider x is not used.")
    assert problem in settings.providers["x"].problem
    assert settings.provider.name == "near"
    with pytest.raises(ConfigError, match=problem.replace("[", r"\[").replace("]", r"\]")):
        toml(f"[providers.x]\n{entry}\n{TWO}", ODD="sk-odd-0123456789\nx")


def test_a_provider_that_is_no_table_is_broken(toml):
    settings = toml('[providers]\nx = { base_url = "http://x" }\ny = 7')

    assert settings.providers["y"].problem
    assert not settings.providers["x"].problem


def test_only_the_default_provider_is_warned_about_for_a_key_that_is_not_set(toml):
    assert toml(TWO, NEAR_KEY="sk-near-0123456789").warnings == ()
    assert "NEAR_KEY" in toml(TWO, FAR_KEY="sk-far-0123456789").warnings[0]


def test_wishes_of_wrong_types_are_warned_about_with_the_line_of_their_own_table(toml):
    settings = toml(
        '[providers.a]\nbase_url = "http://a"\nalternate = true\n'
        '[providers."b c"]\nbase_url = "http://b"\nalternate = "yes"\nkeep_reasoning = 1\n'
        "[providers.d]\nbase_url = 'http://d'\nprices.m = 1\ncolour = 1"
    )

    assert [p.alternate for p in settings.providers.values()] == [True, False, False]
    assert sorted(line.split(" ")[0:2] for line in settings.warnings) == [
        ["msgbook.toml:10:", "prices"],
        ["msgbook.toml:11:", "unknown"],
        ["msgbook.toml:6:", "alternate"],
        ["msgbook.toml:7:", "keep_reasoning"],
    ]


def test_what_the_file_says_of_openai_never_reaches_the_environments_server(toml):
    settings = toml(
        '[providers.openai]\nbase_url = "http://elsewhere"\napi_key_env = "MINE"\n'
        'keep_reasoning = true\nheaders = { Authorization = "sk-in-a-header" }',
        OPENAI_API_KEY="sk-of-openai-1",
        MINE="sk-of-mine-1",
    )

    provider = settings.provider
    assert (provider.base_url, provider.api_key, provider.headers) == (None, "sk-of-openai-1", {})
    assert provider.keep_reasoning
    assert [line.split(" ")[:2] for line in settings.warnings] == [
        ["msgbook.toml:2:", "base_url"],
        ["msgbook.toml:3:", "api_key_env"],
        ["msgbook.toml:5:", "headers"],
    ]
    assert redact("sk-in-a-header sk-of-mine-1", settings.secrets) == "[redacted] [redacted]"
    assert set(settings.key_variables) == {"OPENAI_API_KEY", "MINE"}


def test_the_same_server_in_environment_and_file_is_no_reason_for_a_warning(toml):
    settings = toml(
        '[providers.openai]\nbase_url = "https://api.openai.com/v1/"\n'
        'api_key_env = "OPENAI_API_KEY"',
        OPENAI_API_KEY="sk-of-openai-1",
    )

    assert settings.warnings == ()


LOCAL = 'model = "qwen3"\n[providers.ollama]\nbase_url = "http://localhost:11434/v1"\n'


def settings_of(tmp_path, text, **env):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return load_settings({"MSGBOOK_CONFIG": str(path), **env})


def test_a_model_of_the_file_that_the_server_of_the_environment_is_asked_for_gives_a_warning(
    tmp_path,
):
    settings = settings_of(tmp_path, LOCAL, OPENAI_API_KEY="sk-0123456789")

    assert (settings.provider.name, settings.model) == ("openai", "qwen3")
    assert settings.warnings == (str(settings.overridden),)
    assert settings.warnings[0].startswith(
        "The providers of mine.toml are not the default, because OPENAI_API_KEY is set; the server of the "
        "environment is asked for 'qwen3'. Unset OPENAI_API_KEY "
    )
    assert 'provider = "ollama"' in settings.overridden.advice


def test_the_environment_goes_first_without_a_warning_where_it_names_the_model_itself(tmp_path):
    env = {"OPENAI_BASE_URL": "http://h:1/v1", "MSGBOOK_MODEL": "m"}
    settings = settings_of(tmp_path, LOCAL, **env)

    assert settings.warnings == ()
    assert settings.overridden.words.endswith("because OPENAI_BASE_URL is set.")
    assert settings.overridden.advice.startswith("Unset OPENAI_BASE_URL ")


@pytest.mark.parametrize(
    ("text", "env"),
    [
        (LOCAL, {}),
        (LOCAL, {"OPENAI_BASE_URL": "http://localhost:11434/v1/"}),
        (
            f"[providers.openai]\nkeep_reasoning = true\n{LOCAL[16:]}",
            {"OPENAI_API_KEY": "sk-0123456789"},
        ),
        ('model = "m"', {"OPENAI_API_KEY": "sk-0123456789"}),
    ],
)
def test_a_default_of_the_file_or_the_same_server_is_not_overridden(tmp_path, text, env):
    settings = settings_of(tmp_path, text, **env)

    assert (settings.warnings, settings.overridden) == ((), None)
