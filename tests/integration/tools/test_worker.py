"""The processes of the file tools: they stall nothing, and none of them is left."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from msgbook.approval import ApprovalRequest, ApprovalRequiredError
from msgbook.errors import ToolError
from msgbook.tools import CallContext, FileTools, Tool

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="counts processes of a Unix")

EXPLODES = json.dumps({"pattern": "(a|a)+$", "path": "explodes"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "explodes").write_text("a" * 60 + "b\n")
    return tmp_path


def with_tools(
    files: FileTools, task: Callable[[dict[str, Tool]], Awaitable[Any]], *, close: bool = True
) -> Any:
    async def run() -> Any:
        try:
            return await task({tool.name: tool for tool in files.tools})
        finally:
            if close:
                await files.close()

    return asyncio.run(run())


def workers() -> list[psutil.Process]:
    """The workers that this process has started and that run."""
    return [child for child in psutil.Process().children() if serves(child)]


def serves(process: psutil.Process) -> bool:
    try:
        return "msgbook.tools.files.serve" in " ".join(process.cmdline())
    except psutil.Error:  # it has ended
        return False


async def kill(worker: psutil.Process) -> None:
    """Kill an idle worker and wait until that can be seen."""
    worker.kill()
    await until(lambda: worker.status() == psutil.STATUS_ZOMBIE)


async def until(fact: Callable[[], bool]) -> None:
    while not fact():  # noqa: ASYNC110 - processes send no events
        await asyncio.sleep(0.01)


def test_a_worker_is_started_by_the_first_call_and_kept(folder):
    files = FileTools(folder)
    assert workers() == []

    async def task(tools):
        first = await tools["read"].call('{"path": "a.txt"}')
        [process] = workers()
        second = await tools["read"].call('{"path": "a.txt", "start": 2}')
        assert workers() == [process]
        return first, second

    assert with_tools(files, task) == ("one\ntwo\n", "two")
    assert workers() == []


def test_calls_run_side_by_side_in_four_workers_at_most(folder):
    async def task(tools):
        calls = [tools["read"].call('{"path": "a.txt"}') for _ in range(12)]
        results = await asyncio.gather(*calls)
        return results, len(workers())

    results, count = with_tools(FileTools(folder), task)

    assert results == ["one\ntwo\n"] * 12
    assert count <= 4


def test_a_pattern_that_explodes_is_stopped_and_said(folder):
    async def task(tools):
        with pytest.raises(ToolError, match=r"grep took longer than 2 s: it was stopped"):
            await tools["grep"].call(EXPLODES)
        await until(lambda: not workers())
        return await tools["read"].call('{"path": "a.txt", "end": 1}')

    assert with_tools(FileTools(folder, time_limit=2), task) == "one"


def test_the_loop_goes_on_while_a_worker_is_busy_and_a_cancelled_call_kills_it(folder):
    async def task(tools):
        busy = asyncio.create_task(tools["grep"].call(EXPLODES))
        await until(lambda: bool(workers()))
        other = await tools["read"].call('{"path": "a.txt", "end": 1}')
        busy.cancel()
        with pytest.raises(asyncio.CancelledError):
            await busy
        await until(lambda: len(workers()) == 1)
        return other, await tools["read"].call('{"path": "a.txt", "start": 2}')

    assert with_tools(FileTools(folder), task) == ("one", "two")


def test_a_worker_that_dies_is_a_failed_call_and_the_next_one_works(folder):
    async def task(tools):
        busy = asyncio.create_task(tools["grep"].call(EXPLODES))
        await until(lambda: bool(workers()))
        workers()[0].kill()
        with pytest.raises(ToolError, match="process that ran grep died"):
            await busy
        idle = await tools["read"].call('{"path": "a.txt", "end": 1}')
        await kill(workers()[0])
        return idle, await tools["read"].call('{"path": "a.txt", "start": 2}')

    assert with_tools(FileTools(folder), task) == ("one", "two")


def test_closing_ends_also_a_worker_that_is_busy(folder):
    files = FileTools(folder)

    async def task(tools):
        busy = asyncio.create_task(tools["grep"].call(EXPLODES))
        await until(lambda: bool(workers()))
        await files.close()
        with pytest.raises(ToolError, match="died"):
            await busy

    with_tools(files, task)
    assert workers() == []


def test_tools_that_nobody_closes_leave_no_process(folder):
    async def task(tools):
        await tools["read"].call('{"path": "a.txt"}')

    with_tools(FileTools(folder), task, close=False)

    gc.collect()
    assert workers() == []


def test_workers_survive_an_event_loop(folder):
    files = FileTools(folder)

    async def task(tools):
        return await tools["read"].call('{"path": "a.txt", "end": 1}')

    assert with_tools(files, task, close=False) == "one"
    assert with_tools(files, task) == "one"


KERNEL = """
import asyncio, sys
from pathlib import Path
from msgbook.tools import FileTools

async def main():
    tools = {tool.name: tool for tool in FileTools(Path(sys.argv[1])).tools}
    await tools["read"].call('{"path": "a.txt"}')
    print("ready", flush=True)
    await tools["grep"].call(sys.argv[2])

