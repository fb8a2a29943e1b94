"""Outputs whose data stand in files beside the text."""

from __future__ import annotations

import base64
import json
import os
from functools import partial
from hashlib import sha256

import pytest

from msgbook_format import check, read, reads, write, writes
from msgbook_format.outputs.file_references import digest
from msgbook_format.outputs.files import (
    MAX_ALL_BYTES,
    MAX_BYTES,
    find_problem,
    load_output_files,
)

PIXEL = b"\x89PNG\r\n\x1a\n\x00"


def text_of(attributes, body=""):
    return (
        "# %% [^a]\n\n[^a]: [code]\n\n```python\nplot()\n```\n\n"
        f"# %%% [^a.1]\n[^a.1]:  [python] {attributes} time=now\n{body}"
    )


@pytest.fixture
def chat(tmp_path):
    """Path of a message file, with a folder of files beside it."""
    (tmp_path / "chat.files").mkdir()
    return tmp_path / "chat.msg.md"


def read_with(chat, attributes, body=""):
    chat.write_bytes(text_of(attributes, body).encode())
    return read(chat)


def data(nb):
    return nb.cells[0].outputs[0].data


@pytest.mark.parametrize(
    ("attributes", "content", "expected"),
    [
        ('mime_type="image/png"', PIXEL, {"image/png": base64.b64encode(PIXEL).decode()}),
        ('mime_type="text/html"', "<b>é</b>\r\n".encode(), {"text/html": "<b>é</b>\r\n"}),
        ('mime_type="image/svg+xml"', b"<svg/>", {"image/svg+xml": "<svg/>"}),
        ('mime_type="a/b+json" encoding=json', b"[1.5]", {"a/b+json": [1.5]}),
        ("", b"plain", {"text/plain": "plain"}),
    ],
)
def test_data_come_from_the_file_and_the_text_stays(chat, attributes, content, expected):
    (chat.parent / "chat.files" / "f").write_bytes(content)
    digest = sha256(content).hexdigest()
    nb = read_with(chat, f'{attributes} output_file="chat.files/f" sha256="{digest}"')

    assert data(nb) == expected
    assert writes(nb).encode() == chat.read_bytes()


def test_a_text_alone_reads_no_file(chat, monkeypatch):
    (chat.parent / "chat.files" / "f").write_text("x")
    monkeypatch.chdir(chat.parent)

    assert data(reads(text_of('output_file="chat.files/f"'))) == {"text/plain": ""}


def test_a_body_counts_more_than_a_file(chat):
    (chat.parent / "chat.files" / "f").write_text("x")

    assert data(read_with(chat, 'output_file="chat.files/f"', "body\n")) == {"text/plain": "body"}


@pytest.mark.parametrize(
    "name",
    [
        "chat.files/../secret",
        "../chat.files/f",
        "secret",
        "other.files/f",
        "/etc/passwd",
        "file:chat.files/f",
        "chat.files",
        "chat.files/",
        "chat.files//f",
        "chat.files/./f",
        "chat.files\\\\f",
        "chat.files/a\\u0000b",
        "chat.files/\\ud800",
        "chat.files/" + "x" * 5000,
        "chat.files/" + "d/" * 3000 + "f",
        "chat.files/link",
        "chat.files/folder/f",
        "chat.files/fifo",
        "chat.files/directory",
        "chat.files/missing",
        "chat.files/large",
        "",
    ],
)
def test_nothing_but_plain_files_in_the_folder_is_read(chat, name):
    folder = chat.parent / "chat.files"
    (chat.parent / "secret").write_text("secret")
    (folder / "f").write_text("harmless")
    (folder / "link").symlink_to(chat.parent / "secret")
    (chat.parent / "outside").mkdir()
    (chat.parent / "outside" / "f").write_text("secret")
    (folder / "folder").symlink_to(chat.parent / "outside")
    (folder / "directory").mkdir()
    os.mkfifo(folder / "fifo")
    with (folder / "large").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    nb = read_with(chat, f'output_file="{name}"')

    assert data(nb) == {"text/plain": ""}
    assert writes(nb).encode() == chat.read_bytes()
    problems = check(chat.read_text(), output_file=partial(find_problem, chat))
    assert [finding.code for finding in problems if finding.code == "output-file"]


def test_a_folder_that_is_a_link_is_not_followed(chat):
    (chat.parent / "chat.files").rmdir()
    (chat.parent / "outside").mkdir()
    (chat.parent / "outside" / "f").write_text("secret")
    (chat.parent / "chat.files").symlink_to("outside")

    assert data(read_with(chat, 'output_file="chat.files/f"')) == {"text/plain": ""}


@pytest.mark.parametrize(
    ("attributes", "content"),
    [
        ('sha256="00"', b"x"),
        ("", b"\xff"),
        ('mime_type="application/json" encoding=json', b"{"),
        ('mime_type="application/vnd.msgbook.turn+json"', b"{}"),
    ],
)
def test_a_file_that_is_not_what_was_meant_gives_no_data(chat, attributes, content):
    (chat.parent / "chat.files" / "f").write_bytes(content)
    nb = read_with(chat, f'output_file="chat.files/f" {attributes}')

    assert list(data(nb).values()) == [""]
    assert writes(nb).encode() == chat.read_bytes()


