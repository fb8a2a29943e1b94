"""What a tool's Python displays: a block for the reader below the result, and never sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kernel_client import KernelClient, Message
from scripted_server import ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME

TABLE = "<table><tr><td>7</td></tr></table>"
HTML = (
    f'class T:\n    def _repr_html_(self): return "{TABLE}"\n    def __repr__(self): return "T"\n'
)
PLOT = "application/vnd.plotly.v1+json"


@pytest.fixture(scope="module")
def allowing(module_server, tmp_path_factory) -> Iterator[KernelClient]:
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    settings["MSGBOOK_APPROVAL"] = "allow"
    settings["OPENAI_API_KEY"] = "sk-key-that-nobody-sees"
    with KernelClient(settings, str(tmp_path_factory.mktemp("notebook"))) as client:
        yield client


@pytest.fixture
def kernel(allowing, module_server) -> KernelClient:
    module_server.reset()
    allowing.forget()
    return allowing


def run(kernel: KernelClient, server: ScriptedServer, code: str) -> list[dict[str, Any]]:
    """Blocks of a turn in which the model runs code; it is sent the text of the result alone."""
    server.answers = [call("python", {"code": code}), text("ok")]
    _reply, messages = kernel.run("hi", "a")
    blocks = blocks_of(messages)
    _system, _user, _call, result = server.messages()
    assert result["content"] == blocks[1]["content"]
    return blocks


def blocks_of(messages: list[Message]) -> list[dict[str, Any]]:
    data = [m["content"].get("data", {}) for m in messages]
    turn = [bundle[TURN_MIME] for bundle in data if TURN_MIME in bundle][-1]
    # The notices before the first step are about the settings.
    first = next(i for i, block in enumerate(turn["blocks"]) if block["type"] == "tool_call")
    return list(turn["blocks"][first:])


def displays(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block["data"] for block in blocks if block["type"] == "display"]


def test_the_value_of_the_last_line_is_text_for_the_model_and_html_for_the_reader(
    kernel, module_server
):
    blocks = run(kernel, module_server, f"{HTML}T()")
    assert [b["type"] for b in blocks] == ["tool_call", "tool_result", "display", "text"]
    assert blocks[1]["content"] == "T"
    assert blocks[2] == {
        "type": "display",
        "step": 1,
        "id": blocks[0]["id"],
        "data": {"text/html": TABLE},
    }


def test_displays_keep_their_order_and_a_later_one_replaces_the_one_of_its_id(
    kernel, module_server
):
    code = f"""
from IPython.display import display
show = lambda data, **k: display({{"text/plain": "p", **data}}, raw=True, **k)
show({{"{PLOT}": {{"n": 1}}}}, display_id="x")
show({{"text/html": "<b>2</b>"}})
show({{"{PLOT}": {{"n": 3}}}}, display_id="x", update=True)
"""
    assert displays(run(kernel, module_server, code)) == [
        {PLOT: {"n": 3}},
        {"text/html": "<b>2</b>"},
    ]


def test_scripts_widgets_and_images_are_no_displays(kernel, module_server):
    code = """
from IPython.display import display
display({"text/plain": "p", "application/javascript": "alert(1)",
         "application/vnd.jupyter.widget-view+json": {"model_id": "m"}}, raw=True)
"""
    blocks = run(kernel, module_server, code)
    assert displays(blocks) == []
    assert blocks[1]["content"] == "p"


def test_a_display_has_no_key(kernel, module_server):
    code = 'from IPython.display import HTML\nHTML("sk-key-that" + "-nobody-sees")'
    [data] = displays(run(kernel, module_server, code))
    assert "nobody-sees" not in data["text/html"]


def test_what_is_too_large_or_no_json_is_left_out_with_a_notice(kernel, module_server):
    code = f"""
from IPython.display import display
show = lambda data: display({{"text/plain": "p", **data}}, raw=True)
show({{"text/html": "x" * 2_000_001}})
show({{"{PLOT}": {{"y": [float("nan")]}}}})
show({{"{PLOT}": object()}})
for i in range(60):
    show({{"text/html": str(i)}})
"""
    blocks = run(kernel, module_server, code)
    assert displays(blocks) == [{"text/html": str(i)} for i in range(50)]
    [notice] = [b["text"] for b in blocks if b["type"] == "notice"]
    assert "not kept: 13" in notice


def test_a_failing_tool_keeps_what_it_has_displayed(kernel, module_server):
    blocks = run(
        kernel, module_server, f"{HTML}from IPython.display import display\ndisplay(T())\n1 / 0"
    )
    assert blocks[1]["status"] == "error"
    assert displays(blocks) == [{"text/html": TABLE}]


def test_the_value_of_a_function_is_displayed_beside_its_result(kernel, module_server):
    kernel.run(f"%%python\n{HTML}\ndef table() -> object:\n    return T()", "code")
    kernel.run("%tool table", "magic")
    module_server.answers = [call("table", {}), text("ok")]
    _reply, messages = kernel.run("hi", "a")
    blocks = blocks_of(messages)
    assert displays(blocks) == [{"text/html": TABLE}]
    assert blocks[1]["content"] == "T"
