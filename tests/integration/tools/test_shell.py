"""The tool `shell`: what a command printed and how it ended; no process of it is left."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from processes import process_named, processes_in, until

from msgbook.approval import ApprovalRequest, ApprovalRequiredError
from msgbook.errors import ToolError
from msgbook.tools import CallContext, shell_tool
from msgbook.tools.process import Supervised, child_environment

APPROVED = ApprovalRequest("it runs a command on this machine")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tool needs a Unix")


async def shell(folder: Path, command: str, show: Callable[[str], None] = print, **rest) -> str:
    tool = shell_tool(folder, environ=os.environ)
    content = await tool.call(json.dumps({"command": command, **rest}), CallContext(APPROVED, show))
    assert isinstance(content, str)
    return content


def ran(folder: Path, command: str, **rest) -> str:
    return asyncio.run(shell(folder, command, **rest))


def failed(folder: Path, command: str, **rest) -> str:
    with pytest.raises(ToolError) as error:
        ran(folder, command, **rest)
    return str(error.value)


def test_nothing_runs_without_approval(tmp_path):
    tool = shell_tool(tmp_path)

    with pytest.raises(ApprovalRequiredError) as error:
        asyncio.run(tool.call('{"command": "touch ran"}'))

    assert error.value.approval_request == APPROVED
    assert list(tmp_path.iterdir()) == []


def test_output_comes_in_order_from_the_notebooks_folder(tmp_path):
    (tmp_path / "a.txt").touch()

    assert ran(tmp_path, "echo one; echo two >&2; ls") == "one\ntwo\na.txt\n[exit code 0]"


def test_a_failure_shows_output_and_exit_code(tmp_path):
    assert failed(tmp_path, "echo half; exit 3") == "half\n[exit code 3]"


def test_a_shell_of_the_folder_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "bash").write_text("#!/bin/sh\necho another shell\n")
    (tmp_path / "bash").chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")

    assert ran(tmp_path, "echo on") == "on\n[exit code 0]"


def test_a_command_has_no_input(tmp_path):
    assert ran(tmp_path, "cat") == "(no output)\n[exit code 0]"


def test_a_command_that_cannot_be_started_says_why(tmp_path):
    assert "could not be started" in failed(tmp_path, "echo a\0b")
    assert "could not be started" in failed(tmp_path / "missing", "true")


def test_output_is_shown_while_the_command_runs(tmp_path):
    async def main() -> str:
        shown: list[str] = []
        running = asyncio.ensure_future(
            shell(tmp_path, "echo on; until [ -e go ]; do sleep 0.01; done", shown.append)
        )
        await until(lambda: "".join(shown) == "on\n")
        (tmp_path / "go").touch()
        return await running

    assert asyncio.run(main()) == "on\n[exit code 0]"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 600 & setsid sleep 600 & (trap '' TERM; setsid sleep 600) & echo on",
        "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 600; done' &) ; echo on",
        # A shell that outlives its child by a moment would say "Killed" or "Terminated".
        "for i in {1..40}; do setsid sh -c 'trap \"\" TERM; sleep 600; :' & done; echo on",
        "for i in {1..40}; do setsid sh -c 'sleep 600; :' & done; echo on",
    ],
)
def test_nothing_is_left_in_the_background(tmp_path, command):
    assert ran(tmp_path, command) == "on\n[exit code 0]"
    assert processes_in(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="Linux cuts names")
@pytest.mark.parametrize("name", ["проверкавсего".encode(), b"\xff", b"a) S 1 (b", b"a\nb)"])
def test_no_name_of_another_process_hides_what_is_left(tmp_path, name):
    with process_named(name):
        assert ran(tmp_path, "setsid sleep 600 & echo on") == "on\n[exit code 0]"
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize(
    "command",
    ["sleep 600", "trap '' TERM; sleep 600; sleep 600", "setsid sleep 600 & sleep 600"],
)
def test_a_command_that_takes_too_long_is_stopped_with_all_it_started(tmp_path, command):
    for timeout in (0.5, 5, 30):
        text = failed(tmp_path, f"echo on; {command}", timeout=timeout)
        assert text.endswith(f"[stopped after {timeout} s]")
        assert processes_in(tmp_path) == []
        if text.startswith("on\n"):
            return
    pytest.fail("what it printed is lost, however long it ran")


def test_a_command_that_prints_for_ever_is_stopped_and_bounded(tmp_path):
    for timeout in (1, 10):
        text = failed(tmp_path, "yes", timeout=timeout)
        assert text.endswith(f"[stopped after {timeout} s]")
        assert len(text) < 11_000_000
        if "y\n[" in text:
            return
    pytest.fail("nothing of what it printed is kept")


@pytest.mark.parametrize("command", ["kill -9 $$", "kill -9 0", "kill -9 -- -$$"])
def test_a_command_that_kills_itself_is_a_failure(tmp_path, command):
    assert failed(tmp_path, f"sleep 600 & {command}; sleep 600").endswith("[killed by signal 9]")
    assert processes_in(tmp_path) == []


def test_a_command_that_kills_its_supervisor_ends_too(tmp_path):
    text = failed(tmp_path, "setsid sleep 600 & env -i sleep 600 & kill -9 $PPID; sleep 600")

    assert "killed the process that watched over it" in text
    assert processes_in(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
@pytest.mark.parametrize("number", [0, 1])
def test_a_command_cannot_report_its_own_end(tmp_path, number):
    forged = f"echo exit 0 > /proc/$PPID/fd/{number}"

    assert failed(tmp_path, f"{forged}; exit 3").endswith("[exit code 3]")
    text = failed(tmp_path, f"sleep 600 & {forged}; kill -9 $PPID; sleep 600")

    assert "killed the process that watched over it" in text
    assert processes_in(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
@pytest.mark.parametrize("number", [0, 1])
def test_a_command_cannot_keep_the_lifeline_or_the_report_open(tmp_path, number):
    held = f"sleep 600 3<>/proc/$PPID/fd/{number} || sleep 600"

    assert failed(tmp_path, held, timeout=0.5).endswith("[stopped after 0.5 s]")
    assert processes_in(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
def test_a_report_that_is_no_text_does_not_keep_the_call_open(tmp_path):
    text = failed(tmp_path, "printf '\\377' > /proc/$PPID/fd/1; exit 3", timeout=30)

    assert text.endswith("[exit code 3]")


def test_a_command_that_asks_its_supervisor_to_end_is_not_heard(tmp_path):
    assert ran(tmp_path, "kill $PPID; kill -INT $PPID; echo on") == "on\n[exit code 0]"


def test_a_cancelled_call_leaves_no_process_and_has_shown_its_output(tmp_path):
    async def main() -> list[str]:
        shown: list[str] = []
        command = "echo on; sleep 600 & setsid sleep 600 & sleep 600"
        others = psutil.Process().children()
        running = asyncio.ensure_future(shell(tmp_path, command, shown.append))
        await until(lambda: "".join(shown) == "on\n")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: not processes_in(tmp_path))
        await until(lambda: set(psutil.Process().children()) <= set(others))
        await until(lambda: len(asyncio.all_tasks()) == 1)
        return shown

    assert asyncio.run(main()) == ["on\n"]


def test_a_command_that_is_stopped_while_the_event_loop_closes_is_waited_for(tmp_path):
    async def stop_late():
        running = Supervised("sleep 600", tmp_path, child_environment(os.environ, ()), print)
        await until(lambda: len(processes_in(tmp_path)) > 1)
        await asyncio.get_running_loop().shutdown_default_executor()
        running.stop()
        await running.gone.wait()

    asyncio.run(stop_late())
    assert not processes_in(tmp_path)


def test_the_time_limit_is_bounded(tmp_path):
    assert "timeout" in failed(tmp_path, "true", timeout=601)


def test_a_command_finds_no_key_in_its_environment():
    environ = {
        "OPENAI_API_KEY": "1",
        "hf_token": "1",
        "DB_PASSWORD": "1",
        "AWS_SECRET_ACCESS": "1",
        "GOOGLE_APPLICATION_CREDENTIALS": "1",
        "JPY_SESSION_NAME": "1",
        "HARMLESS": "begins with sk-hidden",
        "PATH": "/bin",
        "HOME": "/",
    }

    kept = child_environment(environ, ["sk-hidden"])

    assert kept.keys() & environ.keys() == {"PATH", "HOME"}
