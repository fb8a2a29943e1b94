"""The page lists the request of a prompt as `msgbook preview` prints it, and nothing is sent."""

from __future__ import annotations

import base64
import io
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from asking_page import ask_about
from command import settings
from PIL import Image

import msgbook_format
from msgbook.cli.preview import preview_file
from msgbook.images import data_url
from msgbook.request.token_estimates import estimate_text_tokens
from msgbook.text import counted
from msgbook_format.turn import TURN_MIME

CHAT = """\
---
agents:
  writer: {models: m, tools: [read], max_output_tokens: 99, context_window: 1000}
---
# %% [^rule]

[^rule]: [markdown] cell=markdown role=system

Be brief.

# %% One[^one]

See @[data.csv].

# %%% [^one-1]

[^one-1]: [writer]

It has two lines.

# %% Two[^two]

[^two]: [markdown] history=exclude

Never mind.

# %% [^code]

[^code]: [code]

```python
1 + 1
```

# %% Three[^three]

third
"""


@pytest.fixture
def chat(tmp_path: Path, server, monkeypatch) -> Path:
    (tmp_path / "data.csv").write_text("x,y\n1,2\n")
    for name, value in settings(server).items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "chat.msg.md"
    path.write_text(CHAT)
    return path


def ask(chat: Path, name: str, cell: int = -1, **params: Any) -> dict[str, Any]:
    notebook = json.loads(json.dumps(msgbook_format.read(chat)))
    cell_id = notebook["cells"][cell]["id"]
    return ask_about(
        chat.parent, notebook["cells"], name, notebook["metadata"], cell_id=cell_id, **params
    )


