"""The commands of pages whose fences show no output: they run in a folder with the files that they name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from msgbook_format import reads, write

DOCS = Path(__file__).parents[2] / "docs"
CHAT = """# %% [^one-cell]

[^one-cell]: [markdown]

What is a quine?

# %%% [^one-cell-1]

[^one-cell-1]: [assistant]

A program that prints its own source.
"""
PARAMETERS = '%%python\ncity = "Rome"'

NOT_RUN = {
    "chatgpt.zip": "an archive of a person: tests/other_chats has some",
    "jupyter console": "waits for somebody who types: tests/test_clients.py",
    "--nbmake": "is not a dependency of the tests",
    "--nbval": "is not a dependency of the tests",
    "kernelgateway": "serves until it is stopped: tests/everywhere",
    "export ": "is for the gateway",
    "filter.nbstripout": "needs nbstripout --install",
}
"""Parts of the lines that are not run, with the reason."""


def typed(page: str) -> list[str]:
    """Return the lines of the page's shell fences that can run."""
    text = (DOCS / page).read_text("utf-8")
    lines = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)).splitlines()
    return [line for line in lines if not any(part in line for part in NOT_RUN)]


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
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "page", ["agent-files.md", "clients.md", "jupytext.md", "moving.md", "terminal.md"]
)
def test_each_command_of_the_page_runs(page: str, folder: Path) -> None:
    if page == "terminal.md":
        # The page begins with a new conversation.
        (folder / "chat.msg.md").unlink()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "MSGBOOK_MODEL": "demo"}
    lines = typed(page)

    assert lines
    for line in lines:
        done = subprocess.run(
            [
                "bash",
                "-o",
                "pipefail",
                "-c",
                line.replace("--at ID", "--at $(msgbook list chat.msg.md | cut -c-8)"),
            ],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
