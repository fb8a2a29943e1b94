from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from hostile_markdown import HOSTILE, violations
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from msgbook_format.turn import to_markdown, to_plain
from msgbook_format.turn.markdown.render import PLAIN_LIMIT

if TYPE_CHECKING:
    from renderers import Renderers


def turn(*blocks: dict[str, Any], **keys: Any) -> Any:
    return {"version": 1, "status": "done", "blocks": list(blocks), **keys}


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
