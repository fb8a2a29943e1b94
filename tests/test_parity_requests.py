"""What docs/parity.md promises, in the requests that a server gets: `msgbook run` on real files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import with_settings
from hosts import require_one_body
from PIL import Image
from scripted_server import call, text

from msgbook.agents import build_system_prompt
from msgbook.cli.run import run_file
from msgbook_format import read
from msgbook_format.turn import turn_of


@pytest.fixture
def chat(server: Any, tmp_path: Path) -> Iterator[Path]:
    """The file of a scenario, for which a law of all hosts holds in the end."""
    folder = tmp_path / "folder"
    (folder / ".msgbook" / "rules").mkdir(parents=True)
    yield folder / "chat.msg.md"
    require_one_body(server, folder / "chat.msg.md")


def cells(*sources: str, frontmatter: str = "") -> str:
    head = f"---\n{frontmatter}---\n\n" if frontmatter else ""
    return head + "".join(f"# %% [^c{n}]\n\n{source}\n\n" for n, source in enumerate(sources))


def block_of(message: dict[str, Any]) -> dict[str, Any]:
    """The block at the end of a message."""
    content = message["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    _, _, body = text.rpartition("<content_reference>\n")
    block: dict[str, Any] = json.loads(body.removesuffix("\n</content_reference>"))
    return block


def words_of(chat: Path, number: int) -> str:
    turn = turn_of(read(chat).cells[number].outputs[0])
    assert turn is not None
    return " ".join(block["text"] for block in turn["blocks"] if block["type"] == "notice")


def test_rules_references_and_macros_reach_the_model_where_they_were_first_said(server, chat):
    (chat.parent / ".msgbook" / "rules" / "api.md").write_text("Use {{API_VERSION}}.")
    (chat.parent / "a.py").write_text("VERSION = '{{API_VERSION}}'\n")
    (chat.parent / "b.txt").write_text("from a tool\n")
    first = '#define API_VERSION v2\nCheck @[a.py] and @[read{"path": "b.txt"}].'
    chat.write_text(cells(first, "And @[a.py] now?", "Thanks."))
    server.answers = [text("Fine.")]

    assert with_settings(server, run_file, chat) == 0

    one, two, three = (request["messages"] for request in server.requests)
    assert one[-1]["content"].startswith(f"{first}\n\n<content_reference>\n")
    assert block_of(one[-1])["rules"] == [{"name": "api.md", "content": "Use v2."}]
    assert block_of(one[-1])["files"] == {"a.py": "VERSION = 'v2'\n"}
    (run,) = block_of(one[-1])["tools"]
    assert (run["name"], run["args"], "from a tool" in run["result"]) == (
        "read",
        {"path": "b.txt"},
        True,
    )
    assert "v2" not in one[0]["content"]
    assert two[: len(one)] == one
    assert block_of(two[-1]) == {"files": {"a.py": "(unchanged: version 1 above)"}, "tools": []}
    assert three[: len(two)] == two
    assert three[-1]["content"] == "Thanks."
    assert read(chat).metadata.msgbook.macros == {"API_VERSION": "v2"}


def test_what_changed_meanwhile_comes_with_the_prompt_that_names_it(server, chat):
    (chat.parent / "a.txt").write_text("one")
    chat.write_text(cells("@[a.txt]"))
    server.answers = [text("Fine.")]
    with_settings(server, run_file, chat)
    (chat.parent / "a.txt").write_text("two")
    chat.write_text(chat.read_text() + "\n# %% [^d]\n\nHm.\n\n# %% [^e]\n\n@[a.txt]\n")

    assert with_settings(server, run_file, chat) == 0

    one, two, three = (request["messages"] for request in server.requests)
    assert two[: len(one)] == one
    assert two[-1]["content"] == "Hm."
    assert block_of(three[-1])["files"] == {"a.txt": "two"}


@pytest.mark.parametrize(("title", "detail"), [("", "auto"), (' "A chart, detail=low"', "low")])
def test_images_are_parts_in_their_place_and_are_sent_again_later(server, chat, title, detail):
    buffer = io.BytesIO()
    Image.new("RGB", (3, 2)).save(buffer, "PNG")
    (chat.parent / "my chart.png").write_bytes(buffer.getvalue())
    chat.write_text(cells(f"Before ![x](my chart.png{title}) after.", "And?"))
    server.answers = [text("Fine.")]

    assert with_settings(server, run_file, chat) == 0

    one, two = (request["messages"] for request in server.requests)
    before, image, after = one[-1]["content"]
    assert (before["text"], after["text"]) == ("Before ", " after.")
    assert image["image_url"]["url"].startswith("data:image/png;base64,")
    assert image["image_url"]["detail"] == detail
    assert two[: len(one)] == one


AGENTS = """\
agents:
  writer:
    models: [w-1, w-2]
    context_window: 100000
    max_output_tokens: 50
    reasoning: true
    temperature: 0.5
    system_prompt: You write.
  exact: {models: e-1, temperature: 0.5, use_temperature: false}