def test_the_page_gets_the_request_that_the_command_prints(chat, server, capsys):
    preview_file(chat, "three", as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert ask(chat, "context.body")["body"] == printed
    assert server.requests == []


def test_the_page_lists_the_messages_and_sizes_that_the_command_lists(chat, server, capsys):
    preview_file(chat, "three")
    printed = capsys.readouterr().out
    shown = ask(chat, "context.request")

    rows = shown["system"] + [row for cell in shown["cells"] for row in cell["messages"]]
    sizes = [(row["role"], counted(row["tokens"], "token")) for row in rows]
    heads = [line[4:] for line in printed.splitlines() if line.startswith("--- ")]
    listed = [
        (head.split()[0].rstrip(":"), head.rpartition(": ")[2])
        for head in heads
        if not head.startswith(("options", "1 tool"))
    ]
    assert sizes == listed
    assert f"about {counted(shown['tokens'], 'token')} (an estimate)" in printed
    for row in rows:
        assert ask(chat, "context.message", index=row["index"])["text"] in printed
    assert server.requests == []


def test_each_message_stands_with_its_cell_and_what_is_left_out_in_its_place(chat):
    shown = ask(chat, "context.request")
    found = [
        (cell["number"], cell["title"], cell["history"], [row["role"] for row in cell["messages"]])
        for cell in shown["cells"]
    ]
    assert [row["role"] for row in shown["system"]] == ["system"]
    assert found == [
        (1, "Be brief.", "include", []),
        (2, "One", "include", ["user", "assistant"]),
        (3, "Two", "exclude", []),
        (4, "%%python 1 + 1", "include", ["user"]),
        (5, "Three", "include", ["user"]),
    ]
    assert (shown["agent"], shown["model"]) == ("writer", "m")
    assert (shown["window"], shown["reserved"]) == (1000, 99)


def test_below_a_cell_that_is_no_prompt_the_next_prompt_is_shown(chat):
    shown = ask(chat, "context.request", cell=3)
    last = shown["cells"][-1]
    assert [cell["number"] for cell in shown["cells"]] == [1, 2, 3, 4, 5]
    assert (last["id"], last["title"]) == (None, "")
    assert [row["tokens"] for row in last["messages"]] == [0]


@pytest.mark.parametrize("index", [None, "0", -1, 99, True, [], {}])
def test_a_message_that_is_not_there_is_said_to_be(chat, index):
    with pytest.raises(AssertionError, match="The request has changed"):
        ask(chat, "context.message", index=index)


@pytest.mark.parametrize("cell_id", [None, 1, [], "other"])
def test_a_cell_that_is_not_there_is_said_to_be(tmp_path, cell_id):
    with pytest.raises(AssertionError, match=r"`cell_id` has to be|did not send its cells"):
        ask_about(tmp_path, [], "context.request", cell_id=cell_id)


def test_the_page_counts_the_tokens_that_the_magic_counts(tmp_path, server, monkeypatch):
    config = tmp_path / "msgbook.toml"
    config.write_text(
        f'[providers.s]\nbase_url = "{server.url}"\n[providers.s.prices.m]\ninput = 2\noutput = 4\n'
    )
    for name, value in settings(server, MSGBOOK_CONFIG=str(config)).items():
        monkeypatch.setenv(name, value)
    cells = [turn_cell(1_000_000, 500_000), turn_cell(10, None)]
    metadata = {"msgbook": {"frontmatter": "agents:\n  a: {models: m, context_window: 10000}\n"}}
    total = ask_about(tmp_path, cells, "usage.total", metadata, cell_id="c10")
    assert total["turns"] == 2
    assert total["input"] == {"known": 1_000_010, "is_complete": True}
    assert total["output"] == {"known": 500_000, "is_complete": False}
    assert total["cost"] == {"known": 4.0, "is_complete": False}
    assert 0 < total["window_share"] < 1
    assert server.requests == []


@pytest.fixture
def project(tmp_path: Path, server, monkeypatch) -> Path:
    (tmp_path / ".msgbook" / "rules").mkdir(parents=True)
    (tmp_path / ".msgbook" / "rules" / "style.md").write_text("Be brief.")
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    for name, value in settings(server).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def switches(project: Path, **ours: Any) -> dict[str, dict[str, tuple[bool, bool]]]:
    """Whether each thing is on, and whether the notebook cannot change that, by its kind and name."""
    cells = [turn_cell(1, 1), {**turn_cell(2, 2), "source": "#define city Rome\nWhere?"}]
    shown = ask_about(project, cells, "context.request", {"msgbook": ours}, cell_id="c2")
    return {
        group["kind"]: {
            item["name"]: (item["is_on"], item["is_fixed"] or group["by"] != "")
            for item in group["items"]
        }
        for group in shown["switches"]
    }


def test_all_that_a_conversation_brings_is_listed_and_what_it_is_switched_to(project):
    found = switches(project, rules=["AGENTS.md"], macros={"town": "Bonn"}, disabled_tools=["sh*"])
    assert found["rules"] == {"AGENTS.md": (True, False), "style.md": (False, False)}
    assert found["macros"] == {"town": (True, False)}
    assert found["tools"]["shell"] == (False, False)
    assert found["tools"]["read"] == (True, False)
    assert found["tools"]["task_finish"] == (False, True)


def test_what_the_agent_chooses_the_notebook_does_not_change(project):
    frontmatter = "agents:\n  a: {models: m, rules: [style.md], tools: [read, shell]}\n"
    found = switches(project, frontmatter=frontmatter, rules=[], disabled_tools=["read"])
    assert found["rules"] == {"AGENTS.md": (False, True), "style.md": (True, True)}
    assert found["tools"]["read"] == (False, False)
    assert found["tools"]["shell"] == (True, False)
    assert found["tools"]["write"] == (False, True)


@pytest.mark.parametrize(
    ("chosen", "is_on"),
    [
        ("tools: [read]", False),
        ("tools: []", False),
        ("tools: [read, mcp__files__open]", True),
        ("mcp_servers: []", False),
        ("mcp_servers: [files], tools: [read]", True),
        ("tags: [x]", True),
    ],
)
def test_a_server_that_was_never_started_is_on_if_the_agent_can_get_its_tools(
    project, monkeypatch, chosen, is_on
):
    config = project / "msgbook.toml"
    config.write_text('[mcp_servers.files]\ncommand = "no-such-program"\n')
    monkeypatch.setenv("MSGBOOK_CONFIG", str(config))
    frontmatter = f"agents:\n  a: {{models: m, {chosen}}}\n"
    found = switches(project, frontmatter=frontmatter)
    assert found["mcp_servers"] == {"files": (is_on, not is_on)}
    found = switches(project, frontmatter=frontmatter, disabled_mcp_servers=["files"])
    assert found["mcp_servers"] == {"files": (False, False)}


def test_a_tool_of_the_server_stands_beside_the_others_and_can_be_switched_off(
    project, monkeypatch
):
    config = project / "msgbook.toml"
    config.write_text('[agents.assistant]\nserver_tools = ["web_search"]\n')
    monkeypatch.setenv("MSGBOOK_CONFIG", str(config))

    assert switches(project)["tools"]["web_search"] == (True, False)
    off = switches(project, disabled_tools=["web_search"])
    assert off["tools"]["web_search"] == (False, False)


@pytest.mark.parametrize("value", [1, {}, [1], [["read"]], True])
def test_a_list_of_tools_that_cannot_be_read_switches_all_of_them_off(project, value):
    found = switches(project, disabled_tools=value)
    assert not any(is_on for is_on, _ in found["tools"].values())


def turn_cell(input_tokens: int, output_tokens: int | None) -> dict[str, Any]:
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    turn = {"version": 1, "status": "done", "model": "m", "provider": "s", "usage": usage}
    turn["blocks"] = [{"type": "text", "step": 1, "text": "Yes."}]
    output = {"output_type": "display_data", "data": {TURN_MIME: turn}, "metadata": {}}
    return {
        "id": f"c{input_tokens}",
        "cell_type": "code",
        "source": "Ask",
        "metadata": {},
        "outputs": [output],
    }


def test_the_sizes_of_texts_are_told_that_are_still_kept(tmp_path, server, monkeypatch):
    for name, value in settings(server).items():
        monkeypatch.setenv(name, value)
    text = "x,y\n1,2\n"
    digest = sha256(text.encode()).hexdigest()
    assert keep(tmp_path, text) == digest
    (tmp_path / ".msgbook" / "blobs" / ("0" * 64)).write_text("another text")
    asked = [digest, "0" * 64, "1" * 64, "../../secret", "", None, [], "\ud800"]

    answer = ask_about(tmp_path, [], "context.sizes", digests=asked)

    assert answer == {"tokens": {digest: estimate_text_tokens(text)}}


@pytest.mark.parametrize("digests", [None, "x", {}, ["0" * 64] * 201])
def test_digests_have_to_be_a_short_list(tmp_path, digests):
    with pytest.raises(AssertionError, match="`digests` has to be a list"):
        ask_about(tmp_path, [], "context.sizes", digests=digests)


def keep(folder: Path, text: str) -> str:
    """Keep a text as a blob, and return its digest."""
    digest = sha256(text.encode()).hexdigest()
    blobs = folder / ".msgbook" / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    (blobs / digest).write_text(text)
    return digest


def picture(side: int) -> str:
    data = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(data, "PNG")
    return data_url("image/png", data.getvalue())


def test_a_picture_that_was_sent_is_shown_small(tmp_path, server, monkeypatch):
    for name, value in settings(server).items():
        monkeypatch.setenv(name, value)
    digest = keep(tmp_path, picture(1000))

    url = ask_about(tmp_path, [], "context.picture", digest=digest)["url"]

    shown = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    assert url.startswith("data:image/png;base64,")
    assert shown.size == (512, 512)


def test_a_picture_with_more_pixels_than_one_that_was_sent_is_not_decoded(
    tmp_path, server, monkeypatch
):
    for name, value in settings(server).items():
        monkeypatch.setenv(name, value)
    digest = keep(tmp_path, picture(2049))

    assert ask_about(tmp_path, [], "context.picture", digest=digest) == {"url": None}


@pytest.mark.parametrize(
    "text",
    [
        "words",
        "data:text/html,<script>",
        "data:image/svg+xml;base64,PHN2Zy8+",
        "data:image/png;base64,AAAA",
        "data:image/png;base64,@",
        "data:image/png,x",
        "http://leak.invalid/x.png",
    ],
)
def test_a_text_that_is_no_picture_is_not_shown(tmp_path, server, monkeypatch, text):
    for name, value in settings(server).items():
        monkeypatch.setenv(name, value)
    assert ask_about(tmp_path, [], "context.picture", digest=keep(tmp_path, text)) == {"url": None}
    assert ask_about(tmp_path, [], "context.picture", digest="0" * 64) == {"url": None}
    assert server.requests == []
