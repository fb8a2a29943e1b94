"""`msgbook preview`: what it prints is what `msgbook run` sends, and nothing runs."""

from __future__ import annotations

import base64
import json
import shutil
from io import BytesIO

import pytest
from apis import over_all_apis
from command import with_settings
from PIL import Image
from previewed_chat import (
    WITHOUT_A_RECORD,
    answer,
    chat,  # noqa: F401 - fixtures
)
from responses_as_chat import chat_messages
from scripted_server import call, text

from msgbook.__main__ import main
from msgbook.cli.preview import preview_file

TEXT_GONE = (
    "Missing from .msgbook/blobs and not restorable: data.csv (cell 2). "
    "The model gets a line in place of each. To send a file as it is now, name it in your next message.\n"
)


@pytest.fixture
def shown(server, capsys):
    """What a preview prints: output and errors."""

    def show(path, cell=None, **options):
        assert with_settings(server, preview_file, path, cell, **options) == 0
        return capsys.readouterr()

    return show


@pytest.fixture
def body(shown):
    def read(path, cell=None, *, told="", **options):
        printed = shown(path, cell, as_json=True, **options)
        assert printed.err.partition(f"{path}/")[2].partition(": ")[2] == told
        assert bool(printed.err) == bool(told)
        return json.loads(printed.out)

    return read


@over_all_apis
def test_of_each_cell_that_a_run_answers_the_json_is_what_it_sends(server, chat, body, capsys):
    answer(server, chat, text("2"), text("3"))
    capsys.readouterr()

    assert body(chat, "two", told=WITHOUT_A_RECORD) == server.requests[0]
    assert body(chat) == server.requests[1]


def test_in_a_clone_without_blobs_the_json_is_what_was_sent_where_it_came_from(
    server, chat, body, capsys, tmp_path
):
    answer(server, chat, text("2"), text("3"))
    capsys.readouterr()
    clone = tmp_path / "clone"
    shutil.copytree(chat.parent, clone, ignore=shutil.ignore_patterns("blobs", "clone"))

    assert body(clone / "chat.msg.md") == server.requests[1]
    assert not (clone / ".msgbook" / "blobs").exists()

    (clone / "data.csv").write_text("x,y\n3,4\n")
    printed = body(clone / "chat.msg.md", told=TEXT_GONE)
    assert "3,4" not in json.dumps(printed)
    assert "is gone; read it again" in json.dumps(printed)


def test_after_calls_of_tools_it_is_the_same_too(server, chat, body, shown, capsys):
    answer(server, chat, call("read", {"path": "data.csv"}), text("2"), text("3"))
    capsys.readouterr()

    assert body(chat) == server.requests[2]
    listed = shown(chat).out
    assert '[call call_1: read {"path": "data.csv"}]' in listed
    assert "[tool_call_id: call_1]" in listed


def test_the_listing_tells_each_message_with_its_cell_and_tokens(chat, shown):
    listed = shown(chat).out

    lines = listed.splitlines()
    assert lines[0].startswith("cell two (Again @[data.csv] with @[cell:one]: ![a picture]")
    assert "writer, with gpt-5 at openai; about " in lines[0]
    heads = [line for line in lines if line.startswith("--- ")]
    assert [head.split(":")[0] for head in heads] == [
        "--- 1 tool",
        "--- options",
        "--- system",
        "--- user of cell one (One)",
        "--- assistant of cell one (One)",
        "--- user of cell two (Again @[data.csv] with @[cell",
    ]
    assert all("token" in head for head in heads if head != "--- options")
    assert "[image: data:image/png;base64,… (" in listed
    assert "iVBOR" not in listed


def test_what_would_have_to_run_is_pending(server, tmp_path, body):
    path = tmp_path / "chat.msg.md"
    path.write_text(
        "# %% [^old]\n\n[^old]: [markdown] history=summary\n\nLong ago\n\n"
        '# %% [^new]\n\n@[shell{"command": "touch ran"}] and @[py:table]\n'
    )

    said = chat_messages(body(path, "new"))

    block = said[-1]["content"].partition("<content_reference>\n")[2]
    found = json.loads(block.removesuffix("\n</content_reference>"))
    assert json.loads(found["tools"][0]["result"]) == {"pending": 'shell {"command": "touch ran"}'}
    assert json.loads(found["files"]["py:table"]) == {"pending": "py:table"}
    assert said[1]["content"] == '[summary] {"pending": "summary of cell 1 (Long ago)"}'
    assert not (tmp_path / "ran").exists()
    assert server.requests == []


def test_a_model_that_only_the_server_knows_is_null_and_not_asked_for(
    server, tmp_path, body, shown
):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %%\n\nHi\n")
    server.models_body = "nobody should ask"

    assert body(path, MSGBOOK_MODEL="")["model"] is None
    assert "with the server's only model at openai" in shown(path, MSGBOOK_MODEL="").out


def test_without_settings_it_is_the_request_to_the_demo_model(no_settings, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %%\n\nHi\n")

    assert preview_file(path, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "demo"


def test_what_a_turn_would_say_of_the_prompt_is_told_beside(tmp_path, shown):
    path = tmp_path / "chat.msg.md"
    prompt = "See @[gone.txt] and @[gone{}]"
    path.write_text(f"# %% [^a]\n\n%%msg history=sum\n{prompt}\n")

    printed = shown(path, as_json=True)

    lines = printed.err.splitlines()
    assert all(line.startswith(f"msgbook preview: {path}/a: ") for line in lines)
    told = ("expected history=include, exclude or summary, got sum", "gone.txt", "named 'gone'")
    for line, words in zip(lines, told, strict=True):
        assert words in line
    assert chat_messages(json.loads(printed.out))[-1]["content"] == prompt


@pytest.mark.parametrize(
    ("source", "argv", "words"),
    [
        ("", [], "the file has no prompt"),
        ("# %% [^a]\n\n[^a]: [code]\n\n```python\n1\n```\n", ["--cell", "a"], "a is not a prompt"),
        ("# %%\n\n%continue\n", [], "no answer above was cut off"),
        ("# %%\n\n%%msg agent=nobody\nHi\n", [], "There is no agent 'nobody'"),
    ],
)
def test_where_there_would_be_no_request_the_code_is_1(tmp_path, capsys, source, argv, words):
    path = tmp_path / "chat.msg.md"
    path.write_text(source)

    assert main(["preview", str(path), *argv]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["gone.msg.md"], ["chat.msg.md", "--cell", "gone"]])
def test_what_cannot_be_read_is_code_2(tmp_path, monkeypatch, capsys, argv):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.msg.md").write_text("# %%\n\nHi\n")

    assert main(["preview", *argv]) == 2
    assert argv[-1] in capsys.readouterr().err


def test_an_image_in_the_listing_is_no_wall_of_base64(tmp_path, shown):
    picture = BytesIO()
    Image.new("RGB", (2, 2)).save(picture, "PNG")
    data = base64.b64encode(picture.getvalue()).decode()
    path = tmp_path / "chat.msg.md"
    urls = f"![x](data:image/png;base64,{data}) ![y](https://example.org/a.png)"
    path.write_text(f"# %%\n\nSee {urls}\n")

    listed = shown(path).out

    assert f"[image: data:image/png;base64,… ({len(picture.getvalue())} bytes)]" in listed
    assert "[image: https://example.org/a.png]" in listed
