"""docs/mcp.md: its commands, its magics and its reference work with the server of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command import settings
from fences import fences_of
from kernel_client import KernelClient
from scripted_server import ScriptedServer, text
from talk import content_reference
from time_server import uvx_with_time
from typed import environment, type_in

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text("utf-8")
HERE = "integration/docs/test_mcp_how_to.py"
(SERVER,) = fences_of(f"{HERE}::test_the_doctor_starts_the_server")
REFERENCE, RULE = fences_of(
    f"{HERE}::test_a_reference_calls_the_tool_by_the_rule_and_sends_the_result"
)


@pytest.fixture
def env(server: ScriptedServer, tmp_path: Path) -> dict[str, str]:
    """A reader with the page's server and its rule, whose `uvx` starts a program that is there."""
    path = tmp_path / "msgbook.toml"
    path.write_text(f"{SERVER.body}\n{RULE.body}")
    programs = uvx_with_time(tmp_path / "programs")
    return environment(settings(server, MSGBOOK_CONFIG=str(path)), programs)


def printed(messages: list[dict[str, Any]]) -> str:
    return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")


def test_the_doctor_starts_the_server(env: dict[str, str], tmp_path: Path) -> None:
    told = type_in("msgbook doctor", tmp_path, {**env, "MSGBOOK_MODEL": "demo"})

    assert re.search(r"^pass     mcp: time: 2 tools in .*; 2 need approval$", told, re.MULTILINE)


def test_the_magics_of_the_page_work(env: dict[str, str], tmp_path: Path) -> None:
    named = dict.fromkeys(re.findall(r"`(%mcp[^`]*)`", PAGE))
    assert len(named) == 3

    with KernelClient(env, str(tmp_path)) as kernel:
        for magic in named:
            reply, messages = kernel.run(magic.replace("NAME", "time"))

            assert reply["status"] == "ok", magic
            assert "time" in printed(messages)


def test_a_reference_calls_the_tool_by_the_rule_and_sends_the_result(
    env: dict[str, str], server: ScriptedServer, tmp_path: Path
) -> None:
    server.answers = [text("Lunch.")]
    (tmp_path / "chat.msg.md").write_text(f"# %%\n\n{REFERENCE.body}")

    type_in("msgbook run chat.msg.md", tmp_path, env)

    (request,) = server.requests
    (called,) = content_reference(request["messages"][-1])["tools"]
    assert called["result"] == 'get_current_time {"timezone": "UTC"}'
