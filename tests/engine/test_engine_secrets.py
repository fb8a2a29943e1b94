"""Turns through the engine and the real SDK: no key and no password is shown or sent on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from apis import over_all_apis
from engine_turns import results, run_prompt
from scripted_server import ScriptedServer, call, error, text

from msgbook.config import ProviderSettings, Settings
from msgbook.text import RESULT_LIMIT

pytestmark = over_all_apis


@pytest.fixture
def ask(server: ScriptedServer, tmp_path: Path):
    """Runs one prompt with the given settings and returns the turn."""
    return partial(run_prompt, server, tmp_path)


def test_no_error_ever_shows_the_key(server, ask):
    server.answers = [error(400, "bad key sk-secret-of-a-test, you know")]

    turn = ask(OPENAI_API_KEY="sk-secret-of-a-test")

    assert "sk-secret-of-a-test" not in str(turn)
    assert "[redacted]" in turn["blocks"][-1]["message"]


def test_a_tool_result_never_carries_the_key(server, ask, tmp_path):
    (tmp_path / "notes.txt").write_text("the key is sk-secret-of-a-test")
    server.answers = [call("read", {"path": "notes.txt"}), text("ok")]

    turn = ask(OPENAI_API_KEY="sk-secret-of-a-test")

    assert results(turn)[0]["content"] == "the key is [redacted]"
    assert "sk-secret" not in str(server.requests)


def test_a_key_that_a_cell_printed_is_not_sent(server, ask):
    server.answers = [text("ok")]
    printed = {"output_type": "stream", "name": "stdout", "text": "sk-secret-of-a-test"}
    cell = {"cell_type": "code", "source": "!env", "metadata": {}, "outputs": [printed]}

    ask(earlier=[cell], OPENAI_API_KEY="sk-secret-of-a-test")

    assert "[redacted]" in server.messages()[1]["content"]
    assert "sk-secret" not in str(server.requests)


@pytest.mark.parametrize("length", [20, 100])
def test_an_error_or_a_warning_about_a_msg_line_shows_no_part_of_a_key(server, ask, length):
    key = "sk-" + "0123456789" * (length // 10)
    source = f"%%msg {key}\nHi"
    server.answers = [text("ok")]
    above = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}

    turns = [ask(source, OPENAI_API_KEY=key), ask(earlier=[above], OPENAI_API_KEY=key)]

    assert turns[0]["blocks"][-1]["name"] == "UnreadableMsgLineError"
    assert "its %%msg line cannot be read" in turns[1]["blocks"][0]["text"]
    assert key[:10] not in str(turns)


@pytest.mark.parametrize("shown", [4, 10, 16])
def test_no_part_of_a_key_is_left_where_a_long_output_is_cut(server, ask, shown):
    """Head and tail of an output are sent; the key stands at the end of one, the begin of the other."""
    key = "sk-0123456789abcdef"
    server.answers = [text("ok")]
    head, tail = RESULT_LIMIT * 3 // 4, RESULT_LIMIT // 4
    middle = key + "z" * RESULT_LIMIT + key
    words = "x" * (head - shown) + middle + "y" * (tail - shown)
    printed = {"output_type": "stream", "name": "stdout", "text": words}
    cell = {"cell_type": "code", "source": "!env", "metadata": {}, "outputs": [printed]}

    ask(earlier=[cell], OPENAI_API_KEY=key)

    for part in (key[:4], key[-4:]):
        assert part not in str(server.requests)


@pytest.mark.parametrize("key", ["assistant", 'say-"key"-\\backslash'])
def test_a_key_is_redacted_in_texts_however_json_spells_it_and_in_nothing_else(server, ask, key):
    provider = ProviderSettings("p", server.url, headers={"X-Api-Key": key})
    settings = Settings({"p": provider}, "m", approval="deny")
    server.answers = [text("ok")]
    printed = {"output_type": "stream", "name": "stdout", "text": f"it is {key}."}
    cell = {"cell_type": "code", "source": "!env", "metadata": {}, "outputs": [printed]}
    note = {"cell_type": "markdown", "source": "hi", "metadata": {"msgbook": {"role": "assistant"}}}

    turn = ask(settings=settings, earlier=[cell, note])

    assert turn["status"] == "done"
    assert "it is [redacted]." in server.messages()[1]["content"]
    assert server.messages()[2] == {"role": "assistant", "content": "hi"}


def test_the_password_in_a_url_is_never_shown(ask):
    turn = ask(OPENAI_BASE_URL="http://bob:hunter2pass@127.0.0.1:9/v1")

    assert turn["blocks"][0]["text"].startswith("Retried (3/3): The connection to http://127")
    assert "127.0.0.1:9/v1" in turn["blocks"][-1]["message"]
    assert "hunter2pass" not in str(turn)
