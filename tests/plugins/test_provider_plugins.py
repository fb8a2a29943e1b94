"""Providers of plug-ins: what is configured, what the turn shows, and what cannot be used."""

from __future__ import annotations

import re

import pytest
from engine_turns import run_prompt
from packages import write_package

from msgbook.config import load_settings
from msgbook.errors import ConfigError

STREAM = """
from msgbook.errors import ProviderError, Retry, ToolError
from msgbook.events import *
class Made:
    def __init__(self, settings):
        self.name, self.settings = "its own name", settings
    async def stream(self, request):
        {body}
        yield ModelFinished("stop", ended=True)
    async def models(self):
        return {models}
    async def close(self):
        pass
"""


@pytest.fixture
def ask(server, packages, tmp_path):
    """Installs a plug-in with the provider `made` and answers one prompt with it."""

    def ask(body="yield TextDelta('hi')", table='plugin = "made"', *, source=STREAM, **env):
        models = env.pop("models", "['only']")
        source = source.replace("{body}", body).replace("{models}", models)
        write_package(packages, "maker", source, providers={"made": "Made"})
        file = tmp_path / "settings.toml"
        file.write_text(f"[providers.mine]\n{table}\n")
        settings = load_settings({"MSGBOOK_CONFIG": str(file), "MSGBOOK_MODEL": "m", **env})
        return run_prompt(server, tmp_path, settings=settings)

    return ask


def words(turn):
    return "".join(block["text"] for block in turn["blocks"] if block["type"] == "text")


def failure(turn):
    assert turn["status"] == "error"
    return turn["blocks"][-1]["name"], turn["blocks"][-1]["message"]


def test_the_plug_in_answers_under_the_name_of_its_table(ask):
    turn = ask()

    assert (turn["status"], words(turn), turn["provider"]) == ("done", "hi", "mine")


def test_the_plug_in_gets_the_options_of_its_table_and_its_key(ask):
    turn = ask(
        "s = self.settings; yield TextDelta(f'{s.name} {s.base_url} {s.options} {len(s.api_key)}')",
        'plugin = "made"\nbase_url = "http://far/"\napi_key_env = "MINE"\noptions = { a = [1, 2] }',
        MINE="key-0123456789",
    )

    assert words(turn) == "mine http://far/ {'a': [1, 2]} 14"


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError(self.settings.api_key + self.settings.options['token'])",
        "raise ProviderError('Odd', self.settings.api_key + self.settings.options['token'])",
        "raise SystemExit(self.settings.api_key + self.settings.options['token'])",
        "raise ToolError(self.settings.api_key + self.settings.options['token'])",
    ],
)
def test_no_error_of_a_plug_in_shows_a_key(ask, body):
    table = 'plugin = "made"\napi_key_env = "MINE"\noptions = { token = "very-secret-9" }'

    turn = ask(body, table, MINE="key-0123456789")

    assert "[redacted][redacted]" in failure(turn)[1]
    assert "key-0123456789" not in str(turn)
    assert "very-secret-9" not in str(turn)


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("raise ValueError('no sun')", "ValueError", "failed: ValueError: no sun"),
        ("raise ProviderError('NoSun', 'It rains.')", "NoSun", "It rains."),
        ("yield 'hi'", "TypeError", "stream() gave a str"),
    ],
)
def test_an_error_of_the_plug_in_ends_the_turn_with_one_line(ask, body, name, expected):
    found, message = failure(ask(body))

    assert found == name
    assert expected in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "body",
    [
        "yield Notice(self.settings.api_key)",
        "yield RetryWait(1, 2, 0.0, self.settings.api_key)",
        "yield ModelChosen(self.settings.api_key)",
        "raise type(self.settings.api_key, (Exception,), {})",
        "raise ProviderError(self.settings.api_key, 'x')",
        "raise ProviderError('x', 'y', Retry(self.settings.api_key, 0))",
    ],
)
def test_no_line_for_the_reader_shows_a_key(ask, body):
    turn = ask(body, 'plugin = "made"\napi_key_env = "MINE"', MINE="key-0123456789")

    assert "[redacted]" in str(turn)
    assert "key-0123456789" not in str(turn)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("yield TextDelta(5)", "a TextDelta with a wrong text: int"),
        ("yield ReasoningDelta(None)", "a ReasoningDelta with a wrong text: NoneType"),
        ("yield ReasoningDetails([float('nan')])", "a ReasoningDetails with a wrong details: list"),
        ("yield OutputItem({'type': object()})", "not JSON serializable"),
        ("yield Citations([{'title': float('nan')}])", "not JSON"),
        ("yield Citations(['https://a.example'])", "a Citations with a wrong citations: list"),
        ("yield ModelFinished('stop', True, model=5)", "a ModelFinished with a wrong model: int"),
        ("yield ToolCallDelta(0, 'c', 'read', {})", "a ToolCallDelta with a wrong arguments: dict"),
        ("yield ToolCallDelta(1, 'c', 'read', '{}')", "with index 1, expected 0 to 0"),
        ("yield ToolCallDelta(0, 'c', 'read', '{}', {'a': object()})", "not JSON serializable"),
        ("yield ToolCallDelta(0, 'c', 'read', '{}', {'a': float('nan')})", "not JSON"),
        ("yield RetryWait(1, 2, float('inf'), 'x')", "a RetryWait with a wrong seconds: float"),
        ("yield Notice('x', level='bad')", "a Notice with a wrong level: str"),
        ("yield ModelFinished('stop', True, {'input_tokens': 'x'})", "a wrong usage: dict"),
        (
            "yield ModelFinished('stop', True); yield TextDelta('x')",
            "TextDelta after ModelFinished",
        ),
    ],
)
def test_an_event_that_a_turn_cannot_hold_is_the_plug_ins_error(ask, body, expected):
    name, message = failure(ask(body))

    assert name == "TypeError"
    assert "the plug-in maker 1.0 (provider made = maker:Made) failed" in message
    assert expected in message


