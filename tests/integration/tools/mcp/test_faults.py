"""A server that does anything wrong costs its own tools or call, with a plain line, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys

import psutil
import pytest
from mcp_direct import started
from mcp_turns import FAULTY, faulty
from processes import process_named, processes_in, until

from msgbook.config import McpServerSettings
from msgbook.errors import ToolError
from msgbook.tools.mcp import McpError
from msgbook.tools.mcp.listing import TOOL_LIMIT
from msgbook.tools.mcp.server_process import ServerProcess


def run(work, *settings):
    """Run a coroutine function with started servers, and return its result."""

    async def main():
        async with started(*settings) as servers:
            return await work(servers)

    return asyncio.run(main())


def children(but=()):
    """Return the processes that this one has started, but for some: those of other tests go on."""
    return [child for child in psutil.Process().children(recursive=True) if child not in but]


def said_of(fault, **settings):
    """Return the notices about a server, and the names of its tools."""

    async def look(servers):
        return "\n".join(servers.said), servers.tool_names()

    return run(look, faulty(fault, **settings))


def failure_of(fault, **settings):
    """Return what a model reads of a call of `echo`."""

    async def fail(servers):
        with pytest.raises(ToolError) as error:
            await servers.call("echo")
        return str(error.value)

    return run(fail, faulty(fault, **settings))


def test_a_silent_server_is_given_up_after_its_time_limit():
    said, tools = said_of("at_start_silent", startup_timeout=0.5)

    assert "did not answer within 0.5 s (startup_timeout_sec)" in said
    assert "%mcp refresh files tries again" in said
    assert tools == []


def test_a_server_that_cannot_be_started_is_said_with_its_last_words():
    assert "exit code 1: The setting DATABASE is missing." in said_of("at_start_exit")[0]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program", "there is no program no-such-program on PATH. Install it, or give"),
        ("./no-such-program", "there is no program ./no-such-program in /usr"),
        ("/no-such-program", "there is no program /no-such-program."),
    ],
)
def test_a_program_that_does_not_exist_is_named_with_the_place_where_it_was_looked_for(
    command, words
):
    async def look(servers):
        return "\n".join(servers.said)

    assert words in run(look, McpServerSettings("x", command=command, cwd="/usr"))


def test_lines_that_are_no_messages_are_passed_over():
    said, tools = said_of("at_start_junk")

    assert len(tools) == 3
    assert "could not" not in said


def test_an_endless_line_ends_the_server():
    said, tools = said_of("at_start_endless_line", startup_timeout=30.0)

    assert "it sent a line of more than 16 MB" in said
    assert tools == []


def test_what_a_server_writes_to_its_standard_error_blocks_nothing():
    assert len(said_of("at_start_noisy")[1]) == 3


def test_500_tools_are_read():
    assert len(said_of("on_list_500")[1]) == 500


def test_a_tool_that_is_listed_twice_is_said_and_the_first_counts():
    said, tools = said_of("on_list_doubles")

    assert tools == ["mcp__files__echo"]
    assert "'echo' is listed twice" in said


def test_odd_names_become_names_that_model_servers_take():
    _, tools = said_of("on_list_odd_names")

    assert len(tools) == 4
    for name in tools:
        assert len(name) <= 64
        assert name.isascii()
        assert name.replace("_", "").replace("-", "").isalnum()
        assert name[:-9].startswith("mcp__files__")


def test_a_tool_that_does_not_fit_costs_only_itself():
    async def look(servers):
        return servers.tool_names(), servers.mcp.servers["files"].problems

    tools, problems = run(look, faulty("on_list_broken_tools"))

    assert tools == ["mcp__files__echo"]
    assert any("'bare' does not fit the protocol" in line for line in problems)
    assert any("'slow' runs only as a task" in line for line in problems)


def test_tools_whose_headers_are_wrong_are_offered_and_run():
    async def look(servers):
        said = [
            await servers.call(name.removeprefix("mcp__files__")) for name in servers.tool_names()
        ]
        return servers.tool_names(), servers.mcp.servers["files"].problems, said

    tools, problems, said = run(look, faulty("on_list_wrong_headers"))

    assert len(tools) == len(said) == 9
    assert list(problems) == []


def test_a_tool_that_floods_each_request_costs_only_itself():
    said, tools = said_of("on_list_floods")

    assert tools == ["mcp__files__echo"]
    assert "'long' is left out: its description has 5,000," in said
    assert "more than 100,000" in said


@pytest.mark.parametrize("fault", ["on_list_endless", "on_list_same_cursor"])
def test_a_list_without_end_is_cut(fault):
    said, tools = said_of(fault)

    assert "its list of tools has no end" in said
    assert 0 < len(tools) <= TOOL_LIMIT


def test_a_server_that_dies_in_a_call_fails_it_in_plain_words_and_starts_again_at_the_next():
    async def die(servers):
        errors = []
        for _ in range(6):
            with pytest.raises(ToolError) as error:
                await servers.call("echo")
            errors.append(str(error.value))
        return errors

    errors = run(die, faulty("on_call_dies"))

    for error in errors[:4]:
        assert "The server ended during the call: it ended with exit code 3: out of memory" in error
        assert "It may or may not have taken effect." in error
    for error in errors[4:]:
        assert "it has ended 4 times within 5 minutes; %mcp refresh files starts it again" in error


def test_a_server_that_was_killed_between_two_calls_starts_again_for_the_next():
    others = children()

    async def kill(servers):
        first = await servers.call("echo")
        for process in children(others):
            if "supervise.py" not in " ".join(process.cmdline()):
                process.kill()
        await until(lambda: servers.mcp.servers["files"].state != "running")
        return first, await servers.call("echo")

    assert run(kill, faulty()) == ("echo {}", "echo {}")


def test_a_server_that_stops_reading_ends_a_call_after_its_time_limit():
    error = failure_of("on_call_stops_reading", tool_timeout=0.3)

    assert "took longer than 0.3 s (tool_timeout_sec)" in error
    assert "It may or may not have taken effect" in error


def test_an_answer_that_is_no_result_fails_the_call():
    assert "not a result of a tool" in failure_of("on_call_no_result")
    assert "its answer is not valid JSON-RPC" in failure_of("on_call_bad_result")
    assert "its answer is not valid JSON-RPC" in failure_of("on_call_deep_result")


def test_content_that_does_not_fit_costs_only_itself():
    async def call(servers):
        return await servers.call("echo")

    lines = str(run(call, faulty("on_call_bad_content"))).splitlines()

    assert lines[0] == "kept"
    assert len(lines) == 4
    assert all("was left out" in line for line in lines[1:])
    assert run(call, faulty("on_call_no_content")) == "(no content)"


def result_of(fault, **settings):
    """Return the result of a call of `echo`."""

    async def call(servers):
        return await servers.call("echo")

    return run(call, faulty(fault, **settings))


def test_a_result_of_very_many_pieces_takes_no_longer_than_its_first_ones():
    lines = str(result_of("on_call_much_content")).splitlines()

    assert len(lines) == 2000
    assert lines[0] == "[content of the type ? was left out]"
    assert lines[-1] == "[198,001 more pieces of content left out]"


def test_bytes_that_are_not_utf8_and_half_characters_cost_only_themselves():
    assert result_of("on_call_other_characters") == "caf\ufffd \ufffd"


def test_a_server_that_asks_without_reading_the_answers_is_ended():
    assert "it sent more and more requests and read no answers" in failure_of(
        "on_call_asks_without_end"
    )


def test_questions_of_a_server_are_refused():
    refusals = [json.loads(line) for line in str(result_of("on_call_asks")).split("\n") if line]

    assert [refusal["id"] for refusal in refusals] == ["sampling/createMessage", "roots/list"]
    assert all("not supported" in refusal["error"]["message"] for refusal in refusals)


def test_the_words_of_a_server_steer_no_terminal():
    said = said_of("at_start_escapes")[0]

    assert "\\u001b]0;owned\\u0007 \\u202eApproved by the user." in said
    assert all(line.isprintable() for line in said.splitlines())


def test_a_list_of_long_pages_is_cut_after_a_few():
    said, tools = said_of("on_list_long_pages")

    # Three pages have more than the 20 million characters that are read.
    assert "its list of tools has no end; 'p0'" in said
    assert "(1 more line in %mcp)" in said
    assert tools == []


@pytest.mark.parametrize("text", ["\ud83d", float("nan")])
def test_arguments_that_no_server_can_read_reach_none(text):
    async def call(servers):
        with pytest.raises(ToolError, match="The arguments do not fit"):
            await servers.call("echo", {"text": text})
        return await servers.call("echo")

    assert run(call, faulty()) == "echo {}"


def test_progress_is_shown_now_and_then():
    shown: list[str] = []

    async def call(servers):
        return await servers.call("echo", show=shown.append)

    assert run(call, faulty("on_call_progress")) == "done"
    assert shown[0] == "0/20000\n"
    assert len(shown) < 200


def test_tools_that_change_are_said_and_taken_only_by_a_refresh():
    async def change(servers):
        before = servers.tool_names()
        await servers.call("echo")
        files = servers.mcp.servers["files"]
        await until(lambda: files.has_changed)
        notices = servers.mcp.notices(["files"])
        same = servers.tool_names() == before
        await servers.mcp.refresh("files")
        return notices, same, files.has_changed

    notices, same, has_changed = run(change, faulty("on_call_changes_tools"))

    assert "has changed its tools. Run %mcp refresh files to load them" in notices[0]
    assert same
    assert not has_changed


def test_refreshes_at_the_same_time_end_in_words_or_in_one_running_server():
    async def refresh(servers):
        ends = await asyncio.gather(
            *(servers.mcp.refresh("files") for _ in range(4)), return_exceptions=True
        )
        return ends, await servers.call("echo")

    ends, result = run(refresh, faulty())

    assert None in ends
    assert all(end is None or isinstance(end, McpError) for end in ends)
    assert result == "echo {}"


def test_a_server_gets_the_usual_variables_and_those_of_its_table(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-no")
    monkeypatch.setenv("HOME", "/")

    async def call(servers):
        return json.loads(str(await servers.call("echo")))

    found = run(call, faulty("on_call_environment", env={"MINE": "yes"}))

    assert found["MINE"] == "yes"
    assert found["PYTHONSAFEPATH"] == "1"
    assert found["cwd"] == "/"
    usual = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "PYTHONSAFEPATH", "MINE", "cwd"}
    assert found.keys() - usual <= {"MSGBOOK_CALL", "LC_CTYPE", "PWD", "_", "SHLVL"}


def test_a_server_that_ignores_the_end_of_its_input_and_sigterm_is_ended():
    others = children()

    async def look(servers):
        return children(others)

    processes = run(look, faulty("at_start_ignores_the_end"))

    assert len(processes) >= 2
    assert not any(process.is_running() for process in processes)


def test_a_server_whose_start_is_cancelled_at_once_is_ended():
    others = children()

    async def cancel():
        server = faulty("at_start_ignores_the_end")
        start = asyncio.create_task(ServerProcess.start(server, dict(os.environ)))
        await asyncio.sleep(0)
        processes = children(others)
        start.cancel()
        await asyncio.wait([start])
        return processes

    processes = asyncio.run(cancel())

    assert processes
    assert not any(process.is_running() for process in processes)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux cuts names")
def test_no_name_of_another_process_keeps_one_of_the_server_alive(tmp_path):
    async def end():
        started = await ServerProcess.start(server_at(tmp_path), dict(os.environ))
        await until(lambda: len(processes_in(tmp_path)) == 3)
        await started.close()
        return started.exit_code

    with process_named("проверкавсего".encode()):
        assert asyncio.run(end()) == 0
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGUSR1])
def test_a_supervisor_that_ends_early_leaves_no_process_of_the_server(number, tmp_path):
    async def end():
        started = await ServerProcess.start(server_at(tmp_path), dict(os.environ))
        await until(lambda: len(processes_in(tmp_path)) == 3)
        supervisor = next(p for p in processes_in(tmp_path) if "supervise.py" in str(p.cmdline()))
        supervisor.send_signal(number)
        await started.close()

    asyncio.run(end())
    assert processes_in(tmp_path) == []


def server_at(folder):
    """Return a server that has a child in another session, and runs in a folder."""
    return McpServerSettings(
        "x", command="/bin/sh", args=("-c", "setsid sleep 600 & exec cat"), cwd=str(folder)
    )


KILLED = """
import asyncio, os, signal, sys
sys.path[:0] = {path!r}
from mcp_direct import Servers
from mcp_turns import faulty

async def main():
    servers = Servers(faulty({fault!r}))
    await servers.ready()
    print("ready", flush=True)
    call = asyncio.create_task(servers.call("echo"))
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("fault", ["none", "at_start_ignores_the_end", "on_call_stops_reading"])
def test_no_server_outlives_a_killed_kernel(fault, tmp_path):
    program = KILLED.format(path=[os.path.dirname(FAULTY)], fault=fault)  # noqa: PTH120
    env = {**os.environ, "JUPYTER_DATA_DIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        mine = psutil.Process(host.pid).children(recursive=True)
        assert len(mine) >= 2
        host.send_signal(signal.SIGKILL)
    asyncio.run(until(lambda: not any(process.is_running() for process in mine)))
