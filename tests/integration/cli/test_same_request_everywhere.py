"""One law for all hosts: preview, the page's panel and the kernel have the same body, `run` has it without Python.

What differs follows from what runs the cell, not from who looks at it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from apis import over_all_apis
from command import settings, with_settings
from hosts import previewed, shown_on_page, tools_of, without_python
from kernel_client import KernelClient
from PIL import Image
from scripted_server import call, text

import msgbook_format
from msgbook.cli.run import run_file

pytestmark = over_all_apis

AGENTS = """\
agents:
  writer:
    model: w-1
    max_output_tokens: 50
    temperature: 0.5
    system_prompt: You write.
  exact: {models: e-1, tools: [read, python]}
  narrow: {models: n, allowed_uris: [src]}
"""

NOTE = "[^c0]: [markdown] cell=markdown role=system\n\nBe brief."
NEW = "[^c0]: [code]\n\n```ipython\n%agent new fast model=f-1 temperature=0\n```"
DEFAULT = "[^c1]: [code]\n\n```ipython\n%agent default fast\n```"
CODE = "[^c0]: [code]\n\n```python\n1 + 1\n```\n\n# %%% [^c0-1]\n\n2"
SUMMED = '[^c0]: [markdown] history="summary"\n\nA long question\n\n# %%% [^c0-1]\n\nAn answer'

SCENARIOS: dict[str, tuple[str, list[str]]] = {
    "a prompt": ("", ["Hi"]),
    "rules, references and macros": (
        "",
        ["#define V v2\nCheck @[a.py] and @[src/].", "And @[a.py] now?", "Thanks, {{V}}."],
    ),
    "an image": ("", ["Before ![x](chart.png) after.", "And?"]),
    "a note and code": ("", [NOTE, CODE.replace("c0", "c1"), "Hi"]),
    "properties of an agent": (AGENTS, ["Hi", "%%msg agent=exact\nHi"]),
    "an agent without Python": ("agents:\n  reader: {models: r, tools: [read]}\n", ["Hi"]),
    "a temporary agent": (AGENTS, [NEW, DEFAULT, "Hi"]),
    "narrowed folders": (AGENTS, ["%%msg agent=narrow\n@[src/b.txt]"]),
    "attributes of a message": ("", ["Hidden", "%%msg model=other answer_limit=9 max_steps=1\nHi"]),
    "after a call": ("", ["Read it.", "Again."]),
    "a summary": ("", [SUMMED, "And?", "So?"]),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".msgbook" / "rules").mkdir(parents=True)
    (tmp_path / ".msgbook" / "rules" / "api.md").write_text("Use {{V}}.")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "b.txt").write_text("inside")
    (tmp_path / "a.py").write_text("VERSION = '{{V}}'\n")
    Image.new("RGB", (3, 2)).save(tmp_path / "chart.png")
    return tmp_path


def _text_of(frontmatter: str, cells: list[str], first: int = 0) -> str:
    head = f"---\n{frontmatter}---\n\n" if frontmatter else ""
    return head + "".join(f"# %% [^c{n}]\n\n{source}\n\n" for n, source in enumerate(cells, first))


PLACES = [
    *((name, ".msg.md") for name in SCENARIOS),
    ("an image", ".ipynb"),
    ("after a call", ".ipynb"),
]


@pytest.mark.parametrize(("name", "suffix"), PLACES)
def test_each_host_shows_and_sends_the_same_body(server, folder, name, suffix):
    frontmatter, cells = SCENARIOS[name]
    chat = folder / "chat.msg.md"
    *before, last = cells
    chat.write_text(_text_of(frontmatter, before))
    first = {"after a call": call("read", {"path": "a.py"}), "a summary": text("In short.")}
    server.answers = [*filter(None, [first.get(name)]), text("Fine.")]
    if any("[^" not in source for source in before):
        assert with_settings(server, run_file, chat) == 0
    chat.write_text(chat.read_text() + "\n" + _text_of("", [last], len(before)))
    if suffix == ".ipynb":
        notebook = msgbook_format.read(chat)
        chat.unlink()
        chat = folder / "chat.ipynb"
        chat.write_text(json.dumps(notebook))
    cell_id = f"c{len(before)}"
    server.reset()
    server.answers = [text("Fine.")]

    shown = previewed(server, chat, cell_id)
    shown_of_run = previewed(server, chat, cell_id, of_run=True)
    panel = shown_on_page(server, chat, cell_id)
    elsewhere = shutil.copytree(folder, folder.with_name(f"{folder.name}-kernel"))
    assert with_settings(server, run_file, chat) == 0
    (ran,) = server.requests
    source = (
        next(c.source for c in msgbook_format.read(chat).cells if c.id == cell_id)
        if suffix == ".msg.md"
        else last
    )
    session = {"JPY_SESSION_NAME": str(elsewhere / chat.name)}
    with KernelClient(settings(server, **session), str(elsewhere)) as kernel:
        reply, _ = kernel.finish(kernel.start(source, cell_id))
    assert reply["status"] == "ok"
    sent = server.requests[1]

    assert shown == panel == sent
    assert shown_of_run == ran == without_python(sent)
    assert ("python" in tools_of(sent)) == (name != "an agent without Python")
