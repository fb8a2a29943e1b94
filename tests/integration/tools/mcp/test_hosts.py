"""MCP servers in the kernel, in `msgbook run` and in `msgbook doctor`, as a user configures them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import with_settings
from kernel_client import KernelClient
from mcp_direct import processes_with
from mcp_turns import FAULTY, parsed
from processes import until
from scripted_server import ScriptedServer, call, text

from msgbook.__main__ import main
from msgbook.cli.run import run_file
from msgbook_format import read
from msgbook_format.turn import TURN_MIME, turn_of

CHAT = "# %% One[^one]\n\nhi\n"


def configure(folder: Path, fault: str = "none", more: str = "") -> str:
    """Write a configuration with one server, and return its path."""
    path = folder / "msgbook.toml"
    args = json.dumps([FAULTY, fault, str(folder)])  # the folder tells its processes from others
    path.write_text(
        f"[mcp_servers.files]\ncommand = {json.dumps(sys.executable)}\nargs = {args}\n{more}"
    )
    return str(path)


LOOK = """
import sys, asyncio
sys.path[:0] = {path!r}
from pathlib import Path
from mcp_turns import Talk, faulty, mcp_settings
from scripted_server import ScriptedServer, text

async def talk(server):
    async with Talk(Path({folder!r}), mcp_settings(server, faulty())) as talk:
        await talk.turn()
        return "mcp" in sys.modules

with ScriptedServer([text("ok")]) as server:
    print(asyncio.run(talk(server)), flush=True)
"""


def test_the_sdk_is_imported_when_a_server_starts_and_not_before(tmp_path):
    program = LOOK.format(path=[str(Path(FAULTY).parent)], folder=str(tmp_path))
    env = {**os.environ, "JUPYTER_DATA_DIR": str(tmp_path / "data")}

    def look() -> str:
        command = [sys.executable, "-c", program]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=True, timeout=300
        ).stdout.strip()

    assert [look(), look()] == ["True", "False"]


@pytest.mark.smoke
def test_run_answers_with_a_tool_of_a_server_and_leaves_nothing(server, tmp_path):
    server.answers = [call("mcp__files__echo", {"text": "a"}), text("ok")]
    chat = tmp_path / "chat.msg.md"
    chat.write_text(CHAT)
    config = configure(tmp_path, "at_start_ignores_the_end")

    assert (
        with_settings(server, run_file, chat, MSGBOOK_CONFIG=config, MSGBOOK_APPROVAL="allow") == 0
    )

    turn = turn_of(read(chat).cells[0].outputs[0])
    content = next(b["content"] for b in turn["blocks"] if b["type"] == "tool_result")
    assert parsed(content) == {"text": "a"}
    assert processes_with(str(tmp_path)) == []


@pytest.fixture
def wedged(server: ScriptedServer, tmp_path: Path):
    """A kernel with a server that reads no more once it is called."""
    config = configure(tmp_path, "on_call_wedged")
    settings = {
        "OPENAI_BASE_URL": server.url,
        "MSGBOOK_MODEL": "m",
        "MSGBOOK_CONFIG": config,
        "MSGBOOK_APPROVAL": "allow",
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
    }
    with KernelClient({**os.environ, **settings}, str(tmp_path)) as client:
        yield client


def test_an_interrupt_ends_a_turn_although_a_server_reads_no_more(wedged, server):
    server.answers = [call("mcp__files__echo", {"text": "x" * 200_000}), text("ok")]
    request = wedged.start("hi", "a")
    while "1 wedged" not in json.dumps(
        wedged.client.get_iopub_msg(timeout=300)["content"].get("data", {}).get(TURN_MIME, {})
    ):
        pass

    wedged.manager.interrupt_kernel()
    reply, messages = wedged.finish(request)

    turns = [m["content"]["data"][TURN_MIME] for m in messages if "data" in m["content"]]
    assert reply["ename"] == "KeyboardInterrupt"
    assert turns[-1]["status"] == "interrupted"
    server.answers = [text("fine")]
    assert wedged.run("again", "b")[0]["status"] == "ok"


def test_an_interrupt_ends_a_refresh_of_a_server_that_says_nothing(tmp_path):
    config = configure(tmp_path, "at_start_silent", "startup_timeout_sec = 1000\n")
    settings = {"MSGBOOK_CONFIG": config, "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    with KernelClient({**os.environ, **settings}, str(tmp_path)) as client:
        request = client.start("%mcp refresh", "a")
        asyncio.run(until(lambda: len(processes_with(str(tmp_path))) >= 2))

        client.manager.interrupt_kernel()
        reply, _ = client.finish(request)

        assert reply["status"] == "error"
        listed = "".join(m["content"].get("text", "") for m in client.run("%mcp", "b")[1])
        assert "files  [not started]  tools not known yet" in listed
    asyncio.run(until(lambda: processes_with(str(tmp_path)) == []))


def test_doctor_starts_each_server_once_and_says_what_it_found(
    server, tmp_path, monkeypatch, capsys
):
    broken = f"[mcp_servers.broken]\ncommand = {json.dumps(sys.executable)}\nargs = {json.dumps([FAULTY, 'at_start_exit'])}\n"
    config = configure(tmp_path, more=broken)
    server.answers = [text("1 2 3")]
    monkeypatch.setenv("MSGBOOK_CONFIG", config)

    code = with_settings(server, main, ["doctor", "--json", "--timeout", "30"])

    found = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["check"] == "mcp"]
    assert code == 1
    assert [f["status"] for f in found] == ["pass", "fail"]
    assert found[0]["words"].startswith("files: 3 tools in ")
    assert found[0]["words"].endswith(" (echo, fetch, look); 3 need approval")
    assert "exit code 1: The setting DATABASE is missing." in found[1]["words"]
    assert processes_with(str(tmp_path)) == []