def test_an_error_steers_no_terminal(ask):
    found = failure(ask("raise ProviderError('\\x1b[31m', 'a\\nb\\u202e')"))

    assert found == ("\\u001b[31m", "a b\\u202e")


def test_what_had_arrived_before_an_error_stays(ask):
    turn = ask("yield TextDelta('half'); raise ValueError('no sun')")

    assert (words(turn), turn["status"]) == ("half", "error")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("raise ImportError('no drum')", "cannot be imported: ImportError: no drum"),
        ("def Made(): ...", "is not used: TypeError"),
        ("def Made(settings): raise GeneratorExit", "is not used: GeneratorExit"),
        (
            "class Made:\n    def __init__(self, s): ...\n    def __getattr__(self, n): raise OSError(n)",
            "is not used: OSError: stream",
        ),
        ("def Made(settings): return 5", "but got int without stream, models, close"),
        (
            "import msgbook.errors as e\ndef Made(s): raise e.ConfigError('The option drum is missing.')",
            "is not used: The option drum is missing.",
        ),
    ],
)
def test_a_plug_in_that_cannot_be_used_ends_the_turn_and_is_named(ask, source, expected):
    name, message = failure(ask(source=source))

    assert name == "PluginError"
    assert "the plug-in maker 1.0 (provider made = maker:Made)" in message
    assert expected in message


def test_a_name_that_no_plug_in_adds_lists_those_that_are_there(ask):
    _, message = failure(ask(table='plugin = "maid"'))

    assert "plugin = 'maid'" in message
    assert "They add: made." in message


def test_a_name_that_two_plug_ins_add_is_an_error_that_names_both(ask, packages):
    write_package(packages, "other", STREAM, providers={"made": "Made"})

    _, message = failure(ask())

    assert "the plug-in maker 1.0 (provider made = maker:Made)" in message
    assert "the plug-in other 1.0 (provider made = other:Made)" in message


def test_a_plug_in_that_is_turned_off_answers_nothing(ask):
    _, message = failure(ask(table='plugin = "made"\n[plugins]\noff = ["maker"]'))

    assert "They add: none." in message


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("plugin = 5", "plugin of [providers.mine] is not the name of a plug-in's provider"),
        ('plugin = "made"\noptions = 5', "options of [providers.mine] is not a table"),
        ('base_url = "http://x"\noptions = {}', "plugin is missing"),
        ('plugin = "made"\nbase_url = "far"', "base_url of [providers.mine] is not a URL"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(ask, table, expected):
    with pytest.raises(ConfigError, match=re.escape(expected)) as error:
        ask(table=table)
    assert "settings.toml" in str(error.value)
