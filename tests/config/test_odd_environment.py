"""Settings of the environment that cannot be used: an error that names the variable, its value and what to do."""

from __future__ import annotations

import os

import pytest

from msgbook.config import load_settings
from msgbook.errors import ConfigError
from msgbook.network.variables import examine_environment

SERVER = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}


@pytest.fixture
def problem(tmp_path, monkeypatch):
    """Reads the settings of an environment, and returns the error."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))

    def read(**env: str) -> str:
        with pytest.raises(ConfigError) as error:
            load_settings({**SERVER, **env})
        return str(error.value)

    return read


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("127.0.0.1:1/v1", "it has no scheme"),
        ("localhost", "it has no scheme"),
        ("https:/host/v1", "it names no host"),
        ("http://", "it names no host"),
        ("ftp://host/v1", "it begins with ftp:"),
        ("http://host:port/v1", "its port is not a number from 1 to 65535"),
        ("http://host:0/v1", "its port is not a number from 1 to 65535"),
        ("http://host:99999/v1", "its port is not a number from 1 to 65535"),
        ("http://[::1/v1", "the part with its host cannot be read"),
        ("http://ex\u2100mple.com", "the part with its host cannot be read"),
        ("http://ho st/v1", "a blank, a line break"),
        ("http://ho\nst/v1", "a blank, a line break"),
        ("http://host/v1\u202e", "a blank, a line break or another character"),
        ("http://host\udcff/v1", "a blank, a line break or another character"),
        ("http://a..b/v1", "its host is not the name of one"),
        (f"http://{'x' * 64}/v1", "its host is not the name of one"),
    ],
)
def test_a_url_that_is_none_is_shown_with_what_is_wrong(problem, url, words):
    said = problem(OPENAI_BASE_URL=url)

    assert said.startswith(f"OPENAI_BASE_URL is not a URL{' (' if '://' in url else ': '}")
    assert words in said
    assert "Expected one like http://localhost:11434/v1." in said
    assert said.isprintable()


@pytest.mark.parametrize(
    "value",
    ["sk-proj-abcdef0123456789", "sk-proj-abcdef 0123456789", "Bearer sk-abcdef", "gsk_0:abcdef", "x/abcdef"],
)  # fmt: skip
def test_a_key_in_the_place_of_a_url_is_not_shown(problem, value):
    said = problem(OPENAI_BASE_URL=value)

    assert said.startswith("OPENAI_BASE_URL is not a URL: it ")
    assert "abcdef" not in said
    [row] = examine_environment({"OPENAI_BASE_URL": value}, [])
    assert row.status == "fail"
    assert "abcdef" not in f"{row.words} {row.advice}"


@pytest.mark.parametrize(
    "url", ["me:secret-of-mine@h", "http://me:secret-of-mine@h:port/?key=secret-of-mine"]
)
def test_a_url_that_is_none_shows_no_password(problem, url):
    assert "secret-of-mine" not in problem(OPENAI_BASE_URL=url)


@pytest.mark.parametrize("blank", ["", " ", "\n", "\t "])
def test_a_blank_variable_counts_as_not_set(problem, blank):
    names = (
        "OPENAI_API_KEY",
        "MSGBOOK_MODEL",
        "MSGBOOK_CONFIG",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    )
    found = load_settings({**SERVER, **dict.fromkeys(names, blank)})

    assert found.provider
    assert (found.provider.api_key, found.model, found.provider.headers) == (None, None, {})
    assert load_settings({"OPENAI_BASE_URL": blank}).provider is None


@pytest.mark.parametrize("value", ["a\nb", "a\x01b", "a\udcffb", "a\u202eb"])
@pytest.mark.parametrize(
    "name", ["MSGBOOK_MODEL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"]
)
def test_a_value_with_characters_that_cannot_be_sent_is_named(problem, name, value):
    said = problem(**{name: value})

    assert said.startswith(name)
    assert "a line break or" in said
    assert said.isprintable()


@pytest.mark.parametrize("line", ["X Y: z", "X-Ü: z", ": z", "X: ü", "X: \udcff", "X-Y\x01: z"])
def test_a_header_that_cannot_be_sent_is_named(problem, line):
    said = problem(OPENAI_CUSTOM_HEADERS=f"X-Team: red\n{line}")

    assert said.startswith("OPENAI_CUSTOM_HEADERS contains a header that cannot be sent")


def test_what_no_server_of_the_environment_needs_is_not_looked_at(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))

    assert load_settings({"OPENAI_ORG_ID": "a\nb", "OPENAI_CUSTOM_HEADERS": ": z"}).provider is None


def test_a_file_that_cannot_be_read_is_named_with_its_variable(problem, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (
        str(tmp_path),
        "/nonexistent/x.toml",
        str(pipe),
        "/dev/zero",
        f"/{'x' * 300}",
        "/a\udcff",
    ):
        assert "MSGBOOK_CONFIG" in problem(MSGBOOK_CONFIG=path)
    assert problem(MSGBOOK_CONFIG="~nobody-of-this-name/x").startswith("MSGBOOK_CONFIG")


def test_the_null_device_is_a_file_without_settings():
    assert load_settings({"MSGBOOK_CONFIG": os.devnull}).provider is None


@pytest.mark.parametrize("value", ["yes", "al low", "\udcff", "allow\ndeny", "1"])
def test_an_odd_approval_counts_as_deny_and_is_said(value):
    found = load_settings({"MSGBOOK_APPROVAL": value, "MSGBOOK_CONFIG": os.devnull})

    assert found.approval == "deny"
    assert found.warnings[0].startswith("MSGBOOK_APPROVAL is ")
    assert found.warnings[0].isprintable()