def test_a_changed_output_stands_in_the_text(chat):
    (chat.parent / "chat.files" / "f").write_text("old")
    nb = read_with(chat, 'output_file="chat.files/f"')

    data(nb)["text/plain"] = "new"

    assert data(reads(writes(nb))) == {"text/plain": "new"}
    assert (chat.parent / "chat.files" / "f").read_text() == "old"


@pytest.mark.parametrize("change", ["elsewhere", "file changed", "file gone"])
def test_data_that_no_file_would_give_back_are_written_into_the_text(chat, change):
    file = chat.parent / "chat.files" / "f"
    file.write_text("data")
    nb = read_with(chat, 'output_file="chat.files/f"')
    if change == "file changed":
        file.write_text("other")
    elif change == "file gone":
        file.unlink()
    path = chat.with_name("copy.msg.md") if change == "elsewhere" else chat

    write(nb, path)

    assert data(reads(path.read_text())) == {"text/plain": "data"}
    assert data(nb) == {"text/plain": "data"}


def test_a_file_is_written_as_it_was_read(chat):
    (chat.parent / "chat.files" / "f").write_text("data")
    nb = read_with(chat, 'output_file="chat.files/f"')
    before = chat.read_bytes()

    write(nb, chat)

    assert chat.read_bytes() == before


def test_an_ordinary_markdown_file_has_its_own_folder(tmp_path):
    (tmp_path / "notes.files").mkdir()
    (tmp_path / "notes.files" / "f").write_text("data")
    path = tmp_path / "notes.md"
    text = text_of('output_file="notes.files/f"')
    path.write_text(f"---\nmessage_section: true\n---\n\n## Discussion\n\n{text}")

    assert data(read(path)) == {"text/plain": "data"}


def test_no_more_is_read_for_a_text_than_is_allowed_of_files_that_turn_out_wrong_either(chat):
    with (chat.parent / "chat.files" / "large").open("wb") as stream:
        stream.truncate(MAX_BYTES)
    (chat.parent / "chat.files" / "f").write_text("x")
    wrong = [
        f'output_file="chat.files/large" sha256="{n}"' for n in range(MAX_ALL_BYTES // MAX_BYTES)
    ]
    outputs = [text_of(attributes) for attributes in [*wrong, 'output_file="chat.files/f"']]
    nb = reads("\n\n".join(outputs))

    problems = load_output_files(nb, chat)

    assert len(problems) == len(outputs)
    assert "expected at most 0 bytes in `chat.files/f`" in problems[-1]


def test_what_is_wrong_with_a_file_is_said_in_one_line_without_control_characters(chat):
    for name in ("chat.files/a\nb\x1b[31m", "\u202ex"):
        problem = find_problem(chat, name, "\n\x1b")

        assert problem is not None
        assert problem.isprintable()
    (chat.parent / "chat.files" / "f").write_text("x")
    assert find_problem(chat, "chat.files/f", "\n\x1b").isprintable()


def _claiming(body):
    """The text of a cell whose only output has the data `body` and says they are from a file."""
    claim = {"output_file": "chat.files/f", "loaded": digest(body)}
    return {
        "output_type": "display_data",
        "data": {"text/plain": body},
        "metadata": {"msgbook": {"files": {"text/plain": claim}}},
    }


def _whole(node):
    return json.dumps(node, indent=1, sort_keys=True)


CLAIMS = {
    "in attributes": text_of(
        f"metadata={json.dumps(json.dumps(_claiming('B')['metadata']))}", "B\n"
    ),
    "in a further type": text_of(
        f'mime_type="a/b" metadata={json.dumps(json.dumps(_claiming("B")["metadata"]))}',
        '\n\nA\n\n# %%% [^a.2]\n\n[^a.2]: [python] mime_type="text/plain" alt=1\n\nB\n',
    ),
    "in a whole output": "# %% [^a]\n\n[^a]: [code]\n\n# %%% [^a.1]\n\n[^a.1]: [nb] output=json\n\n"
    + _whole(_claiming("B")),
    "in a whole cell": "# %% [^a]\n\n[^a]: [nb] encoding=json\n\n"
    + _whole(
        {
            "cell_type": "code",
            "source": "",
            "metadata": {},
            "execution_count": 1,
            "outputs": [_claiming("B")],
        }
    ),
}


@pytest.mark.parametrize("text", CLAIMS.values(), ids=CLAIMS)
def test_no_text_can_say_that_its_data_were_read_from_a_file(text):
    nb = reads(text)

    assert data(nb)["text/plain"] == "B"
    assert writes(nb) == text
    again = reads(writes(json.loads(json.dumps(nb))))
    assert data(again)["text/plain"] == "B"
