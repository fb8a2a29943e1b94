"""No command writes through a link or over a file that is not its own, and none pays a model before it says so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import with_settings
from scripted_server import text

from msgbook.__main__ import main
from msgbook.cli.terminal import CommandError
from msgbook.extras.many.models import run_models

CHAT = "# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
OPENAI = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}'

TARGETS = {
    "file": lambda path, victim: path.symlink_to(victim),
    "dangling": lambda path, victim: path.symlink_to(victim.with_name("not-there")),
    "loop": lambda path, _victim: path.symlink_to(path),
    "pipe": lambda path, _victim: os.mkfifo(path),
    "folder": lambda path, _victim: path.mkdir(),
}
"""What takes the name of a file that a command would write."""

VERBS = {
    "export": (["export", "chat.msg.md", "--to", "markdown"], "chat.md"),
    "export -o": (["export", "chat.msg.md", "--to", "html", "--output", "new.html"], "new.html"),
    "export -f": (["export", "chat.msg.md", "--to", "html", "--output", "new.html", "--force"], "new.html"),
    "convert": (["convert", "chat.msg.md", "new.ipynb"], "new.ipynb"),
    "convert -f": (["convert", "chat.msg.md", "new.ipynb", "--force"], "new.ipynb"),
    "convert --out": (["convert", "chat.msg.md", "--to", "ipynb", "--out", "."], "chat.ipynb"),
    "messages": (["convert", "chat.msg.md", "new.json", "--to", "openai-messages"], "new.json"),
    "messages -f": (["convert", "chat.msg.md", "new.json", "--to", "openai-messages", "--force"], "new.json"),
    "import": (["convert", "other.json", "new.msg.md"], "new.msg.md"),
    "import -f": (["convert", "other.json", "new.msg.md", "--force"], "new.msg.md"),
    "fork": (["fork", "chat.msg.md", "--at", "a", "--output", "new.msg.md"], "new.msg.md"),
    "chat": (["chat", "new.msg.md", "Hi"], "new.msg.md"),
    "chat --continue": (["chat", "new.msg.md", "Hi", "--continue"], "new.msg.md"),
    "chat --resume": (["chat", "new.msg.md", "--resume"], "new.msg.md"),
    "chat --force": (["chat", "new.md", "Hi", "--force"], "new.md"),
    "run": (["run", "new.msg.md"], "new.msg.md"),
    "run --all": (["run", "new.msg.md", "--all"], "new.msg.md"),
    "run .ipynb": (["run", "new.ipynb"], "new.ipynb"),
    "check --fix": (["check", "new.msg.md", "--fix"], "new.msg.md"),
    "record": (["run", "chat.msg.md", "--record", "new.jsonl"], "new.jsonl"),
    "record part": (["run", "chat.msg.md", "--record", "new.jsonl"], "new.jsonl.part"),
    "models file": (["run", "chat.msg.md", "--model", "m", "--out", "out"], "out/chat-m.msg.md"),
    "models html": (["run", "chat.msg.md", "--model", "m", "--out", "out"], "out/chat.comparison.html"),
    "models json": (["run", "chat.msg.md", "--model", "m", "--out", "out"], "out/chat.comparison.json"),
    "models folder": (["run", "chat.msg.md", "--model", "m", "--out", "new"], "new"),
    "into folder": (["convert", "chat.msg.md", "--to", "ipynb", "--out", "new"], "new"),
    "import into folder": (["convert", "other.json", "--out", "new"], "new"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of a project, beside a file of someone else that nothing may change."""
    folder = tmp_path / "project"
    (folder / "out").mkdir(parents=True)
    (folder / "chat.msg.md").write_text(CHAT, "utf-8")
    (folder / "other.json").write_text(OPENAI, "utf-8")
    (tmp_path / "victims").mkdir()
    monkeypatch.chdir(folder)
    return folder


def victim_of(folder: Path, name: str) -> Path:
    """Return a file beside the project that the command could read and write, if it followed links."""
    victim = folder.parent / "victims" / f"victim{''.join(Path(name).suffixes)}"
    content = {
        ".json": '{"version": 1, "file": "", "models": [], "prompts": []}\n',
        ".jsonl": '{"cassette": 1}\n',
        ".part": '{"cassette": 1}\n',
        ".ipynb": json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
    }.get(victim.suffix, "\ufeff" + CHAT)  # which `check` would mend
    victim.write_text(content, "utf-8")
    return victim


def refused(server, folder, arguments, capsys):
    """Return what a command says that refuses to write: it asks no model and changes no file."""
    server.choose = lambda _request: text("paid")
    before = snapshot(folder.parent)

    code = with_settings(server, main, arguments)

    told = capsys.readouterr().err
    assert code in (1, 2), told
    assert server.requests == []
    assert snapshot(folder.parent) == before
    assert "Traceback" not in told
    return told


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("verb", VERBS)
def test_what_takes_the_name_of_a_file_is_neither_followed_nor_replaced(
    server, folder, verb, kind, capsys
):
    arguments, name = VERBS[verb]
    if name == "new" and kind == "folder":
        pytest.skip("a folder is what the command expects")
    victim = victim_of(folder, name)
    if name == "new" and kind == "file":
        victim = victim.parent
    TARGETS[kind](folder / name, victim)

    told = refused(server, folder, arguments, capsys)

    assert Path(name).name in told or "new" in told


