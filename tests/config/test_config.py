"""Settings come from the environment, then from msgbook.toml; secrets are never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents.agent import parse_agent
from msgbook.config import LIMIT_KEYS, Limits, Settings, hide_keys, load_settings, redact
from msgbook.config.lines import find_line
from msgbook.errors import ConfigError


@pytest.fixture
def toml(tmp_path: Path):
    def write(text: str, **env: str) -> Settings:
        path = tmp_path / "msgbook.toml"
        path.write_text(text)
        return load_settings({"MSGBOOK_CONFIG": str(path), **env})

    return write


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


def test_limits_are_read_and_invalid_ones_give_a_warning(tmp_path):
    file = tmp_path / "msgbook.toml"
    file.write_text(
        "[limits]\nmax_steps = 5\ntoken_budget = 1.5\ntime_budget = 0.5\nmax_step = 1\n"
    )

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert settings.limits == {"max_steps": 5, "time_budget": 0.5}
    assert sorted(settings.warnings) == [
        "msgbook.toml:3: token_budget is ignored: expected a positive whole number.",
        "msgbook.toml:5: unknown key 'max_step' is ignored.",
    ]


@pytest.mark.parametrize("value", ["0", "-1", "true", '"9"', "nan", "inf"])
def test_a_limit_has_to_be_positive(tmp_path, value):
    file = tmp_path / "msgbook.toml"
    file.write_text(f"[limits]\ntime_budget = {value}\n")

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert settings.limits == {}
    assert "positive number" in settings.warnings[0]


def test_prices_are_read_and_invalid_ones_give_a_warning(toml):
    settings = toml(
        '[providers.x]\nbase_url = "http://u"\n[providers.x.prices]\n'
        '"a/b-1" = { input = 1.25, cached = 0.125, output = 10 }\n'
        "words = { input = 'much', output = 1 }\nhalf = { input = 1 }\n"
        "extra = { input = 1, output = 1, image = 2 }"
    )

    assert settings.provider.prices == {"a/b-1": {"input": 1.25, "cached": 0.125, "output": 10}}
    assert [line.split(" are")[0] for line in settings.warnings] == [
        "msgbook.toml:5: prices of 'words'",
        "msgbook.toml:6: prices of 'half'",
        "msgbook.toml:7: prices of 'extra'",
    ]


HUGE = "1" + "0" * 400


@pytest.mark.parametrize(
    "number", ["-1", "nan", "inf", "-inf", "1e400", HUGE, "'1'", "true", "[1]", "{}"]
)
@pytest.mark.parametrize("key", ["input", "cached", "cache_write", "output", "web_search"])
def test_a_price_has_to_be_a_number_that_can_be_reckoned_with(toml, key, number):
    price = {"input": "1", "output": "2", key: number}
    written = ", ".join(f"{name} = {value}" for name, value in price.items())

    settings = toml(
        f'[providers.x]\nbase_url = "http://u"\n[providers.x.prices]\nm = {{ {written} }}\n'
    )

    assert (settings.provider.prices, len(settings.warnings)) == ({}, 1)


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "inf", HUGE, "'1'", "true"])
def test_what_a_turn_may_cost_has_to_be_more_than_nothing(toml, amount):
    settings = toml(f"[limits]\nmax_cost = {amount}\n")

    assert settings.limits == {}
    assert settings.warnings == (
        "msgbook.toml:2: max_cost is ignored: expected a positive number.",
    )


def test_a_number_that_python_does_not_read_is_an_error_of_the_file(toml):
    with pytest.raises(ConfigError, match=r"msgbook\.toml is not valid TOML"):
        toml("[limits]\nmax_cost = 1" + "0" * 5000)


def test_prices_of_openai_count_where_the_environment_names_the_server(toml):
    settings = toml(
        "[providers.openai.prices]\nm = { input = 1, output = 2 }", OPENAI_API_KEY="sk-0123456789"
    )

    assert (settings.provider.prices, settings.warnings) == ({"m": {"input": 1, "output": 2}}, ())


def test_each_limit_of_a_turn_can_stand_in_the_file(tmp_path):
    file = tmp_path / "msgbook.toml"
    file.write_text("[limits]\n" + "".join(f"{key} = 7\n" for key in LIMIT_KEYS))

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert (Limits(**settings.limits), settings.warnings) == (Limits(*[7] * len(LIMIT_KEYS)), ())


def test_a_text_that_breaks_off_in_a_secret_does_not_end_with_its_beginning():
    secret = "sk-0123456789-abcdef"
    text = f"the key is {secret}"

    for end in range(len(text) + 1):
        shown = redact(text[:end], [secret])
        assert secret[:8] not in shown
        assert shown.startswith("the key is "[: min(end, 11)])
    assert redact("sk-01 is no key, sk-0123456789 neither.", [secret]).endswith("neither.")


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


def test_a_file_that_is_missing_is_named_with_its_folder(tmp_path):
    with pytest.raises(ConfigError, match=str(tmp_path / "no" / "x.toml")):
        load_settings({"MSGBOOK_CONFIG": str(tmp_path / "no" / "x.toml")})
