"""Keys, headers and passwords of settings are secrets: out of every text and every child process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.config import Settings, hide_keys, load_settings, redact


def test_only_secret_headers_count_as_secrets(toml):
    settings = toml(
        '[providers.x]\nbase_url = "http://u"\n'
        'headers = { Accept = "application/json", X-Api-Key = "abcdefgh12" }'
    )

    assert redact("application/json abcdefgh12", settings.secrets) == "application/json [redacted]"


def test_a_key_is_redacted_however_short_it_is(toml):
    key = "q7#"
    settings = toml(
        '[providers.x]\nbase_url = "http://me:pw9@u"\napi_key_env = "K"\n'
        'headers = { Authorization = "Basic a1b2", Cookie = "sid=0123456789; consent=true" }',
        K=key,
    )

    text = "q7# and Xq7#X, pw9, a1b2 or 0123456789; it is true of Basic bearers"
    assert redact(text, settings.secrets) == (
        "[redacted] and X[redacted]X, [redacted], [redacted] or [redacted]; "
        "it is true of Basic bearers"
    )


@pytest.mark.parametrize(
    "word", ["none", "x", "ab", "EMPTY", "ollama", "lm-studio", "sk-no-key-required", "Bearer"]
)
def test_a_word_that_stands_where_no_key_is_needed_is_no_secret(word):
    settings = load_settings({"OPENAI_API_KEY": word, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})

    assert settings.secrets == ()
    assert settings.provider.api_key == word


@given(
    st.lists(st.text("red[act]x", min_size=3, max_size=9), min_size=1, max_size=3),
    st.text("red[act]x "),
)
def test_what_is_redacted_holds_no_secret_and_is_redacted_for_good(secrets, text):
    secrets = sorted(secrets, key=len, reverse=True)

    shown = redact(text, secrets)

    assert not [s for s in secrets if s in shown.replace("[redacted]", "\0")]
    assert redact(shown, secrets) == shown


def test_secrets_are_not_in_any_repr_and_are_taken_out_of_texts(toml):
    settings = toml(
        '[providers.x]\nbase_url = "http://u"\napi_key_env = "K"\n'
        'headers = { Authorization = "Bearer sk-in-a-header" }',
        K="sk-of-the-key",
    )

    assert "sk-" not in repr(settings)
    text = redact("sk-of-the-key, Bearer sk-in-a-header, sk-in-a-header", settings.secrets)
    assert "sk-" not in text


@pytest.mark.parametrize(
    "name", ["OPENAI_CUSTOM_HEADERS", "OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET"]
)
def test_no_key_that_the_sdk_reads_is_left_for_a_child_process(name):
    environ = {name: "X-Key: of-mine", "OPENAI_ORG_ID": "org"}

    hide_keys(load_settings(environ), environ)

    assert environ == {"OPENAI_ORG_ID": "org"}


def test_the_key_is_taken_out_of_the_environment_and_nothing_else(toml):
    environ = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://a", "K": "sk-2"}

    hide_keys(load_settings(environ), environ)
    hide_keys(toml('[providers.x]\nbase_url = "http://u"\napi_key_env = "K"', K="sk-2"), environ)

    assert environ == {"OPENAI_BASE_URL": "http://a"}


@pytest.mark.parametrize(
    "text",
    [
        'api_key_env = "K"',
        "api_key_env='K'\nbad =",
        '"api_key_env" = "K"',
        'api_key_env = """K"""',
        "big = " + "9" * 5000 + "\napi_key_env = 'K'",
        "deep = " + "[" * 5000 + "]" * 5000 + "\napi_key_env = 'K'",
    ],
    ids=["plain", "invalid", "quoted", "long quotes", "a long number", "nested deeply"],
)
def test_a_variable_that_the_file_names_leaves_the_environment_whatever_else_the_file_says(
    tmp_path, text
):
    path = tmp_path / "msgbook.toml"
    path.write_text(f"[providers.x]\n{text}\n")
    environ = {"MSGBOOK_CONFIG": str(path), "K": "sk-2", "L": "mine"}

    hide_keys(Settings(), environ)

    assert environ == {"MSGBOOK_CONFIG": str(path), "L": "mine"}


@pytest.mark.parametrize(
    "text",
    [
        '# api_key_env = "K"',
        'base_url = "http://u" # or: api_key_env = "K"',
        "options = { note = 'api_key_env = \"K\"' }",
    ],
)
def test_a_variable_that_only_a_comment_or_a_text_of_the_file_names_stays(tmp_path, text):
    path = tmp_path / "msgbook.toml"
    path.write_text(f"[providers.x]\n{text}\n")
    environ = {"MSGBOOK_CONFIG": str(path), "K": "mine"}

    hide_keys(Settings(), environ)

    assert environ["K"] == "mine"


def test_a_key_in_a_further_variable_and_a_url_with_a_password_leave_the_environment_too():
    environ = {
        "OPENAI_API_KEY": "sk-of-mine-1",
        "OPENAI_BASE_URL": "http://me:pass@127.0.0.1/v1",
        "MY_KEY": "sk-of-mine-1",
        "LINE": "curl -H 'authorization: Bearer sk-of-mine-1'",
        "PATH": "/opt/pass/bin",
    }

    hide_keys(load_settings(environ), environ)

    assert environ == {"PATH": "/opt/pass/bin"}


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("http://me:p%40ss-word@127.0.0.1/v1", "p@ss-word"),
        ("http://sk-0123456789abcdef@127.0.0.1/v1", "sk-0123456789abcdef"),
        ("http://127.0.0.1/v1?api-version=2026-01-01&api-key=sk-in-a-query", "sk-in-a-query"),
    ],
)
def test_what_is_a_key_in_a_url_is_a_secret(url, secret):
    settings = load_settings({"OPENAI_BASE_URL": url})

    assert redact(f"me {secret} 2026-01-01.", settings.secrets) == "me [redacted] 2026-01-01."


def test_a_text_that_breaks_off_in_a_secret_does_not_end_with_its_beginning():
    secret = "sk-0123456789-abcdef"
    text = f"the key is {secret}"

    for end in range(len(text) + 1):
        shown = redact(text[:end], [secret])
        assert secret[:8] not in shown
        assert shown.startswith("the key is "[: min(end, 11)])
    assert redact("sk-01 is no key, sk-0123456789 neither.", [secret]).endswith("neither.")
