"""Nothing that a kernel sends as text steers the terminal that shows it."""

from __future__ import annotations

import json
import re

import pytest
from scripted_server import call, error, text

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\r\u202e\u2028!"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def sent(kernel, code: str, **options) -> str:
    """All texts of the messages that came of a cell."""
    texts = []
    reply, messages = kernel.run(code, **options)
    texts += [str(reply.get("evalue", "")), *reply.get("traceback", [])]
    for message in messages:
        content = message["content"]
        if message["msg_type"] == "stream":
            texts.append(content["text"])
        elif message["msg_type"] == "error":
            texts += [content["ename"], content["evalue"], *content["traceback"]]
        elif "text/plain" in content.get("data", {}):
            texts.append(content["data"]["text/plain"])
    return "\n".join(texts)


def test_an_error_of_a_server_cannot_control_the_terminal(kernel, module_server):
    module_server.answers = [error(400, f"no {EVIL}")]

    shown = sent(kernel, "Hello")

    assert "400" in shown
    assert not STEERING.search(shown)


@pytest.mark.parametrize("as_text", [False, True])
def test_a_turn_cannot_control_the_terminal(kernel, module_server, as_text):
    module_server.answers = [
        call(f"tool{EVIL}", {"x": EVIL}),
        text(f"Answer {EVIL}", reasoning=f"Hm {EVIL}"),
    ]
    kernel.run("%display text" if as_text else "%display rich")

    shown = sent(kernel, f"Hello {EVIL}")
    module_server.answers = [text("not reached")]
    of_an_agent = sent(kernel, f'%%msg agent="x{EVIL}"\nHello')

    assert "Answer" in shown
    assert "no agent" in of_an_agent
    # A turn may be in a language that is written from right to left, with marks that say so.
    assert not STEERING.search((shown + of_an_agent).replace("\u202e", ""))


@pytest.mark.parametrize(
    "magic",
    ["%models", "%context", "%context full", "%usage", "%cache", "%agent", "%macros", "%model", "%tools",
     f"%agent new {EVIL}", f"%model {EVIL}", f"%display {EVIL}", f"%tool {EVIL}", f"%approvals {EVIL}",
     f"%compact {EVIL}", f"%skills {EVIL}"],
)  # fmt: skip
def test_a_magic_cannot_control_the_terminal(kernel, module_server, magic):
    module_server.models = ["m", f"evil{EVIL}"]
    module_server.answers = [text(f"Answer {EVIL}")]
    kernel.run(f"#define NAME{EVIL} {EVIL}\n\nHello {EVIL} @[none{EVIL}]")

    assert not STEERING.search(sent(kernel, magic))
    module_server.models = ["scripted"]


def test_help_on_a_reference_cannot_control_the_terminal(kernel):
    kernel.client.inspect(f"@[none{EVIL}.txt] and more", 4)
    reply = kernel.client.get_shell_msg(timeout=300)["content"]

    assert not STEERING.search(json.dumps(reply["data"], ensure_ascii=False))


def test_colours_of_the_users_own_code_stay(kernel):
    shown = sent(kernel, "%%python\nprint('\\x1b[31mred\\x1b[0m')")

    assert shown.strip() == "\x1b[31mred\x1b[0m"
