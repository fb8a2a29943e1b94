"""What tests of `tests/cli/test_run_folder.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import pytest
from scripted_server import text

from msgbook_format import read
from msgbook_format.turn import turn_of


def chat(*prompts):
    return "\n".join(f"# %% [^{name}]\n\n{name}\n" for name in prompts)


@pytest.fixture
def folder(tmp_path):
    """Three conversations of two prompts each."""
    place = tmp_path / "chats"
    (place / "below").mkdir(parents=True)
    for number, where in enumerate((place, place, place / "below"), 1):
        (where / f"c{number}.msg.md").write_text(chat(f"p{number}-1", f"p{number}-2"), "utf-8")
    return place


def prompt_of(request):
    """The last words of the user in a request."""
    content = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
    return content if isinstance(content, str) else content[0]["text"]


def asked(server):
    return sorted(map(prompt_of, server.requests))


def turns(path):
    return {
        cell["id"]: turn_of(cell["outputs"][0]) if cell.get("outputs") else None
        for cell in read(path)["cells"]
    }


def answers(folder):
    """The words of each answer, by prompt."""
    return {
        name: "".join(b.get("text", "") for b in turn["blocks"] if b["type"] == "text")
        for path in folder.rglob("*.msg.md")
        for name, turn in turns(path).items()
        if turn
    }


PROMPTS = [f"p{file}-{number}" for file in (1, 2, 3) for number in (1, 2)]


def echo(request):
    return text(f"answer to {prompt_of(request)}")
