"""`msgbook run DIR`: all conversations of a folder, whatever happens to the run."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys

import pytest
from command import run, settings, terminal, with_settings
from scripted_server import Answer, call, delta, error, finish, text

from msgbook.cli.many.folder import run_folder
from msgbook.cli.usage_errors import CommandError
from msgbook.notebook.conversation_file import Document
from msgbook_format import read, writes
from msgbook_format.agent_states import claim
from msgbook_format.turn import turn_of


def chat(*prompts):
    return "\n".join(f"# %% [^{name}]\n\n{name}\n" for name in prompts)


@pytest.fixture
def folder(tmp_path):
    """Three conversations of two prompts each."""
    place = tmp_path / "chats"
    (place / "below").mkdir(parents=True)
    for number, where in enumerate((place, place, place / "below"), 1):
        (where / f"c{number}.msg.md").write_text(chat(f"p{number}-1", f"p{number}-2"), "utf-8")
    return place


def prompt_of(request):
    """The last words of the user in a request."""
    content = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
    return content if isinstance(content, str) else content[0]["text"]


def asked(server):
    return sorted(map(prompt_of, server.requests))


def turns(path):
    return {
        cell["id"]: turn_of(cell["outputs"][0]) if cell.get("outputs") else None
        for cell in read(path)["cells"]
    }


def answers(folder):
    """The words of each answer, by prompt."""
    return {
        name: "".join(b.get("text", "") for b in turn["blocks"] if b["type"] == "text")
        for path in folder.rglob("*.msg.md")
        for name, turn in turns(path).items()
        if turn
    }


PROMPTS = [f"p{file}-{number}" for file in (1, 2, 3) for number in (1, 2)]


def echo(request):
    return text(f"answer to {prompt_of(request)}")


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


def test_files_are_answered_at_once_but_no_more_than_wanted(server, folder):
    most = 0
    open_now: set[str] = set()

    def stream(name):
        nonlocal most
        open_now.add(name)
        most = max(most, len(open_now))
        yield delta(content="ok")
        open_now.discard(name)
        yield finish()

    server.choose = lambda request: Answer(stream(prompt_of(request)), pause=0.02)

    assert with_settings(server, run_folder, folder, parallel=2) == 0
    assert most == 2


def test_a_turn_that_fails_ends_its_own_file_alone(server, folder, capsys):
    server.choose = lambda request: (
        error(401, "no") if prompt_of(request) == "p2-1" else echo(request)
    )

    assert with_settings(server, run_folder, folder) == 1

    assert asked(server) == [name for name in PROMPTS if name != "p2-2"]
    out, err = capsys.readouterr()
    assert [line.split()[2] for line in out.splitlines()[1:-1]] == ["done", "failed", "done"]
    assert f"msgbook run: {folder / 'c2.msg.md'}/p2-1: AuthenticationError: " in err
    server.reset()
    server.choose = echo
    assert with_settings(server, run_folder, folder) == 0
    assert asked(server) == ["p2-1", "p2-2"]


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00", b"[]", b'{"cells": 1}'])
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_answered(
    server, folder, capsys, content
):
    server.choose = echo
    (folder / "bad.ipynb").write_bytes(content)

    assert with_settings(server, run_folder, folder) == 2

    out, err = capsys.readouterr()
    assert out.splitlines()[1].split()[1:3] == ["0", "unreadable"]
    assert f"msgbook run: {folder / 'bad.ipynb'}: " in err
    assert (asked(server), (folder / "bad.ipynb").read_bytes()) == (PROMPTS, content)


def test_what_is_no_conversation_is_left_out_and_of_paired_files_the_text_is_taken(
    server, folder, capsys
):
    server.choose = echo
    notebook = read(folder / "c1.msg.md")
    (folder / "c1.ipynb").write_text(_ipynb(notebook), "utf-8")
    (folder / "README.md").write_text("# A project\n\n# %% [^no]\n\nno\n")
    (folder / "code.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    hidden = folder / ".msgbook" / "subagents"
    hidden.mkdir(parents=True)
    (hidden / "subagent.msg.md").write_text(chat("subagent"))
    (folder / "link").symlink_to(folder / "below", target_is_directory=True)
    before = (folder / "c1.ipynb").read_bytes()

    assert with_settings(server, run_folder, folder) == 0

    assert asked(server) == PROMPTS
    assert (folder / "c1.ipynb").read_bytes() == before
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_nothing_outside_of_the_folder_is_read_or_written(server, folder, tmp_path):
    server.choose = echo
    outside = tmp_path / "private.msg.md"
    outside.write_text(chat("private"), "utf-8")
    (folder / "link.msg.md").symlink_to(outside)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "gone.msg.md").symlink_to("nowhere")
    (folder / "self.msg.md").symlink_to("self.msg.md")

    assert with_settings(server, run_folder, folder) == 0

    assert asked(server) == PROMPTS
    assert outside.read_text("utf-8") == chat("private")


def test_the_name_of_a_file_is_shown_in_one_line_without_control_characters(server, tmp_path):
    server.choose = echo
    (tmp_path / "new\nline\x1b[31m.msg.md").write_text(chat("a"), "utf-8")

    done = run(server, "run", tmp_path)

    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stdout + done.stderr


def _ipynb(notebook):
    import nbformat

    return nbformat.writes(nbformat.from_dict(notebook))


def test_a_file_without_a_prompt_is_not_called_answered(server, tmp_path, capsys):
    (tmp_path / "title.msg.md").write_text("# %% Only a title\n", "utf-8")

    assert with_settings(server, run_folder, tmp_path) == 0

    assert capsys.readouterr().out.splitlines()[1].split()[1:4] == ["0", "no", "prompt"]


def test_a_folder_without_conversations_is_wrong_usage(tmp_path):
    with pytest.raises(CommandError, match="found none"):
        run_folder(tmp_path)


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
        assert server.streaming.wait(30)
    while len(server.requests) < len(PROMPTS):
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=30)
    for _ in held:
        assert server.left.acquire(timeout=30)
    first = answers(folder)
    assert first == {name: f"answer to {name}" for name in ("p1-1", "p2-1", "p3-1")}

    server.reset()
    server.choose = echo
    assert with_settings(server, run_folder, folder) == 0

    assert asked(server) == held
    assert answers(folder) == {name: f"answer to {name}" for name in PROMPTS}


def test_a_turn_that_is_saved_as_running_is_no_answer_but_stays_if_the_next_fails(
    server, tmp_path, capsys
):
    path = tmp_path / "chat.msg.md"
    path.write_text(chat("a"), "utf-8")
    document = Document.read(path)
    blocks = [{"type": "text", "step": 1, "text": "half"}]
    document.put_turn(0, {"version": 1, "status": "running", "blocks": blocks})
    document.save()
    before = path.read_text("utf-8")
    server.answers = [error(401, "no")]

    assert with_settings(server, run_folder, tmp_path) == 1
    assert path.read_text("utf-8") == before

    server.reset()
    server.choose = echo
    assert with_settings(server, run_folder, tmp_path) == 0
    assert turns(path)["a"]["status"] == "done"
    assert writes(read(path)).count("half") == 0
    capsys.readouterr()


def test_an_interrupt_ends_all_files_and_keeps_what_has_arrived(server, folder):
    server.choose = lambda _request: Answer([delta(content="half")], hold=1)
    process = started(server, folder, "--jobs", 2)
    while len(server.requests) < 2:
        assert process.poll() is None
    assert server.streaming.wait(30)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

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
    _, err = running[0].communicate(timeout=60)

    assert running[0].returncode == 0, err
    assert answers(tmp_path) == {"a": "half and half"}


def ignore_hangup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_a_file_that_another_run_answers_is_left_alone(server, tmp_path):
    (tmp_path / "chat.msg.md").write_text(chat("a"), "utf-8")
    server.answers = [Answer([delta(content="half")], hold=1)]
    process = started(server, tmp_path)
    assert server.streaming.wait(30)

    other = run(server, "run", tmp_path)

    assert (other.returncode, "in use" in other.stdout, len(server.requests)) == (1, True, 1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_a_file_that_another_run_has_claimed_is_left_alone_before_its_first_request(
    server, folder, capsys
):
    server.choose = echo
    with claim(folder / "c1.msg.md"):
        assert with_settings(server, run_folder, folder) == 1

    assert asked(server) == PROMPTS[2:]
    assert "in use" in capsys.readouterr().out


def test_runs_that_begin_at_the_same_time_ask_nothing_twice(server, folder):
    server.choose = echo
    processes = [started(server, folder, "--jobs", 3) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=60)

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


def test_what_is_said_once_for_all_files_is_counted_at_the_end(server, folder, capsys):
    server.choose = lambda _request: error(401, "no")

    assert with_settings(server, run_folder, folder) == 1

    lines = [line for line in capsys.readouterr().err.splitlines() if "AuthenticationError" in line]
    assert len(lines) == 2
    assert lines[1].startswith("msgbook run: 2 more times: AuthenticationError")


def test_a_key_reaches_every_file_and_no_output(server, folder):
    server.choose = echo
    environment = {"OPENAI_API_KEY": "sk-very-secret-key"}

    process = started(server, folder, "--jobs", 1, **environment)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-very-secret-key"}
    assert "very-secret" not in out + err


def test_the_cost_is_shown_where_prices_are_set(server, folder, tmp_path, capsys):
    server.choose = echo
    config = tmp_path / "msgbook.toml"
    config.write_text("[providers.openai.prices]\nm = { input = 1000000.0, output = 0.0 }\n")

    assert with_settings(server, run_folder, folder, MSGBOOK_CONFIG=str(config)) == 0

    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert (table[0][5], table[1][5], table[-1][5]) == ("cost", "22.0000", "66.0000")


def test_a_terminal_shows_a_bar_and_then_the_table_alone(server, folder):
    server.choose = echo
    shown = terminal(server, "run", folder, "--jobs", 1)

    shown.expect(r"\[#+\.+\] 1/3 files, 2 turns")
    shown.expect("file +turns +status")
    shown.expect("3 files +6")
    shown.wait()


class GoneTerminal(io.StringIO):
    """A terminal whose window has been closed."""

    def isatty(self):
        return True

    def write(self, _text):
        raise OSError(errno.EIO, "Input/output error")


def test_files_are_answered_although_the_terminal_is_gone(server, folder, monkeypatch, capsys):
    server.choose = echo
    monkeypatch.setattr(sys, "stderr", GoneTerminal())

    assert with_settings(server, run_folder, folder) == 0

    assert len(answers(folder)) == len(PROMPTS)


def test_limits_of_a_provider_hold_for_all_files_together(server, folder, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text("[providers.openai]\nmax_parallel = 1\n")
    open_now: set[str] = set()

    def stream(name):
        open_now.add(name)
        assert len(open_now) == 1
        yield delta(content="ok")
        open_now.discard(name)
        yield finish()

    server.choose = lambda request: Answer(stream(prompt_of(request)), pause=0.01)

    assert with_settings(server, run_folder, folder, MSGBOOK_CONFIG=str(config)) == 0
    assert len(answers(folder)) == len(PROMPTS)


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
