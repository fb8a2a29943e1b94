"""`msgbook doctor --setup`: what it asks, and the file that it writes."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

import pytest
from ctrl_c import at_call, interrupted_at

from msgbook.__main__ import main
from msgbook.cli.doctor.setup import ask_settings
from msgbook.config import load_settings
from msgbook.config.written_settings import (
    Answers,
    SettingsWriteError,
    format_toml,
    write_settings,
)


def answering(*answers):
    left = iter(answers)
    asked = []

    def ask(question):
        asked.append(question)
        answer = next(left, None)
        if answer is None:
            raise EOFError
        return answer

    ask.asked = asked
    return ask


def test_setup_asks_again_until_an_answer_is_right(capsys):
    ask = answering("localhost", "http://localhost:1/v1", "sk-abcdefgh-123", "MY_KEY", "2", "")

    answers = ask_settings(ask, lambda url, variable: ["a", "b"])

    assert answers == Answers("http://localhost:1/v1", "MY_KEY", "b")
    assert "not the name of a variable" in capsys.readouterr().out


def test_setup_offers_what_most_people_want():
    asked = []

    def offered(url, variable):
        asked.append((url, variable))
        return ["only"]

    answers = ask_settings(answering("", "", ""), offered)

    assert answers == Answers("https://api.openai.com/v1", "OPENAI_API_KEY", "only")
    assert asked == [("https://api.openai.com/v1", "OPENAI_API_KEY")]


@pytest.mark.parametrize("models", [["a", "b"], []])
def test_setup_says_what_follows_from_no_model_and_where_to_choose_one(capsys, models):
    answers = ask_settings(answering("http://h:1/v1", "", "", ""), lambda url, variable: models)

    assert answers.model == ""
    told = capsys.readouterr().out
    assert "No model is set" in told
    for place in ('`model = "NAME"` at the top of the file', "MSGBOOK_MODEL", "`%model NAME`"):
        assert place in told
    assert ("only one model" in told) == (not models)


def test_setup_asks_which_api_a_server_has_and_writes_it_if_it_is_set(capsys):
    ask = answering("http://h:1/v1", "", "m", "soap", "responses")

    answers = ask_settings(ask, lambda url, variable: ["m", "n"])

    assert answers == Answers("http://h:1/v1", "", "m", "responses")
    assert "Enter chat, responses or anthropic." in capsys.readouterr().out
    assert format_toml(answers).endswith('base_url = "http://h:1/v1"\napi = "responses"\n')


def test_setup_says_nothing_of_a_later_choice_where_the_environment_has_made_it(
    capsys, monkeypatch
):
    monkeypatch.setenv("MSGBOOK_MODEL", "a")

    ask_settings(answering("http://h:1/v1", "", "", ""), lambda url, variable: ["a", "b"])

    assert "No model is chosen" not in capsys.readouterr().out


def test_setup_asks_again_when_the_server_does_not_answer():
    ask = answering("http://h:1/v1", "", "n", "http://h:2/v1", "", "1", "")

    answers = ask_settings(ask, lambda url, variable: ["a"] if url.endswith("2/v1") else None)

    assert answers == Answers("http://h:2/v1", "", "a")


def test_setup_offers_the_url_that_was_typed_again():
    ask = answering("http://h:1/v1", "", "n", "", "", "y", "m", "")

    answers = ask_settings(ask, lambda url, variable: None)

    assert answers == Answers("http://h:1/v1", "", "m")
    assert "Base URL of the server [http://h:1/v1]: " in ask.asked


def test_setup_keeps_a_server_that_does_not_answer_with_a_yes():
    answers = ask_settings(answering("http://h:1/v1", "", "y", "m", ""), lambda url, variable: None)

    assert answers == Answers("http://h:1/v1", "", "m")


def test_the_written_file_is_the_owners_alone_and_says_what_was_answered(tmp_path):
    path = tmp_path / "new" / "msgbook.toml"
    answers = Answers("http://h/v1", "MY_KEY", 'a "model" \\ of\u007f 文')

    assert write_settings(path, format_toml(answers), old=None) is None

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    settings = load_settings({"MSGBOOK_CONFIG": str(path), "MY_KEY": "sk-0123456789"})
    assert (settings.model, settings.provider.base_url) == (answers.model, "http://h/v1")
    assert (settings.provider.api_key, settings.warnings) == ("sk-0123456789", ())
    assert [file.name for file in path.parent.iterdir()] == ["msgbook.toml"]


def test_a_file_that_is_there_is_kept_beside_the_new_one(tmp_path):
    path = tmp_path / "msgbook.toml"
    path.write_text("# mine")
    path.chmod(0o644)
    (tmp_path / "msgbook.toml.bak1").write_text("# older")
    answers = Answers("http://h/v1", "", "")

    backup = write_settings(path, format_toml(answers), old=b"# mine")

    assert (backup.name, backup.read_text()) == ("msgbook.toml.bak2", "# mine")
    # Not every file system has hard links, and a link is no copy.
    assert (backup.stat().st_nlink, backup.stat().st_mode & 0o777) == (1, 0o600)
    assert (path.read_text(), path.stat().st_mode & 0o777) == (format_toml(answers), 0o600)
    assert (tmp_path / "msgbook.toml.bak1").read_text() == "# older"


@pytest.mark.parametrize(("old", "why"), [(None, "exists"), (b"# other", "has changed")])
def test_a_file_that_came_or_changed_in_between_is_not_overwritten(tmp_path, old, why):
    path = tmp_path / "msgbook.toml"
    path.write_text("# mine")

    with pytest.raises(SettingsWriteError, match=why):
        write_settings(path, format_toml(Answers("http://h/v1", "", "")), old=old)

    assert path.read_text() == "# mine"
    assert [file.name for file in tmp_path.iterdir()] == ["msgbook.toml"]


@pytest.mark.parametrize("call", [1, 2, 3, 4])
@pytest.mark.parametrize("old", [None, b"# mine"])
def test_an_interrupted_save_leaves_all_of_the_old_file_or_of_the_new_one_and_the_copy(
    tmp_path, old, call
):
    """Each new file is synced, and then the folder with its name."""
    path = tmp_path / "msgbook.toml"
    if old is not None:
        path.write_bytes(old)
    kept = {} if old is None else {"msgbook.toml": old}
    copied = {} if old is None else {"msgbook.toml.bak1": old}

    with suppress(KeyboardInterrupt), interrupted_at(os.fsync, call=call):
        write_settings(path, "# new", old=old)

    found = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert found in (kept, kept | copied, {"msgbook.toml": b"# new"} | copied)


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("old", [None, b"# mine"])
def test_of_two_saves_at_once_one_is_written_and_the_other_refused(tmp_path, old, call):
    path = tmp_path / "msgbook.toml"
    if old is not None:
        path.write_bytes(old)
    written = []

    def save(text):
        with suppress(SettingsWriteError):
            write_settings(path, text, old=old)
            written.append(text)

    with at_call(os.fsync, lambda: save("# second"), call=call):
        save("# first")

    assert written == [path.read_text()]
    copies = [file.read_bytes() for file in tmp_path.iterdir() if file != path]
    assert copies == ([] if old is None else [old])


@pytest.mark.parametrize("word", ["0", "-1", "soon", "inf", "nan"])
def test_a_time_limit_that_is_none_is_wrong_usage(word, capsys):
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--timeout", word])

    assert end.value.code == 2
    assert "expected a positive number of seconds" in capsys.readouterr().err
