"""docs/mcp.md: its commands and magics work with a server."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from kernel_client import KernelClient
from mcp_turns import FAULTY

from msgbook.__main__ import main

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
(RULE,) = re.findall(r"^```toml\n(\[approval\]\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def configuration(tmp_path: Path) -> str:
    """The page's server `time` and its rule, with a program that is there."""
    path = tmp_path / "msgbook.toml"
    server = {"command": sys.executable, "args": [str(FAULTY), "none"]}
    lines = [f"{key} = {json.dumps(value)}" for key, value in server.items()]
    path.write_text("\n".join(["[mcp_servers.time]", *lines, RULE]))
    return str(path)


def printed(messages: list[dict[str, Any]]) -> str:
    return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")


def test_the_doctor_starts_the_server(configuration, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MSGBOOK_CONFIG", configuration)

    main(["doctor"])

    assert re.search(r"^pass     .*time", capsys.readouterr().out, re.MULTILINE)


def test_the_magics_of_the_page_work(configuration, tmp_path):
    named = dict.fromkeys(re.findall(r"`(%mcp[^`]*)`", PAGE))
    assert len(named) == 3

    with KernelClient({"MSGBOOK_CONFIG": configuration}, str(tmp_path)) as kernel:
        for magic in named:
            reply, messages = kernel.run(magic.replace("NAME", "time"))

            assert reply["status"] == "ok", magic
            assert "time" in printed(messages)
