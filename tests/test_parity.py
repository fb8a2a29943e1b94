"""What docs/parity.md promises and no module's own tests show."""

from __future__ import annotations

from typing import Any

import pytest

from msgbook.agents.agent import Agent
from msgbook.agents.project_files import ProjectRule, rules_in_force, select
from msgbook.request.context.content_reference import (
    ContentReference,
    ContextItems,
    ToolRun,
    append_content_reference,
    build_content_reference,
    replay_content_reference,
)
from msgbook.request.context.macros import expand_macros, macros_in_force
from msgbook.turn.replay import turn_messages
from msgbook_format import reads, writes
from msgbook_format.turn import to_markdown

CALL = {"type": "tool_call", "step": 1, "id": "c1", "name": "read", "arguments": '{"path": "a"}'}


def result(content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "step": 1, "id": "c1", "status": "success", "content": content}


def turn(*blocks: dict[str, Any]) -> Any:
    return {"version": 1, "status": "done", "blocks": list(blocks)}


def test_content_of_nothing_shows_nothing() -> None:
    assert to_markdown(turn({"type": "text", "text": None})) == ""
    assert "(empty)" in to_markdown(turn(CALL, result(None)))


def test_content_of_nothing_says_nothing() -> None:
    said = turn_messages([{"type": "text", "step": 1, "text": None}, CALL, result(None)])

    assert [message["content"] for message in said] == [None, ""]


def test_a_part_of_an_unknown_type_is_shown_whole_and_told_to_the_model() -> None:
    part = {"type": "audio", "image_url": {"url": "data:image/png;base64,AA"}}

    shown = to_markdown(turn(CALL, result([{"type": "text", "text": "Here:"}, part])))
    _, sent = turn_messages([CALL, result([part])])

    assert "Here:" in shown
    assert '"type": "audio"' in shown
    assert "data:image/png;base64,AA" in shown
    assert '"type": "audio"' in sent["content"]


def test_an_image_of_either_type_is_shown_and_sent_as_an_image() -> None:
    url = "data:image/png;base64,AA=="
    sent = {"type": "image_url", "image_url": {"url": url}}
    for part in ({"type": "image", "image_url": {"url": url}}, {"type": "image", "image_url": url}):
        assert f"![image]({url})" in to_markdown(turn(CALL, result([part])))
        assert turn_messages([CALL, result([part])])[1]["content"] == [sent]


def test_a_call_and_its_result_have_the_keys_of_the_chat_api() -> None:
    assert turn_messages([CALL, result("text")]) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "a"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
    ]


@pytest.mark.parametrize("detail", [{}, {"detail": "auto"}, {"detail": "low"}, {"detail": "high"}])
def test_the_detail_of_a_saved_image_is_sent_as_it_stands(detail: dict[str, str]) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", **detail}}

    assert turn_messages([CALL, result([image])])[1]["content"] == [image]


def test_the_metadata_of_an_agent_survive_the_text() -> None:
    notebook = reads("# %% [^a]\n\n[^a]: [markdown]\n\nHi\n")
    metadata = {
        "uuid": "550e8400-e29b-41d4-a716-446655440000",
        "name": "Reader",
        "created_at": "2026-11-20T10:00:00Z",
        "parent_agent_id": None,
        "allowed_uris": ["src"],
        "is_task_finished": False,
        "later": {"x": [1]},
    }
    notebook.metadata["msgbook"] = {"agent_metadata": metadata}
    notebook.metadata["elsewhere"] = metadata

    found = reads(writes(notebook)).metadata

    assert found.msgbook.agent_metadata == found.elsewhere == metadata


def test_a_prompt_keeps_its_tags_and_brings_the_block_behind_it() -> None:
    prompt = "#define A 1\nSee @[a.py] and @b.py."

    content = append_content_reference(
        prompt, build_content_reference([], ContextItems(files={"a.py": "x"})).text
    )

    assert str(content).startswith(f"{prompt}\n\n<content_reference>\n")


def test_what_an_earlier_prompt_brought_comes_again_only_when_it_is_named_again() -> None:
    tools = [ToolRun("read", {"path": "b"}, "B")]
    first = build_content_reference([], ContextItems(files={"a": "one"}, tools=tools))

    silent = build_content_reference([first.context], ContextItems())
    again = build_content_reference([first.context], ContextItems(files={"a": "two"}, tools=tools))

    assert silent == ContentReference("", {}, {})
    assert '"two"' in again.text
    assert '"result": "B"' in again.text
    assert replay_content_reference(first.context, first.blobs.get) == first.text


def test_macros_of_an_earlier_prompt_hold_in_rules_and_files() -> None:
    earlier = {"cell_type": "code", "source": "#define API_VERSION v2\n#define TIMEOUT 30\nHello"}
    rule = ProjectRule("api.md", "Use version {{API_VERSION}}; wait {{TIMEOUT}} s.")
    macros = macros_in_force({}, [earlier], "#define TIMEOUT 60\nGo on.").values

    def expanded(text: str) -> tuple[str, list[str]]:
        return expand_macros(text, macros).text, []

    rules, notices = rules_in_force([rule], select("rules", Agent("a"), {}), expanded)

    assert (rules, notices) == ([ProjectRule("api.md", "Use version v2; wait 60 s.")], [])
    assert expanded("{{API_VERSION}}")[0] == "v2"
