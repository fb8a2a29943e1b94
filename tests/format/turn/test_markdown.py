from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hostile_markdown import PIXEL
from renderers import Page, commonmark, nbconvert

from msgbook_format.turn import TURN_MIME, bundle, to_markdown, to_plain
from msgbook_format.turn.markdown.render import PLAIN_LIMIT

if TYPE_CHECKING:
    pass


def turn(*blocks: dict[str, Any], **keys: Any) -> Any:
    return {"version": 1, "status": "done", "blocks": list(blocks), **keys}


def test_a_bundle_holds_the_turn_and_two_derived_texts_and_no_html() -> None:
    said = turn({"type": "text", "text": "Hi"})
    assert bundle(said) == {TURN_MIME: said, "text/markdown": "Hi", "text/plain": "[done] Hi"}


def test_blocks_come_in_order_with_reasoning_and_results_collapsed() -> None:
    said = turn(
        {"type": "reasoning", "text": "Let me *look*."},
        {"type": "text", "text": "I read it.\n"},
        {"type": "tool_call", "id": "c1", "name": "read", "arguments": '{"path":"a.py"}'},
        {"type": "tool_result", "id": "c1", "status": "success", "content": "print(1)\n"},
        {"type": "text", "text": "Done."},
    )
    assert to_markdown(said) == (
        "<details><summary>💭 Thinking Process</summary>\n\nLet me *look*.\n\n</details>\n\n"
        "I read it.\n\n"
        "> 🔧 **Call**: `read`\n\n"
        '```json\n{\n  "path": "a.py"\n}\n```\n\n'
        "<details><summary>📝 Result: read</summary>\n\n```text\nprint(1)\n```\n\n</details>\n\n"
        "Done."
    )


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([{"type": "notice", "text": "a_b"}], "> ℹ️ a&#95;b"),
        ([{"type": "notice", "level": "warning", "text": "x\ny"}], "> ⚠️ x y"),
        ([{"type": "error", "name": "E", "message": "no"}], "> ❌ **E**: no"),
        ([{"type": "error"}], "> ❌ **Error**"),
        ([{"type": "text", "text": "No.", "refusal": True}], "> ⚠️ The model refused:\n\nNo."),
        ([{"type": "tool_call", "name": "f", "approval": "denied"}], "> 🔧 **Call**: `f` (denied)"),
        (
            [{"type": "tool_call", "name": "f", "arguments": '{"a', "unfinished": True}],
            '> 🔧 **Call**: `f` (cut off, not run)\n\n```json\n{"a\n```',
        ),
        (
            [{"type": "tool_result", "status": "error", "content": ""}],
            "<details><summary>📝 Result (error)</summary>\n\n(empty)\n\n</details>",
        ),
        (
            [{"type": "new", "x": [1]}],
            (
                '<details><summary>❔ new</summary>\n\n```json\n{\n  "type": "new",\n'
                '  "x": [\n    1\n  ]\n}\n```\n\n</details>'
            ),
        ),
    ],
)
def test_each_kind_of_block_has_its_writing(blocks: list[dict[str, Any]], expected: str) -> None:
    assert to_markdown(turn(*blocks)) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"status": "interrupted"}, "> ⏹️ Interrupted"),
        (
            {"status": "incomplete", "finish_reason": "length"},
            "> ⚠️ Incomplete: the answer reached the length limit",
        ),
        (
            {"status": "incomplete", "finish_reason": "insufficient_system_resource"},
            "> ⚠️ Incomplete: the provider was short of resources",
        ),
        ({"status": "incomplete", "finish_reason": "n_w"}, "> ⚠️ Incomplete: n&#95;w"),
        ({"status": "incomplete"}, "> ⚠️ Incomplete: the stream was cut"),
        ({"status": "error"}, "> ❌ Failed"),
        ({"status": "running"}, ""),
        ({"status": "done"}, ""),
    ],
)
def test_a_turn_that_did_not_end_well_says_so_at_its_end(
    keys: dict[str, Any], expected: str
) -> None:
    said = turn({"type": "text", "text": "Hi"}, **keys)
    assert to_markdown(said) == f"Hi\n\n{expected}".rstrip()


def test_images_of_a_result_are_shown_when_they_are_data_and_linked_otherwise() -> None:
    parts = [
        {"type": "text", "text": "two"},
        {"type": "image_url", "image_url": {"url": PIXEL}},
        {"type": "image_url", "image_url": {"url": "http://e.example/p.png"}},
        {"type": "image_url", "image_url": {"url": "javascript:alert(1)"}},
        {"type": "other"},
    ]
    page = Page(nbconvert(to_markdown(turn({"type": "tool_result", "content": parts}))))
    assert page.images == [PIXEL]
    assert page.links == ["http://e.example/p.png"]
    assert page.violations == []
    assert page.code[0] == "two"


def test_arguments_are_shown_as_sent_where_indenting_would_change_them() -> None:
    sent = '{"path": "a", "path": "b"}'
    call = {"type": "tool_call", "name": "f", "arguments": sent}
    assert f"```json\n{sent}\n```" in to_markdown(turn(call))


def test_plain_text_is_one_bounded_line_without_control_characters() -> None:
    plain = to_plain(turn({"type": "text", "text": "a\n\x1b[1m" + "b" * 999}, model="m\n1"))
    assert plain.startswith("[done · m 1] a ␛[1mbbb")
    assert len(plain) == PLAIN_LIMIT


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [nested(100_000), 10**5000], ids=["deep", "long"])
def test_data_that_json_cannot_write_is_replaced_by_words(value: Any) -> None:
    said = turn({"type": "new", "x": value}, {"type": "tool_result", "content": [value]})
    assert to_markdown(said).count("to be shown)") == 2
    assert "to be shown)" in to_plain(turn({"type": "text", "text": value}))


def test_the_markdown_of_a_text_is_made_when_it_has_ended() -> None:
    first, last = ({"type": "text", "step": step, "text": "a **b**\n\n- c"} for step in (1, 2))
    running: Any = {"version": 1, "status": "running", "blocks": [first, last]}

    shown = bundle(running, is_growing=True)["text/markdown"]
    assert shown.startswith("a **b**\n\n- c\n\n")
    assert Page(commonmark(shown)).text.count("**b**") == 1

    assert bundle({**running, "status": "done"}, is_growing=True) == bundle(
        {**running, "status": "done"}
    )
    assert bundle(running)["text/markdown"].count("a **b**") == 2