IN_FOLDERS = {
    **{
        verb: value
        for verb, value in VERBS.items()
        if value[1].startswith(("new", "out")) and verb != "record part"
    },
    "demo": (["demo", "new", "--headless"], "new/demo.msg.md"),
    "demo inside": (["demo", "new/deeper", "--headless"], "new/deeper/demo.msg.md"),
}


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("verb", IN_FOLDERS)
def test_no_command_writes_through_a_folder_that_someone_has_linked(
    server, folder, verb, absolute, capsys
):
    arguments, name = IN_FOLDERS[verb]
    victims = folder.parent / "victims"
    (folder / "linked").symlink_to(victims)
    (victims / "deeper").mkdir()
    if verb.startswith(("chat --", "run", "check")):
        victim_of(folder, name).rename(victims / Path(name).name)
    into = f"{folder}/linked" if absolute else "linked"
    places = {"new": into, "new/deeper": f"{into}/deeper", "out": f"{into}/deeper"}
    files = {name: f"{into}/{name}", f"{name}.part": ""}
    arguments = [places.get(word) or files.get(word) or word for word in arguments]

    told = refused(server, folder, arguments, capsys)

    assert "linked" in told


@pytest.mark.parametrize("inside", [False, True])
def test_a_link_in_a_project_is_refused_from_outside_too(folder, monkeypatch, inside):
    (folder / ".git").mkdir()
    (folder / "linked").symlink_to(folder.parent / "victims")
    monkeypatch.chdir(folder if inside else folder.parent.parent)
    arguments = ["fork", str(folder / "chat.msg.md"), "--at", "a"]

    assert main([*arguments, "--output", str(folder / "linked" / "new.msg.md")]) == 2
    assert list((folder.parent / "victims").iterdir()) == []


def test_a_folder_that_the_user_keeps_elsewhere_is_written_to(folder, monkeypatch):
    elsewhere = folder.parent / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    home = folder.parent / "home"
    (home / ".git").mkdir(parents=True)  # with his settings
    (home / "chats").symlink_to(elsewhere)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    arguments = ["fork", str(folder / "chat.msg.md"), "--at", "a"]

    assert main([*arguments, "--output", str(folder / "new.msg.md")]) == 0
    assert main([*arguments, "--output", "chats/other.msg.md"]) == 0
    assert (elsewhere / "new.msg.md").is_file()


def snapshot(folder: Path) -> dict[str, object]:
    """Return what is in a folder: kinds, targets of links, and contents."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        kind = path.lstat().st_mode >> 12
        content = path.read_bytes() if kind == 0o10 else None
        link = path.readlink() if path.is_symlink() else None
        found[str(path.relative_to(folder))] = (kind, link, content)
    return found


@pytest.mark.parametrize("kind", ["html", "json"])
def test_a_file_that_is_no_comparison_is_not_replaced_by_one(server, folder, kind):
    server.choose = lambda _request: text("paid")
    mine = folder / "out" / f"chat.comparison.{kind}"
    mine.write_text("mine", "utf-8")

    with pytest.raises(CommandError, match="found another file"):
        with_settings(server, run_models, folder / "chat.msg.md", ["m"], folder / "out")

    assert (server.requests, mine.read_text("utf-8")) == ([], "mine")


def test_a_second_run_replaces_its_own_comparison(server, folder):
    server.choose = lambda _request: text("paid")
    for _ in range(2):
        assert with_settings(server, run_models, folder / "chat.msg.md", ["m"], folder / "out") == 0

    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", ["html", "json"])
@pytest.mark.parametrize("change", ["appears", "changes", "becomes a link"])
def test_a_file_that_comes_while_a_model_answers_is_kept(server, folder, kind, change):
    page = folder / "out" / f"chat.comparison.{kind}"
    victim = victim_of(folder, page.name)
    if change != "appears":
        server.choose = lambda _request: text("paid")
        with_settings(server, run_models, folder / "chat.msg.md", ["m"], folder / "out")
        (folder / "out" / "chat-m.msg.md").unlink()

    def swap(_request):
        page.unlink(missing_ok=True)
        if change == "becomes a link":
            page.symlink_to(victim)
        else:
            page.write_text("mine", "utf-8")
        return text("paid")

    server.choose = swap
    was = victim.read_bytes()

    with pytest.raises(CommandError):
        with_settings(server, run_models, folder / "chat.msg.md", ["m"], folder / "out")

    assert victim.read_bytes() == was
    assert page.is_symlink() or page.read_text("utf-8") == "mine"
    assert "paid" in (folder / "out" / "chat-m.msg.md").read_text("utf-8")


def test_other_hard_links_of_a_replaced_file_keep_their_content(server, folder):
    victim = folder.parent / "victims" / "page.html"
    victim.write_text("mine", "utf-8")
    (folder / "new.html").hardlink_to(victim)

    arguments = ["export", "chat.msg.md", "--to", "html", "--output", "new.html", "--force"]
    assert with_settings(server, main, arguments) == 0

    assert victim.read_text("utf-8") == "mine"
