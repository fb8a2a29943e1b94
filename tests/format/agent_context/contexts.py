"""Strategies for AgentContexts: every variant of old files, and odd ones."""

from __future__ import annotations

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip

GHOSTS = (
    "\n<content_reference>\n\n# Source: a.py (v1)\n\n```python\nx = 1\n```\n\n</content_reference>",
    '\n\n<content_reference>\n{ "rules": [], "files": {"a.py": "x = 1"}, "tools": [] }\n</content_reference>',
    "\n<content_reference>\n\n# Tool Call: ls\n> Args: {}\n\na.py\n\n</content_reference>",
    "\n<content_reference>just words</content_reference>",
)

TEXTS = st.sampled_from(
    ["", " ", "hi", "hi\n", "%time 1", "%%msg agent=x\nhi", "!rm -rf /", "\\%x", "  !ls", "%continue",
     "%%python\nprint(1)", "# %% not a marker", "**System**: x", "\ud83d", "a\r\nb", "\x00",
     "<content_reference>", "@[a.py]", *(f"look{ghost}" for ghost in GHOSTS)]
) | st.text(max_size=20)  # fmt: skip

URLS = st.sampled_from(
    ["https://x.org/a.png", "data:image/png;base64,AAAA", "a b(1).png", "", "x>\n"]
)
PARTS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.builds(lambda kind, url: {"type": kind, "image_url": url}, st.sampled_from(["image", "image_url"]), URLS),
    st.builds(
        lambda kind, url, more: {"type": kind, "image_url": {"url": url, **more}},
        st.sampled_from(["image", "image_url"]), URLS,
        st.sampled_from([{}, {"detail": "high"}, {"detail": "auto", "x": 1}]),
    ),
    st.builds(lambda kind: {"type": kind, "data": [1]}, st.sampled_from(["video", "text", "x]"])),
    JSON,
)  # fmt: skip
CONTENTS = (
    TEXTS | st.none() | st.lists(PARTS, max_size=3) | PARTS.filter(lambda p: isinstance(p, dict))
)

UNKNOWN = st.dictionaries(
    st.sampled_from(["x", "refusal", "0", "metadata2", "isError"]), JSON, max_size=1
)

CALLS = st.builds(
    lambda call_id, name, arguments, more: {
        **call_id, **more, "function": {**name, **arguments}
    },
    st.sampled_from([{"id": "call_1"}, {"id": "call_2"}, {"id": ""}, {}, {"id": None}]),
    st.sampled_from([{"name": "read_file"}, {"name": "self_fork"}, {"name": ""}, {}]),
    st.sampled_from([{"arguments": "{}"}, {"arguments": '{"a": 1}'}, {"arguments": '{"a'}, {"arguments": {"a": 1}}, {}]),
    st.sampled_from([{"type": "function"}, {}, {"type": "x", "index": 0}]),
) | st.just({"id": "call_1"})  # fmt: skip

METADATA = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "last_ghost_block": st.sampled_from([GHOSTS[0], {"files": [], "tools": []}]),
            "mutsumi_interaction": st.just([]) | st.deferred(lambda: st.lists(ANSWERS, max_size=2)) | JSON,
            "editable": JSON,
            "trusted": JSON,
            "msgbook": st.fixed_dictionaries(
                {},
                optional={
                    "role": st.sampled_from(["user", "system", "assistant", 1]),
                    "history": st.just("exclude"),
                    "text": JSON,
                    "agent_message": JSON,
                    "cell": JSON
                    | st.fixed_dictionaries(
                        {},
                        optional={
                            "cell_type": st.sampled_from(["code", "markdown", "raw", "x"]),
                            "source": TEXTS | JSON,
                            "id": st.sampled_from(["one", "a b", 1]),
                            "execution_count": st.none() | st.integers(),
                            "outputs": JSON | st.lists(st.none() | JSON, max_size=2),
                            "turn": JSON,
                            "attachments": JSON,
                        },
                    ),
                },
            ),
        },
    ),
    JSON,
)  # fmt: skip


def _message(role, required, optional, more):
    return {"role": role, **required, **optional, **more}


ANSWERS = st.builds(
    _message,
    st.just("assistant"),
    st.fixed_dictionaries({}, optional={"content": CONTENTS}),
    st.fixed_dictionaries(
        {},
        optional={
            "reasoning_content": TEXTS | st.none(),
            "tool_calls": st.lists(CALLS, max_size=2) | st.none(),
            "metadata": METADATA,
        },
    ),
    UNKNOWN,
) | st.builds(
    _message,
    st.just("tool"),
    st.fixed_dictionaries({}, optional={"content": CONTENTS, "tool_call_id": st.sampled_from(["call_1", "call_9", None])}),
    st.fixed_dictionaries({}, optional={"name": st.sampled_from(["read_file", "ls", None])}),
    UNKNOWN,
)  # fmt: skip

MESSAGES = ANSWERS | st.builds(
    _message,
    st.sampled_from(["user", "system"]),
    st.fixed_dictionaries({}, optional={"content": CONTENTS}),
    st.fixed_dictionaries({}, optional={"metadata": METADATA, "name": JSON}),
    UNKNOWN,
)

AGENTS = st.fixed_dictionaries(
    {},
    optional={
        "uuid": st.just("550e8400-e29b-41d4-a716-446655440000"),
        "allowed_uris": st.just(["file:///ws", "/workspace"]) | JSON,
        "macroContext": st.dictionaries(st.sampled_from(["A", "B", "1"]), TEXTS) | JSON,
        "contextItems": st.lists(
            st.sampled_from(
                [
                    {"type": "macro", "key": "ROLE", "content": "implementer"},
                    {"type": "macro", "key": "A", "content": 1},
                    {"type": "rule", "key": "x", "content": ""},
                    {"type": "file", "key": "a.py", "content": "x", "version": 1},
                ]
            )
            | JSON,
            max_size=3,
        ),
        "msgbook": JSON | st.just({"metadata": {"title": "x"}, "msgbook": {"frontmatter": "a: 1\n"}}),
        "x": JSON,
    },
)  # fmt: skip

CONTEXTS = st.builds(
    lambda metadata, messages, more: {"metadata": metadata, "context": messages, **more},
    AGENTS,
    st.lists(MESSAGES, max_size=6),
    st.dictionaries(st.sampled_from(["version", "x"]), JSON, max_size=1),
)
