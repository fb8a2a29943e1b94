"""The output that docs/commands.md shows is what the commands print, but for numbers, times and names of folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from doctor_answers import NUMBERS
from fences import Fence
from printed import shown, without_numbers
from scripted_server import Answer, ScriptedServer, delta, finish, text
from time_server import uvx_with_time
from typed import environment, type_in


def test_the_doctor_says_what_the_page_shows(
    fences: list[Fence], server: ScriptedServer, tmp_path: Path
) -> None:
    counted = finish("stop", {"prompt_tokens": 11, "completion_tokens": 7})
    server.models = ["qwen3", "llama4"]

    def answer(request: dict[str, Any]) -> Answer:
        if "tools" not in request:
            return replace(text(NUMBERS), pause=0.01)
        thought = [delta(reasoning_content="Hm.")] if "input" in request else []
        return Answer([*thought, delta(content="The sum is 5."), counted])

    server.choose = answer
    home = tmp_path / ".jupyter"
    home.mkdir()
    (home / "msgbook.toml").write_text(
        f'model = "qwen3"\n[providers.main]\nbase_url = "{server.url}"\n'
        '[mcp_servers.time]\ncommand = "uvx"\nargs = ["mcp-server-time"]\n'
    )
    (home / "msgbook.toml").chmod(0o600)
    env = {"HOME": str(tmp_path), "JUPYTER_CONFIG_DIR": str(home)}

    told = type_in("msgbook doctor", tmp_path, environment(env, uvx_with_time(tmp_path / "bin")))

    told = told.replace(server.url, "http://localhost:11434/v1")
    # Of OpenAI's servers alone, as which the scripted one answers.
    told = told.replace(", encrypted reasoning", "")
    assert without_numbers(told) == without_numbers(shown(fences))
