"""The commands of pages whose fences show no output: they run in a folder with the files that they name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fences import Fence, fences_of
from other_programs import archive, chatgpt
from scripted_server import ScriptedServer, text
from typed import environment, stand_in, type_in

from msgbook_format import reads, write

CHAT = """# %% [^one-cell]

[^one-cell]: [markdown]

What is a quine?

# %%% [^one-cell-1]

[^one-cell-1]: [assistant]

A program that prints its own source.
"""
PARAMETERS = '%%python\ncity = "Rome"'
HERE = "integration/docs/test_typed_commands.py"
TYPED = fences_of(f"{HERE}::test_each_command_of_the_page_runs")
PIP = fences_of(f"{HERE}::test_pip_finds_msgbook")
LAB = fences_of(f"{HERE}::test_the_kernels_of_jupyterlab_get_the_server_and_the_model")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that pages name, in a new git repository."""
    notebook = reads(CHAT)
    write(notebook, tmp_path / "chat.msg.md")
    (tmp_path / "chats").mkdir()
    write(notebook, tmp_path / "chats" / "chat.msg.md")
    notebook.metadata.kernelspec = {
        "name": "msgbook",
        "display_name": "Chat (msgbook)",
        "language": "msgbook",
    }
    (tmp_path / "chat.ipynb").write_text(json.dumps(notebook))
    notebook.cells[0].update(source=PARAMETERS, outputs=[])
    notebook.cells[0].metadata.tags = ["parameters"]
    (tmp_path / "in.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "agent.mtm").write_text('{"metadata": {"uuid": "u", "name": "n"}, "context": []}')
    (tmp_path / "chatgpt.zip").write_bytes(archive({"conversations.json": [chatgpt()]}))
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


@pytest.mark.parametrize("page", dict.fromkeys(fence.page for fence in TYPED))
def test_each_command_of_the_page_runs(page: str, folder: Path) -> None:
    if page == "terminal.md":
        # The page begins with a new conversation.
        (folder / "chat.msg.md").unlink()
    env = environment({"MSGBOOK_MODEL": "demo"})
    for fence in TYPED:
        for line in fence.commands if fence.page == page else ():
            beginning = "--at $(msgbook list chat.msg.md | cut -c-8)"
            type_in(line.replace("--at ID", beginning), folder, env)


OPENAI, LOCAL = "the OpenAI API", "URL (OPENAI_BASE_URL)"
ANTHROPIC = "https://api.anthropic.com/v1"
FOUND = [
    [(OPENAI, "gpt-5"), (ANTHROPIC, "claude-opus-5"), (LOCAL, "qwen3")],
    [(LOCAL, "qwen3")],
    [("http://file/v1 ([providers.local] of msgbook.toml)", "local-model")],
    [(OPENAI, "gpt-5")],
    [(ANTHROPIC, "claude-sonnet-5-5")],
    [(LOCAL, "none")],
]
"""Server and model that the kernels of each of these JupyterLabs find."""
SHELL = {"OPENAI_API_KEY": "sk-of-the-shell", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("fence", "found"),
    [*zip(LAB, FOUND, strict=True)],
    ids=[f"{fence.page}-{fence.line}" for fence in LAB],
)
def test_the_kernels_of_jupyterlab_get_the_server_and_the_model(
    fence: Fence, found: list[tuple[str, str]], server: ScriptedServer, tmp_path: Path
) -> None:
    """JupyterLab would open a browser and stay: in its place stands what says its kernels' settings."""
    programs = stand_in(
        tmp_path / "programs", "jupyter", '[ "$*" = lab ] && exec msgbook doctor --offline --json'
    )
    settings = dict(SHELL) if "env -u" in fence.script else {}
    if settings:
        file = tmp_path / "msgbook.toml"
        file.write_text('model = "local-model"\n[providers.local]\nbase_url = "http://file/v1"')
        settings["MSGBOOK_CONFIG"] = str(file)
    server.answers = [text("A program.")]
    script = re.sub(r"http://localhost:\d+/v1", server.url, fence.script)

    printed = type_in(script, tmp_path, environment(settings, programs))

    told = re.findall(r'"server": "(.*)",[^}]*"model": "([^" ]*)', printed)
    assert told == [(named.replace("URL ", f"{server.url} "), model) for named, model in found]
    if "msgbook chat" in script:
        assert [request["model"] for request in server.requests] == ["qwen3"]
        assert "A program." in printed


@pytest.mark.parametrize("fence", PIP, ids=lambda fence: fence.page)
def test_pip_finds_msgbook(fence: Fence, tmp_path: Path) -> None:
    told = type_in(fence.script, tmp_path, environment({}))

    assert "Requirement already satisfied: msgbook" in told


def test_the_specification_for_enterprise_gateway_names_the_python_that_has_msgbook(
    fences: list[Fence], tmp_path: Path
) -> None:
    (specification,) = fences
    (tmp_path / "msgbook-env").symlink_to(sys.prefix)

    type_in(specification.script, tmp_path, environment({}))

    kernel = json.loads((tmp_path / "specs/kernels/msgbook/kernel.json").read_text("utf-8"))
    assert kernel["argv"][0] == str(tmp_path / "msgbook-env/bin/python")