asyncio.run(main())
"""


def test_a_worker_dies_with_a_kernel_that_is_killed(folder):
    kernel = subprocess.Popen(
        [sys.executable, "-c", KERNEL, str(folder), EXPLODES], stdout=subprocess.PIPE, text=True
    )
    with kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n"
        [worker] = psutil.Process(kernel.pid).children()
        kernel.send_signal(signal.SIGKILL)

    # In a container nobody may wait for it, so that a zombie counts as gone.
    asyncio.run(until(lambda: not worker.is_running() or worker.status() == "zombie"))


def test_a_worker_sees_no_key_and_is_out_of_reach_of_the_terminal(folder, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")

    async def task(tools):
        await tools["read"].call('{"path": "a.txt"}')
        [worker] = workers()
        return worker.environ(), os.getsid(worker.pid), worker.pid

    environment, session, pid = with_tools(FileTools(folder), task)

    assert "sk-secret-key" not in str(environment)
    assert session == pid


def test_a_call_that_needs_approval_says_what_it_would_do_and_runs_when_exactly_that_is_approved(
    folder,
):
    arguments = '{"path": "a.txt", "old": "two", "new": "2"}'

    async def task(tools):
        with pytest.raises(ApprovalRequiredError) as asked:
            await tools["edit"].call(arguments)
        with pytest.raises(ApprovalRequiredError):
            await tools["edit"].call(arguments, CallContext(ApprovalRequest("another reason")))
        return asked.value.approval_request, await tools["edit"].call(
            arguments, CallContext(asked.value.approval_request)
        )

    needed, result = with_tools(FileTools(folder), task)

    assert needed.reason == f"it changes {folder / 'a.txt'}"
    assert needed.preview == result
    assert (folder / "a.txt").read_text() == "one\n2\n"


def test_an_edit_knows_what_was_read_by_another_worker(folder):
    async def task(tools):
        await tools["read"].call('{"path": "a.txt"}')
        await kill(workers()[0])
        (folder / "a.txt").write_text("changed\n")
        with pytest.raises(ToolError, match="changed since you read it"):
            await tools["edit"].call('{"path": "a.txt", "old": "changed", "new": "x"}')

    with_tools(FileTools(folder), task)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"path": "a.txt", "start": 0}', "arguments do not fit: .*start"),
        ('{"path": 3}', "arguments do not fit"),
        ("{}", "arguments do not fit"),
        ("[]", "arguments do not fit"),
        ('["a.txt"]', "arguments do not fit: expected a JSON object"),
        (
            '{"path": "a.txt", "p\\u0061th": "b.txt"}',
            "arguments do not fit: an object has the same key twice",
        ),
        ('{"path": "a.txt",}', "arguments do not fit: .*line 1 column"),
        ('{"path":' + "[" * 100_000, "arguments do not fit: they are nested too deeply"),
        ("", "arguments do not fit"),
        ('{"path": "a\\u0000b"}', "is not the path"),
    ],
)
def test_arguments_that_do_not_fit_are_said(folder, arguments, said):
    async def task(tools):
        with pytest.raises(ToolError, match=said):
            await tools["read"].call(arguments)

    with_tools(FileTools(folder), task)


def test_the_model_gets_names_purposes_and_parameters(folder):
    schemas = {tool.name: tool.schema["function"] for tool in FileTools(folder).tools}

    assert {name: list(schema["parameters"]["properties"]) for name, schema in schemas.items()} == {
        "read": ["path", "start", "end"],
        "glob": ["pattern", "path"],
        "grep": ["pattern", "path", "glob", "ignore_case", "context"],
        "write": ["path", "content"],
        "edit": ["path", "old", "new"],
        "mkdir": ["path"],
    }
    assert schemas["read"]["parameters"]["required"] == ["path"]
    assert all(schema["description"] for schema in schemas.values())
    assert [tool.name for tool in FileTools(folder).tools if tool.read_only] == [
        "read",
        "glob",
        "grep",
    ]


OTHERS = {
    "other.msg.md": "# %% [^note]\n\n[^note]: [markdown] cell=markdown\n\nA note.\n",
    "other.ipynb": """{"metadata": {}, "nbformat": 4, "nbformat_minor": 5, "cells": [
  {"id": "note", "cell_type": "markdown", "metadata": {}, "source": "A note."}]}""",
}


@pytest.mark.parametrize(("name", "content"), OTHERS.items())
def test_a_worker_reads_and_changes_the_cells_of_another_notebook(folder, name, content):
    (folder / name).write_text(content)

    async def play(_tools: dict[str, Tool]) -> Any:
        tools = {tool.name: tool for tool in files.cell_tools}
        listed = await tools["read_cell"].call(json.dumps({"path": name}))
        arguments = json.dumps({"path": name, "cell": "note", "old": "A", "new": "One"})
        with pytest.raises(ApprovalRequiredError) as asked:
            await tools["edit_cell"].call(arguments)
        approved = CallContext(asked.value.approval_request)
        return listed, await tools["edit_cell"].call(arguments, approved)

    files = FileTools(folder)
    listed, edited = with_tools(files, play)

    assert listed == "#1 note note: A note."
    assert edited.endswith("-A note.\n+One note.\n")
    assert (folder / name).read_text() == content.replace("A note", "One note")
