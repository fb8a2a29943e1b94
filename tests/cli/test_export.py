"""`msgbook export`: what it writes, and what it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from exported_notebooks import conversation

import msgbook_format
from msgbook.__main__ import main
from msgbook_format.files import writes_ipynb

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.msg.md"
    msgbook_format.write(conversation(), path)
    return path


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("html", "chat.html"),
        ("markdown", "chat.md"),
        ("slides", "chat.slides.html"),
        ("notebook", "chat.ipynb"),
    ],
)
def test_each_kind_is_written_beside_the_conversation_and_its_name_is_printed(
    kind: str, name: str, chat: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = chat.read_bytes()
    assert main(["export", str(chat), "--to", kind]) == 0
    assert capsys.readouterr().out == f"{chat.with_name(name)}\n"
    assert "It prints" in chat.with_name(name).read_text(encoding="utf-8")
    assert chat.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "kind", "exported"),
    [
        ("notes.md", "markdown", "notes-export.md"),
        ("chat.ipynb", "notebook", "chat-export.ipynb"),
        ("chat.ipynb", "markdown", "chat.md"),
        ("a.b.msg.md", "markdown", "a.b.md"),
    ],
)
def test_the_name_is_never_that_of_the_conversation(
    name: str, kind: str, exported: str, tmp_path: Path
) -> None:
    text = msgbook_format.writes(conversation())
    if name.endswith(".ipynb"):
        text = writes_ipynb(conversation())
    elif name == "notes.md":
        text = f"---\nmessage_section: Log\n---\n\n## Log\n\n{text}"
    path = tmp_path / name
    path.write_text(text)
    before = path.read_bytes()

    assert main(["export", str(path), "--to", kind]) == 0

    assert (tmp_path / exported).exists()
    assert path.read_bytes() == before


def test_the_switches_leave_parts_out(chat: Path) -> None:
    assert main(["export", str(chat), "--to", "markdown", "--no-reasoning", "--no-tools"]) == 0
    text = chat.with_name("chat.md").read_text(encoding="utf-8")
    assert ("Thinking Process" in text, "🔧" in text, "It prints" in text) == (False, False, True)


def test_an_existing_file_is_replaced_by_force_alone(
    chat: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = chat.with_name("chat.html")
    page.write_text("mine")
    assert main(["export", str(chat)]) == 2
    assert page.read_text() == "mine"
    assert "--force" in capsys.readouterr().err
    assert main(["export", str(chat), "--force"]) == 0
    assert "It prints" in page.read_text(encoding="utf-8")


def test_the_conversation_itself_is_never_replaced(
    chat: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = chat.read_bytes()
    arguments = ["export", str(chat), "--to", "markdown", "--output", str(chat), "--force"]
    assert main(arguments) == 2
    assert chat.read_bytes() == before
    assert "the conversation itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("none.msg.md", None),
        ("chat.msg.md", b"\xff\xfe"),
        ("readme.md", b"# Hi"),
        ("a.ipynb", b"{"),
        ("a.ipynb", b"[" * 100_000),
        ("a.txt\x1b", b""),
        ("a", b""),
    ],
)
def test_a_file_that_is_no_conversation_is_named_and_nothing_is_written(
    name: str, data: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    before = sorted(tmp_path.iterdir())
    assert main(["export", str(tmp_path / name)]) == 2
    err = capsys.readouterr().err
    assert name.rstrip("\x1b") in err
    assert "\x1b" not in err
    assert "Traceback" not in err
    assert sorted(tmp_path.iterdir()) == before