"""


def test_the_properties_of_an_agent_are_in_its_request(server, chat):
    chat.write_text(cells("Hi", "%%msg agent=exact\nHi", frontmatter=AGENTS))
    server.answers = [text("Fine.")]

    assert with_settings(server, run_file, chat) == 0

    writer, exact = server.requests
    assert writer["model"] == "w-1"
    assert writer["messages"][0]["content"] == build_system_prompt("You write.", [], ["."])
    assert (writer["temperature"], writer["reasoning_effort"]) == (0.5, "medium")
    assert writer.get("max_tokens", writer.get("max_completion_tokens")) == 50
    assert exact["model"] == "e-1"
    assert exact.keys().isdisjoint({"temperature", "reasoning_effort", "max_tokens"})
    assert exact["messages"][-2] == {"role": "user", "content": "[writer] Fine."}


def test_a_temporary_agent_answers_below_its_cell_and_can_be_the_default(server, chat):
    new = "[^c0]: [code]\n\n```ipython\n%agent new fast models=f-1 system_prompt=Hurry.\n```"
    default = "[^c1]: [code]\n\n```ipython\n%agent default fast\n```"
    chat.write_text(cells(new, default, "Hi", frontmatter=AGENTS))
    server.answers = [text("Fine.")]

    assert with_settings(server, run_file, chat) == 0

    assert server.requests[0]["model"] == "f-1"
    assert "Hurry." not in server.requests[0]["messages"][0]["content"]
    assert "cannot set system_prompt" in words_of(chat, 2)


def test_a_request_that_does_not_fit_is_not_sent_and_the_cells_are_named(server, chat):
    frontmatter = "agents:\n  small: {models: s, context_window: 2000}\n"
    note = "[^c0]: [markdown] cell=markdown\n\nA long note. " + "More. " * 5000
    chat.write_text(cells(note, "Hi", frontmatter=frontmatter))
    server.answers = [text("Fine.")]

    assert with_settings(server, run_file, chat) == 1

    assert server.requests == []
    assert "A long note." in words_of(chat, 1)


def test_allowed_uris_narrow_what_references_and_tools_read_freely(server, chat):
    (chat.parent / "src").mkdir()
    (chat.parent / "src" / "a.txt").write_text("inside")
    (chat.parent / "b.txt").write_text("outside")
    frontmatter = "agents:\n  narrow: {models: n, allowed_uris: [src]}\n"
    chat.write_text(cells("@[src/a.txt] @[b.txt]", frontmatter=frontmatter))
    server.answers = [text("Fine.")]

    assert with_settings(server, run_file, chat) == 0

    assert block_of(server.messages()[-1])["files"] == {"src/a.txt": "inside"}
    assert "b.txt" in words_of(chat, 0)


def test_a_summary_is_asked_for_once_and_stands_for_the_turn(server, chat):
    answered = '[^a]: [markdown] history="summary"\n\nA long question\n\n# %%% [^a-1]\n\nAn answer'
    chat.write_text(f"# %% [^a]\n\n{answered}\n\n# %% [^b]\n\nAnd?\n\n# %% [^c]\n\nSo?\n")
    server.answers = [text("In short."), text("Fine.")]

    assert with_settings(server, run_file, chat) == 0

    asked, first, second = (request["messages"] for request in server.requests)
    assert "A long question" in asked[-1]["content"]
    assert [m["content"] for m in first[1:]] == ["[summary] In short.", "And?"]
    assert second[: len(first)] == first
    assert 'summary="In short." summary_of="sha256:' in chat.read_text()


def test_each_call_has_a_nonce_of_its_own_that_is_saved(server, chat):
    (chat.parent / "a.txt").write_text("words")
    chat.write_text(cells("Read it.", "Read it again."))
    reading = call("read", {"path": "a.txt"})
    server.answers = [reading, text("Read."), reading, text("Read again.")]

    assert with_settings(server, run_file, chat) == 0

    nonces = re.findall(
        r'(?m)^\[\^c[01]-1\.([0-9a-f]{8})\]: \[tool\] name="read"', chat.read_text()
    )
    assert len(set(nonces)) == 2
