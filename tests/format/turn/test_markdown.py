from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hostile_markdown import HOSTILE, PIXEL, violations
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from renderers import Page, nbconvert

from msgbook_format.turn import TURN_MIME, bundle, to_markdown, to_plain
from msgbook_format.turn.markdown.render import PLAIN_LIMIT

if TYPE_CHECKING:
    from renderers import Renderers


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


# Formulas and emphasis that one text opens and another closes, around what a tool said.
OPEN = [
    "~~",
    "**",
    "*",
    "[",
    "![",
    "`",
    "a",
    "$$",
    "\\\\[",
    "\\begin{a}",
    "\n",
    "\n#",
    "\n7. ",
    "> ",
]
CLOSE = ["~~", "**", "*", "](:)", "](javascript:alert(1))", "`", "a", "", "\n"]
LIVE = ["<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](http://e.example/p.png)"]
SPAN = st.lists(st.sampled_from(OPEN), min_size=1, max_size=5).map("".join)
RESULT = st.tuples(st.sampled_from(LIVE), st.sampled_from(CLOSE), st.sampled_from(CLOSE)).map(
    "".join
)
END = st.sampled_from(["$$", "\\\\]", "\\end{a}", "a\n$$"])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=SPAN, result=RESULT, after=END, fenced=st.booleans())
@example(before="~~$$", result="<img src=x onerror=alert(1)>](:)~~", after="$$", fenced=True)
@example(before="~~$$", result="<img src=x onerror=alert(1)>](:)~~", after="$$", fenced=False)
def test_nothing_that_a_text_opens_reaches_what_a_tool_said(
    before: str, result: str, after: str, fenced: bool, renderers: Renderers
) -> None:
    middle = (
        {"type": "text", "text": f"```\n{result}\n```"}
        if fenced
        else {"type": "tool_result", "content": result}
    )
    said = turn({"type": "text", "text": before}, middle, {"type": "text", "text": after})
    assert violations(to_markdown(said), renderers) == {}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)
TYPES = ["reasoning", "text", "tool_call", "tool_result", "notice", "error"]
KEYS = [
    "text", "name", "arguments", "id", "status", "content", "level", "message", "approval",
    "refusal", "unfinished", "extra",
]  # fmt: skip
EXTRA = st.fixed_dictionaries(
    {},
    optional={
        "item": st.dictionaries(st.sampled_from(["type", "encrypted_content", "x"]), HOSTILE),
        "annotations": st.lists(
            st.dictionaries(
                st.sampled_from(["url", "title", "filename", "type"]), HOSTILE | ANY_JSON
            ),
            max_size=3,
        ),
    },
)
BLOCK = st.builds(
    lambda kind, keys, more: {"type": kind, **keys, **more},
    st.sampled_from(TYPES) | HOSTILE,
    st.dictionaries(st.sampled_from(KEYS), HOSTILE | ANY_JSON, max_size=6),
    st.fixed_dictionaries({}, optional={"extra": EXTRA}),
)
STATUS = st.sampled_from(["running", "done", "incomplete", "interrupted", "error"]) | ANY_JSON
TURN = st.builds(
    lambda blocks, status, keys: turn(*blocks, status=status, **keys),
    st.lists(BLOCK, max_size=5),
    STATUS,
    st.dictionaries(
        st.sampled_from(["model", "answered_model", "finish_reason", "usage"]), ANY_JSON
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=TURN)
def test_a_hostile_turn_does_nothing_in_any_renderer(said: Any, renderers: Renderers) -> None:
    before = copy.deepcopy(said)
    assert violations(to_markdown(said), renderers) == {}
    assert json.dumps(said) == json.dumps(before)
    plain = to_plain(said)
    assert "\n" not in plain
    assert len(plain) <= PLAIN_LIMIT
