"""A sub-agent and an MCP server: what it is offered, who is asked, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from engine_turns import no_sleep, results
from mcp_direct import processes_with
from mcp_turns import FAULTY, parsed
from scripted_server import ScriptedServer, call
from team import SAID, dispatch, dispatch_result, play, report, subagent_files, turns_in

from msgbook.approval import Answer, Approver
from msgbook.config import load_settings
from msgbook.display.turn_view import HiddenTurn
from msgbook.engine import Conversation, Services
from msgbook.notebook import Transcript
from msgbook.turn_run import run_to_end

ECHO = "mcp__files__echo"
CONFIG = f"[mcp_servers.files]\ncommand = {json.dumps(sys.executable)}\n"


def team_turn(server: ScriptedServer, folder: Path, choice: str, frontmatter: str = ""):
    """Return the turn of a conversation that starts sub-agents, and the questions to its reader.

    Args:
        choice: The reader's answer about a call of the server.
    """
    config = folder.parent / "msgbook.toml"
    # A word of its own, so that only processes of this test are found.
    args = json.dumps([FAULTY, "none", str(folder)])
    config.write_text(f"{CONFIG}args = {args}\n")
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_CONFIG": str(config)}
    settings = load_settings(env)
    asked = []

    async def ask(question):
        asked.append(question)
        return Answer(choice if question.call["name"] == ECHO else "once")

    async def transcript():
        metadata = {"msgbook": {"frontmatter": frontmatter}}
        return Transcript("file", [], {}, metadata=metadata, path=folder / "chat.msg.md")

    async def turn():
        engine = Conversation(
            Services(settings, sleep=no_sleep), folder, approver=Approver("ask", folder)
        )
        try:
            record = engine.new_record()
            return (await run_to_end(engine, "go", transcript, record, HiddenTurn(), ask)).turn
        finally:
            await engine.services.close()

    return asyncio.run(turn()), asked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / ".msgbook").mkdir(parents=True)
    return path


def test_two_sub_agents_call_one_server_after_their_readers_approval(server, folder):
    def says(word):
        return [call(ECHO, {"text": word}), report(f"{word} was echoed")]

    server.choose = play(
        [dispatch("the first task", "the second task"), SAID],
        {"first": says("a"), "second": says("b")},
    )
    turn, asked = team_turn(server, folder, "once")

    assert [row["status"] for row in dispatch_result(turn)["agents"]] == ["done", "done"]
    calls = [question for question in asked if question.call["name"] == ECHO]
    assert len(calls) == 2
    assert all(question.asker for question in calls)
    assert all("of the MCP server files" in q.approval_request.reason for q in calls)
    echoed = [parsed(results(turns_in(file)[0])[0]["content"]) for file in subagent_files(folder)]
    assert sorted(entry["text"] for entry in echoed) == ["a", "b"]
    assert processes_with(str(folder)) == []


def test_a_sub_agent_whose_call_is_denied_calls_no_server(server, folder):
    server.choose = play(
        [dispatch("the only task"), SAID], {"only": [call(ECHO, {}), report("it was denied")]}
    )
    _, asked = team_turn(server, folder, "no")

    [file] = subagent_files(folder)
    denied = [result for result in results(turns_in(file)[0]) if result["status"] == "denied"]
    assert asked
    assert denied
    assert "echo {}" not in file.read_text("utf-8")


def test_a_sub_agent_is_offered_no_server_that_its_parent_does_not_use(server, folder):
    frontmatter = "agents:\n  lead: {mcp_servers: []}\n  worker: {mcp_servers: [files]}\n"
    task = {"prompt": "the only task", "agent_type": "worker"}
    server.choose = play([dispatch(task), SAID], {"only": [call(ECHO, {}), report("done")]})
    team_turn(server, folder, "once", frontmatter)

    offered = [t["function"]["name"] for r in server.requests for t in r.get("tools", [])]
    assert "task_finish" in offered
    assert not [name for name in offered if name.startswith("mcp__")]
