"""`.mtm` and `.mutsumi-notebook` files over HTTP: opened as notebooks, saved in their own form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from contents_notebooks import open_notebook, said, save_notebook, turn_output

FIXTURES = Path(__file__).parents[4] / "tests" / "format" / "agent_context" / "fixtures"
CHAT = (FIXTURES / "tools_and_macros.mtm").read_bytes()
NAMES = ["chat.mtm", "chat.mutsumi-notebook"]

BROKEN = {
    "an error in line 1": b"{",
    "UTF-8": b'{"metadata": {}, "context": ["caf\xe9"]}',
    "an object in `metadata`": b'{"cells": []}',
    "a list of messages in `context`": b'{"metadata": {}, "context": {}}',
    "`context[0].role`": b'{"metadata": {}, "context": [{"role": "developer"}]}',
    "not a finite number": b'{"metadata": {"x": NaN}, "context": []}',
    '"uuid" twice': b'{"metadata": {"uuid": 1, "uuid": 2}, "context": []}',
    "200 levels": b'{"metadata": {"x": ' + b"[" * 300 + b"]" * 300 + b'}, "context": []}',
    "too many digits": b'{"metadata": {"x": ' + b"1" * 5000 + b'}, "context": []}',
}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_opens_as_a_notebook_on_our_kernel(server, name):
    server.write(name, CHAT)

    model = server.get(name, content=1)

    assert (model["type"], model["format"]) == ("notebook", "json")
    assert model["content"]["metadata"]["kernelspec"]["name"] == "msgbook"
    assert model["content"]["metadata"]["msgbook"]["macros"] == {
        "API_VERSION": "v2",
        "TIMEOUT": "30",
    }
    assert [(c["cell_type"], c["source"]) for c in model["content"]["cells"]] == [
        ("markdown", "You are a helpful assistant."),
        ("code", "Use @[a.py] with {{API_VERSION}}"),
        ("code", "Again @[a.py]"),
    ]
    assert model["content"]["cells"][0]["metadata"]["editable"] is False
    assert server.get(name, type="file", format="text")["content"].encode() == CHAT
    assert server.get(name, type="notebook", content=0)["type"] == "notebook"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "data",
    [path.read_bytes() for path in sorted(FIXTURES.glob("*.mtm"))]
    + [
        b'\xef\xbb\xbf{"context":[],"metadata":{"n":12345678901234567890,"f":1.0}}\n',
        json.dumps(json.loads(CHAT), indent=4).encode() + b"\n\n",
    ],
)
def test_opening_and_saving_changes_no_byte(server, name, data):
    server.write(name, data)

    content = open_notebook(server, name)
    content["cells"].append(
        {"cell_type": "code", "id": "0", "source": "", "outputs": [], "execution_count": None,
         "metadata": {"trusted": True}}
    )  # fmt: skip
    save_notebook(server, name, content)

    assert server.read(name) == data


def test_a_new_turn_adds_messages_and_changes_nothing_else(server):
    data = CHAT.replace(b'"model": "m"', b'"model": "m",\n    "n": 12345678901234567890')
    server.write("chat.mtm", data)

    content = open_notebook(server, "chat.mtm")
    # What a page does with this number.
    content["metadata"]["msgbook"]["agent_metadata"]["n"] = 12345678901234567000
    cell = {
        "cell_type": "code",
        "id": "new",
        "source": "And?",
        "execution_count": 1,
        "metadata": {},
    }
    content["cells"].append({**cell, "outputs": [turn_output("It *is*.")]})
    save_notebook(server, "chat.mtm", content)

    saved = server.read("chat.mtm")
    end = b"\n  ]\n}"
    assert saved.startswith(data.removesuffix(end) + b",\n    {\n")
    added = json.loads(saved)["context"][-2:]
    assert [(message["role"], message["content"]) for message in added] == [
        ("user", "And?"),
        ("assistant", "It *is*."),
    ]
    assert said(open_notebook(server, "chat.mtm")["cells"][-1]) == "It *is*."


def test_what_the_notebook_shows_is_written(server):
    server.write("chat.mtm", CHAT)
    content = open_notebook(server, "chat.mtm")
    first, second = content["cells"][1:]
    first["source"] = "Another question"
    second["outputs"] = [turn_output("New.")]
    second["outputs"][0]["data"]["application/vnd.msgbook.turn+json"]["context"] = {
        "source": "live"
    }
    content["cells"] = [second, first]

    save_notebook(server, "chat.mtm", content)

    messages = json.loads(server.read("chat.mtm"))["context"]
    assert [(message["role"], message["content"]) for message in messages] == [
        ("user", "Again @[a.py]"),
        ("assistant", "New."),
        ("user", "Another question"),
        ("assistant", "Let me check..."),
        ("tool", "x = 1"),
        ("assistant", "It is `x = 1`."),
    ]


@pytest.mark.parametrize("expected", BROKEN)
def test_a_broken_file_is_neither_opened_nor_overwritten(server, expected):
    server.write("chat.mtm", CHAT)
    stale = open_notebook(server, "chat.mtm")
    server.write("chat.mtm", BROKEN[expected])

    for request in (
        lambda: open_notebook(server, "chat.mtm"),
        lambda: save_notebook(server, "chat.mtm", stale),
    ):
        with pytest.raises(server.Refused) as refused:
            request()
        assert refused.value.status == 400
        assert expected in refused.value.message
        assert "chat.mtm: expected" in refused.value.message
    assert server.read("chat.mtm") == BROKEN[expected]


def test_a_notebook_of_another_kernel_is_not_written_as_one(server):
    server.write("chat.mtm", CHAT)
    content = open_notebook(server, "chat.mtm")
    content["metadata"]["kernelspec"] = {"name": "python3", "display_name": "Python"}

    with pytest.raises(server.Refused, match="another kernel"):
        save_notebook(server, "chat.mtm", content)

    assert server.read("chat.mtm") == CHAT


def test_metadata_of_a_file_name_no_other_file_and_no_kernel(server):
    context = {
        "metadata": {
            "msgbook": {
                "metadata": {
                    "jupytext": {"formats": "mtm,../evil.md"},
                    "kernelspec": {"name": "python3", "display_name": "Python"},
                }
            }
        },
        "context": [{"role": "user", "content": "Hi", "metadata": {"trusted": True}}],
    }
    server.write("chat.mtm", json.dumps(context))

    content = open_notebook(server, "chat.mtm")

    assert content["metadata"]["kernelspec"]["name"] == "msgbook"
    assert "jupytext" not in content["metadata"]
    assert content["cells"][0]["metadata"].get("trusted") is not None
    save_notebook(server, "chat.mtm", content)
    assert json.loads(server.read("chat.mtm")) == context


def test_a_copy_and_a_new_file_open(server):
    server.write("chat.mtm", CHAT)

    copied = server.post("", {"copy_from": "chat.mtm"})
    save_notebook(server, "new.mtm", open_notebook(server, "chat.mtm"))

    assert json.loads(server.read(copied["path"])) == json.loads(CHAT)
    assert json.loads(server.read("new.mtm")) == json.loads(CHAT)
