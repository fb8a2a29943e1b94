"""The output that docs/commands.md shows is what the commands print, but for numbers, times and names of folders."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_chats import write_chat
from command import with_settings
from fences import Fence
from printed import shown, without_numbers
from scripted_server import ScriptedServer, text

from msgbook.__main__ import main

PLAN = """# %% [^one]

[^one]: [markdown]

What is a quine?

# %%% [^one-1]

[^one-1]: [assistant]

A program that prints its own source.

# %% [^two]

[^two]: [markdown]

Write one in Python.
"""


@pytest.fixture
def printed(
    fences: list[Fence], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> Callable[..., str]:
    """Runs the command of the test's only fence in a folder, and returns what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(code: int = 0, **settings: str) -> str:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        assert main(fences[0].body.partition("\n")[0].split()[2:]) == code
        told: str = capsys.readouterr().out
        return told

    return run


def pattern(shown: str) -> str:
    """Return a regular expression for a shown output, in which `...` stands for any text."""
    return ".*".join(map(re.escape, shown.split("...")))


def test_what_is_asked_is_answered_and_exported(
    fences: list[Fence],
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    export, ask = fences
    monkeypatch.chdir(tmp_path)
    server.answers = [text("A program that prints its own source."), text("Here it is.")]

    for command in re.split(r"^\$ ", ask.body + export.body, flags=re.MULTILINE)[1:]:
        typed, _, expected = command.partition("\n")
        assert with_settings(server, main, shlex.split(typed)[1:]) == 0
        assert capsys.readouterr().out.startswith(expected)

    assert {path.name for path in tmp_path.iterdir()} == {"plan.html", "plan.md", "plan.msg.md"}
    assert [request["model"] for request in server.requests] == ["m", "qwen3"]
    assert server.messages()[-1]["content"] == "Write one in Python."


def test_the_preview_looks_as_the_page_shows_it(
    fences: list[Fence], printed: Callable[..., str]
) -> None:
    Path("plan.msg.md").write_text(PLAN)

    told = printed(OPENAI_API_KEY="sk-test-key", MSGBOOK_MODEL="qwen3")

    expected = without_numbers(shown(fences))
    assert expected.count("\n") > 10
    assert re.fullmatch(pattern(expected), without_numbers(told), re.DOTALL), told


def test_the_agents_look_as_the_page_shows_them(
    fences: list[Fence], printed: Callable[..., str]
) -> None:
    child = {"uuid": "k", "parent_agent_id": "c", "is_task_finished": True}
    name, task = re.findall(r"(chat-\w+\.msg\.md)\t(.+)", shown(fences))[0]
    write_chat(Path("chat.msg.md"), {"uuid": "c"})
    write_chat(Path(".msgbook", "subagents", name), child, f"# %% [^a]\n\n{task}\n")

    assert without_numbers(printed()) == without_numbers(shown(fences))


def test_the_finding_looks_as_the_page_shows_it(
    fences: list[Fence], printed: Callable[..., str]
) -> None:
    above = "# %% [^a]\n\n[^a]: [code]\n\n"
    number = int(re.findall(r":(\d+):", shown(fences))[0])
    Path("chat.msg.md").write_text("\n" * (number - 5) + f"{above}```python\nx\n")

    assert printed(code=1) == shown(fences)
