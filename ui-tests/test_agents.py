"""Who a conversation is, as JupyterLab saves it: with its first turn, in a copy, after a move."""

from __future__ import annotations

from uuid import uuid4

import pytest
from playwright.sync_api import expect
from scripted_server import text

from msgbook.cli.convert import convert
from msgbook_format.agent_states import list_folder, read_head

CHAT = "---\n# mine\ntopic: x\n---\n\n# %% [^a]\n\nHi.\n\n# %% [^b]\n\nAnd now?\n"


def answer(lab, model_server, cell, words):
    """Run a cell, and save the file when it is answered."""
    model_server.answers = [text(words)]
    lab.run(cell)
    expect(lab.cell(cell).get_by_text(words)).to_be_visible()
    lab.save()


@pytest.fixture
def folder(lab_root):
    path = lab_root / uuid4().hex
    path.mkdir(exist_ok=True)
    return path


def open_chat(lab, path):
    lab.open(f"{path.parent.name}/{path.name}")
    lab.wait_for_kernel()


@pytest.mark.parametrize("name", ["chat.msg.md", "chat.ipynb"])
def test_the_first_turn_saves_an_agent_and_the_next_one_leaves_it(lab, folder, model_server, name):
    path = folder / name
    source = folder / "chat.msg.md"
    source.write_text(CHAT)
    if path != source:
        assert convert(source, path) == 0
        source.unlink()
    open_chat(lab, path)
    answer(lab, model_server, 0, "Hello.")
    first = read_head(path).agent
    assert first.uuid
    assert first.name == "chat"
    assert first.file.endswith(name)
    if name.endswith(".md"):
        assert path.read_text().startswith("---\n# mine\ntopic: x\njupyter:\n")

    answer(lab, model_server, 1, "Later.")

    assert read_head(path).agent == first
    one, two = (model_server.messages(number) for number in (-2, -1))
    assert two[: len(one)] == one


def test_a_copy_gets_an_agent_of_its_own_at_its_first_turn(lab, folder, model_server):
    path = folder / "chat.msg.md"
    path.write_text(CHAT)
    open_chat(lab, path)
    answer(lab, model_server, 0, "Hello.")
    original = read_head(path).agent
    before = path.read_bytes()

    copied = lab.page.evaluate(
        """async folder => {
            const { contents } = jupyterapp.serviceManager;
            return (await contents.copy(`${folder}/chat.msg.md`, folder)).path;
        }""",
        folder.name,
    )
    copy = folder / copied.rpartition("/")[2]
    lab.close_all()
    open_chat(lab, copy)
    assert copy.read_bytes() == before
    answer(lab, model_server, 1, "In the copy.")

    agent = read_head(copy).agent
    assert agent.uuid not in ("", original.uuid)
    assert agent.name == "Copy of chat"
    assert path.read_bytes() == before
    assert len({row.state.uuid for row in list_folder(folder, folder)}) == 2


def test_a_file_that_is_renamed_keeps_its_agent(lab, folder, model_server):
    path = folder / "chat.msg.md"
    path.write_text(CHAT)
    open_chat(lab, path)
    answer(lab, model_server, 0, "Hello.")
    original = read_head(path).agent
    lab.close_all()
    moved = path.rename(folder / "moved.msg.md")
    open_chat(lab, moved)
    answer(lab, model_server, 1, "After the move.")

    agent = read_head(moved).agent
    assert (agent.uuid, agent.name) == (original.uuid, "chat")
    assert agent.file.endswith("moved.msg.md")
