"""Servers that others wrote, over pipes and HTTP."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from mcp_direct import started
from processes import until
from real_mcp import http_server, needs_servers, node_server, python_server

from msgbook.errors import ToolError

pytestmark = needs_servers


def run(work, *settings):
    """Run a coroutine function with started servers, and return its result."""

    async def main():
        async with started(*settings) as servers:
            return await work(servers)

    return asyncio.run(main())


def test_time_tells_the_time():
    async def work(servers):
        return await servers.call("get_current_time", {"timezone": "Asia/Tokyo"})

    assert json.loads(str(run(work, python_server("time"))))["timezone"] == "Asia/Tokyo"


def test_wrong_arguments_are_a_failed_call():
    async def work(servers):
        with pytest.raises(ToolError) as error:
            await servers.call("get_current_time", {"timezone": "Nowhere"})
        return str(error.value)

    assert "Nowhere" in run(work, python_server("time"))


def test_git_reads_freely_where_its_hints_are_trusted_and_asks_before_it_changes(tmp_path: Path):
    git = ("git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@b.c")
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", "first"], check=True)

    async def work(servers):
        tools = {tool.listed.name: tool for tool in servers.mcp.tools(servers.names)}
        free = {name for name, tool in tools.items() if tool.read_only}
        return free, await servers.call("git_log", {"repo_path": str(tmp_path)})

    settings = python_server("git", "-r", str(tmp_path), trust_hints=True)
    free, log = run(work, settings)

    assert "first" in log
    assert "git_log" in free
    assert not {"git_commit", "git_reset"} & free


def test_fetch_only_reads_and_asks_all_the_same():
    async def work(servers):
        tool = servers.mcp.tools(servers.names)[0]
        return tool.listed.name, tool.listed.reads_only, tool.read_only

    assert run(work, python_server("fetch", trust_hints=True)) == ("fetch", True, False)


def test_filesystem_reads_its_folder_and_nothing_outside(tmp_path: Path):
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.txt").write_text("hello")
    (tmp_path / "b.txt").write_text("secret")

    async def work(servers):
        text = await servers.call("read_text_file", {"path": str(inside / "a.txt")})
        with pytest.raises(ToolError) as error:
            await servers.call("read_text_file", {"path": str(tmp_path / "b.txt")})
        return text, str(error.value)

    text, error = run(work, node_server("filesystem", str(inside)))

    assert text == "hello"
    assert "outside allowed directories" in error


def test_memory_keeps_its_state_from_call_to_call(tmp_path: Path):
    entity = {"name": "msgbook", "entityType": "package", "observations": ["has cells"]}

    async def work(servers):
        await servers.call("create_entities", {"entities": [entity]})
        return await servers.call("read_graph")

    settings = node_server("memory", env={"MEMORY_FILE_PATH": str(tmp_path / "memory.json")})
    assert "has cells" in str(run(work, settings))


async def look_at_everything(servers):
    image = await servers.call("get-tiny-image")
    links = await servers.call("get-resource-links", {"count": 2})
    echo = await servers.call("echo", {"message": "hi"})
    return servers, image, links, echo


def check_everything(servers, image, links, echo):
    assert echo == "Echo: hi"
    images = [part for part in image if part["type"] == "image_url"]
    assert images[0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert "[resource " in links
    assert any("runs only as a task" in line for line in servers.said)


def test_images_and_resources_of_everything_arrive():
    check_everything(*run(look_at_everything, node_server("everything")))


def test_everything_over_http_gives_the_same():
    with http_server() as (settings, _):
        check_everything(*run(look_at_everything, settings))


def test_a_key_of_the_kernel_reaches_no_server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never")

    async def work(servers):
        return str(await servers.call("get-env"))

    assert "sk-never" not in run(work, node_server("everything"))


def test_progress_of_everything_is_shown_and_a_cancelled_call_ends_at_once():
    shown: list[str] = []

    async def work(servers):
        arguments = {"duration": 600, "steps": 1200}
        call = asyncio.create_task(
            servers.call("trigger-long-running-operation", arguments, shown.append)
        )
        await until(lambda: bool(shown))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return await servers.call("echo", {"message": "still here"})

    assert run(work, node_server("everything")) == "Echo: still here"
    assert shown[0].endswith("/1200\n")


def test_a_server_over_http_that_was_killed_fails_the_call_in_plain_words():
    async def kill(servers, process):
        await servers.call("echo", {"message": "hi"})
        process.kill()
        process.wait()
        with pytest.raises(ToolError) as error:
            await servers.call("echo", {"message": "hi"})
        return str(error.value)

    with http_server() as (settings, process):
        error = run(lambda servers: kill(servers, process), settings)

    assert "MCP server web: The server ended during the call" in error
