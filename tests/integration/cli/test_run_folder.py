"""`msgbook run DIR`: all conversations of a folder, whatever happens to the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from command import run, settings, terminal, with_settings
from folder_of_chats import (
    PROMPTS,
    answers,
    asked,
    chat,
    echo,
    folder,  # noqa: F401 - fixtures
    prompt_of,
    turns,
)
from scripted_server import Answer, call, delta, finish, text

from msgbook.extras.many.folder import run_folder


def started(server, *argv, preexec_fn=None, **env):
    return subprocess.Popen(
        [sys.executable, "-m", "msgbook", "run", *map(str, argv)],
        env={**os.environ, **settings(server), **env},
        preexec_fn=preexec_fn,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_every_prompt_of_every_file_is_answered_once_and_a_table_says_so(server, folder):
    server.choose = echo

    done = run(server, "run", folder, "--jobs", 2)

    assert (done.returncode, asked(server)) == (0, PROMPTS)
    assert answers(folder) == {name: f"answer to {name}" for name in PROMPTS}
    table = [line.split() for line in done.stdout.splitlines()]
    assert table[0] == ["file", "turns", "status", "input", "output", "seconds"]
    assert table[1][:5] == [str(folder / "c1.msg.md"), "2", "done", "22", "14"]
    assert table[-1][:5] == ["3", "files", "6", "66", "42"]
    lines = done.stderr.splitlines()
    assert [line.split()[0] for line in lines] == ["[1/3]", "[2/3]", "[3/3]"]

    again = run(server, "run", folder)
    assert (again.returncode, asked(server)) == (0, PROMPTS)
    assert "answered" in again.stdout


def test_the_name_of_a_file_is_shown_in_one_line_without_control_characters(server, tmp_path):
    server.choose = echo
    (tmp_path / "new\nline\x1b[31m.msg.md").write_text(chat("a"), "utf-8")

    done = run(server, "run", tmp_path)

    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--from", "a"], "--from is for one file"),
        (["--record", "a.cassette.jsonl"], "--record is for one file"),
        (["--replay", "a.cassette.jsonl"], "--replay is for one file"),
        (["--jobs", "2", "--dask", "tcp://127.0.0.1:1"], "--jobs does not go with --dask"),
    ],
)
def test_options_that_would_have_no_effect_are_refused(server, folder, argv, words):
    done = run(server, "run", folder, *argv)

    assert (done.returncode, words in done.stderr, server.requests) == (2, True, [])


def test_after_a_kill_the_next_run_asks_only_what_has_no_answer(server, folder):
    """The run is killed while one prompt of each file is answered and held."""
    server.choose = lambda request: (
        Answer([delta(content="half")], hold=1)
        if prompt_of(request).endswith("-2")
        else echo(request)
    )
    process = started(server, folder)
    held = ["p1-2", "p2-2", "p3-2"]
    for _ in held:
        assert server.streaming.wait(300)
    while len(server.requests) < len(PROMPTS):
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=300)
    for _ in held:
        assert server.left.acquire(timeout=300)
    first = answers(folder)
    assert first == {name: f"answer to {name}" for name in ("p1-1", "p2-1", "p3-1")}

    server.reset()
    server.choose = echo
    assert with_settings(server, run_folder, folder) == 0

    assert asked(server) == held
    assert answers(folder) == {name: f"answer to {name}" for name in PROMPTS}


def test_an_interrupt_ends_all_files_and_keeps_what_has_arrived(server, folder):
    server.choose = lambda _request: Answer([delta(content="half")], hold=1)
    process = started(server, folder, "--jobs", 2)
    while len(server.requests) < 2:
        assert process.poll() is None
    assert server.streaming.wait(300)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)

    assert (process.returncode, "Traceback" in err) == (1, False)
    found = [line.split()[2] for line in out.splitlines()[1:-1]]
    assert sorted(set(found)) == ["interrupted", "not"]
    kept = [turn for path in folder.rglob("*.msg.md") for turn in turns(path).values() if turn]
    assert {turn["status"] for turn in kept} == {"interrupted"}
    assert len(server.requests) == 2


@pytest.mark.skipif(os.name != "posix", reason="SIGHUP is a signal of POSIX")
def test_a_run_under_nohup_goes_on_when_the_terminal_closes(server, tmp_path):
    (tmp_path / "chat.msg.md").write_text(chat("a"), "utf-8")
    running = []

    def closing():
        yield delta(content="half")
        running[0].send_signal(signal.SIGHUP)
        yield delta(content=" and half")
        yield finish()

    server.choose = lambda _request: Answer(closing())
    running.append(started(server, tmp_path, preexec_fn=ignore_hangup))
    _, err = running[0].communicate(timeout=300)

    assert running[0].returncode == 0, err
    assert answers(tmp_path) == {"a": "half and half"}


def ignore_hangup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_a_file_that_another_run_answers_is_left_alone(server, tmp_path):
    (tmp_path / "chat.msg.md").write_text(chat("a"), "utf-8")
    server.answers = [Answer([delta(content="half")], hold=1)]
    process = started(server, tmp_path)
    assert server.streaming.wait(300)

    other = run(server, "run", tmp_path)

    assert (other.returncode, "in use" in other.stdout, len(server.requests)) == (1, True, 1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)


def test_runs_that_begin_at_the_same_time_ask_nothing_twice(server, folder):
    server.choose = echo
    processes = [started(server, folder, "--jobs", 3) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=300)

    assert asked(server) == PROMPTS


def test_nobody_is_asked_so_a_call_that_needs_approval_is_denied(server, tmp_path):
    (tmp_path / "chat.msg.md").write_text(chat("a"), "utf-8")
    server.answers = [call("shell", {"command": "touch made"}), text("no")]
    shown = terminal(server, "run", tmp_path)

    shown.expect("1 file .*\r\n")
    shown.wait()

    assert not (tmp_path / "made").exists()
    [_, result, *_] = turns(tmp_path / "chat.msg.md")["a"]["blocks"]
    assert result["status"] == "denied"


def test_a_key_reaches_every_file_and_no_output(server, folder):
    server.choose = echo
    environment = {"OPENAI_API_KEY": "sk-very-secret-key"}

    process = started(server, folder, "--jobs", 1, **environment)
    out, err = process.communicate(timeout=300)

    assert process.returncode == 0
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-very-secret-key"}
    assert "very-secret" not in out + err


def test_a_terminal_shows_a_bar_and_then_the_table_alone(server, folder):
    server.choose = echo
    shown = terminal(server, "run", folder, "--jobs", 1)

    shown.expect(r"\[#+\.+\] 1/3 files, 2 turns")
    shown.expect("file +turns +status")
    shown.expect("3 files +6")
    shown.wait()


def test_a_terminal_says_which_server_is_waited_for_and_an_interrupt_ends_the_wait(
    server, tmp_path
):
    folder = tmp_path / "chats"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.msg.md").write_text(chat(name), "utf-8")
    config = tmp_path / "msgbook.toml"
    config.write_text("[providers.openai]\nrequests_per_minute = 1\n")
    server.choose = echo
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MSGBOOK_CONFIG", str(config))
        shown = terminal(server, "run", folder)

    shown.expect(r"1/2 files, 1 turn, \d+:\d\d, waiting \d+ s for openai")
    shown.sendintr()
    shown.expect("2 files +1")
    shown.wait()

    assert (shown.exitstatus, len(server.requests)) == (1, 1)
