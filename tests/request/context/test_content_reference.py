"""The `<content_reference>` element: its content, and its byte-for-byte replay."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from msgbook.request.context.content_reference import (
    ContentReference,
    ContextItems,
    ToolRun,
    append_content_reference,
    build_content_reference,
    replay_content_reference,
)


def body_of(block: str) -> dict[str, Any]:
    inner = block.removeprefix("<content_reference>\n").removesuffix("\n</content_reference>")
    assert inner != block
    body: dict[str, Any] = json.loads(inner)
    return body


def saved(context: Any) -> Any:
    """A context as a file gives it back: as JSON, its keys in another order."""
    return json.loads(json.dumps(context, sort_keys=True))


def test_a_content_reference_is_json_of_rules_files_and_tools() -> None:
    items = ContextItems(
        {"a.md": "Be brief."}, {"a.py": "x = 1\n"}, [ToolRun("read", {"path": "b"}, "B")]
    )

    block, context, blobs = build_content_reference([], items)

    assert body_of(block) == {
        "rules": [{"name": "a.md", "content": "Be brief."}],
        "files": {"a.py": "x = 1\n"},
        "tools": [{"name": "read", "args": {"path": "b"}, "result": "B"}],
    }
    digest = sha256(b"x = 1\n").hexdigest()
    assert context["files"] == [{"key": "a.py", "sha256": digest, "version": 1}]
    assert blobs[digest] == "x = 1\n"


def test_without_items_there_is_no_content_reference() -> None:
    assert build_content_reference([], ContextItems()) == ContentReference("", {}, {})
    assert append_content_reference("prompt", "") == "prompt"


def test_the_block_is_the_last_text_of_its_message() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:"}}

    assert append_content_reference("prompt", "<b>") == "prompt\n\n<b>"
    assert append_content_reference([image], "<b>") == [image, {"type": "text", "text": "<b>"}]


def test_a_file_that_has_not_changed_is_not_sent_again() -> None:
    first = build_content_reference([], ContextItems(files={"a": "one"}))
    second = build_content_reference([first.context], ContextItems(files={"a": "one", "b": "two"}))
    third = build_content_reference(
        [first.context, second.context], ContextItems(files={"a": "one"})
    )

    assert body_of(second.text)["files"] == {"a": "(unchanged: version 1 above)", "b": "two"}
    assert body_of(third.text)["files"] == {"a": "(unchanged: version 1 above)"}


def test_a_changed_file_is_sent_whole_with_the_next_version() -> None:
    first = build_content_reference([], ContextItems(files={"a": "one"}))
    second = build_content_reference([first.context], ContextItems(files={"a": "two"}))
    back = build_content_reference(
        [first.context, second.context], ContextItems(files={"a": "one"})
    )

    assert [b.context["files"][0]["version"] for b in (first, second, back)] == [1, 2, 3]
    assert body_of(back.text)["files"] == {"a": "one"}


def test_a_file_whose_text_is_no_longer_above_is_sent_whole_again() -> None:
    first = build_content_reference([], ContextItems(files={"a": "one"}))
    second = build_content_reference([first.context], ContextItems(files={"a": "one"}))

    third = build_content_reference([second.context], ContextItems(files={"a": "one"}))

    assert body_of(third.text)["files"] == {"a": "one"}
    assert third.context["files"][0]["version"] == 1


def test_a_file_whose_blob_is_gone_is_sent_whole_again() -> None:
    first = build_content_reference([], ContextItems({"r": "rule"}, {"a": "one"}))

    second = build_content_reference(
        [first.context], ContextItems({"r": "rule"}, {"a": "one"}), has_blob=lambda _: False
    )

    assert body_of(second.text) == {
        "rules": [{"name": "r", "content": "rule"}],
        "files": {"a": "one"},
        "tools": [],
    }


def dropped(context: dict[str, Any]) -> dict[str, Any]:
    return {**context, "files": [{**file, "dropped": True} for file in context["files"]]}


def test_a_dropped_file_is_named_with_its_version_and_needs_no_blob() -> None:
    first = build_content_reference([], ContextItems(files={"a": "one"}))

    block = replay_content_reference(dropped(first.context), lambda digest: None)

    assert body_of(block)["files"] == {
        "a": "(version 1 was dropped by %prune; the newest copy is kept)"
    }


def test_a_dropped_file_is_sent_whole_again_with_the_version_that_follows() -> None:
    first = build_content_reference([], ContextItems(files={"a": "one"}))
    above = [dropped(first.context)]

    same, changed = (
        build_content_reference(above, ContextItems(files={"a": text})) for text in ("one", "two")
    )

    assert (body_of(same.text)["files"], body_of(changed.text)["files"]) == (
        {"a": "one"},
        {"a": "two"},
    )
    assert [b.context["files"][0]["version"] for b in (same, changed)] == [1, 2]


def test_of_two_entries_with_one_key_the_last_counts() -> None:
    first = build_content_reference([], ContextItems(files={"a": "one"}))
    [file] = first.context["files"]
    above = [{"files": [file, {**file, "unchanged": True}]}]

    assert body_of(replay_content_reference(above[0], first.blobs.get))["files"] == {
        "a": "(unchanged: version 1 above)"
    }
    assert body_of(build_content_reference(above, ContextItems(files={"a": "one"})).text)[
        "files"
    ] == {"a": "one"}


def test_the_version_after_any_that_a_notebook_claims_can_be_saved() -> None:
    claimed = {"key": "a.py", "sha256": "0" * 64, "version": 10**4300 - 1}

    built = build_content_reference([{"files": [claimed]}], ContextItems(files={"a.py": "x"}))

    assert saved(built.context)["files"][0]["version"] == 1


def test_rules_are_sent_first_and_when_their_text_has_changed() -> None:
    first = build_content_reference([], ContextItems({"r": "v1"}))
    same = build_content_reference([first.context], ContextItems({"r": "v1"}, {"a": "x"}))
    changed = build_content_reference([first.context, same.context], ContextItems({"r": "v2"}))
    none = build_content_reference([first.context, same.context, changed.context], ContextItems())

    assert "rules" not in body_of(same.text)
    assert body_of(changed.text)["rules"] == [{"name": "r", "content": "v2"}]
    assert body_of(none.text)["rules"] == []


def test_no_text_ends_the_block() -> None:
    text = "</content_reference> </CONTENT_REFERENCE>"

    block = build_content_reference(
        [], ContextItems({"r": text}, {text: text}, [ToolRun("t", text, text)])
    ).text

    assert block.lower().count("</content_reference") == 1
    assert body_of(block)["files"] == {text: text}


def test_a_line_stands_for_a_missing_blob() -> None:
    built = build_content_reference([], ContextItems(files={"a": "one", "b": "two"}))
    digest = sha256(b"one").hexdigest()

    block = replay_content_reference(
        built.context, lambda wanted: None if wanted == digest else "two"
    )

    assert "is gone" in body_of(block)["files"]["a"]
    assert digest in body_of(block)["files"]["a"]
    assert body_of(block)["files"]["b"] == "two"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
texts = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["one", "two", "\ud800", "</content_reference>"]
)
names = st.sampled_from(["a", "b", "c"]) | st.text(max_size=3)
items = st.builds(
    ContextItems,
    rules=st.dictionaries(names, texts, max_size=2),
    files=st.dictionaries(names, texts, max_size=3),
    tools=st.lists(st.builds(ToolRun, name=names, args=json_values, result=texts), max_size=2),
)


@given(st.lists(items, max_size=5))
def test_every_block_of_a_conversation_is_replayed_byte_for_byte(turns: list[ContextItems]) -> None:
    contexts: list[Any] = []
    blobs: dict[str, str] = {}
    sent: list[str] = []
    for turn in turns:
        built = build_content_reference(contexts, turn)
        blobs |= built.blobs
        contexts.append(saved(built.context))
        sent.append(built.text)

        assert [replay_content_reference(context, blobs.get) for context in contexts] == sent


@given(st.lists(items, max_size=5), st.data())
def test_the_last_whole_text_above_is_the_current_one(turns: list[ContextItems], data: Any) -> None:
    """Also if cells are deleted."""
    contexts: list[Any] = []
    blobs: dict[str, str] = {}
    for turn in turns:
        built = build_content_reference(contexts, turn)
        blobs |= built.blobs
        contexts.append(saved(built.context))
        shown: dict[str, str] = {}
        for context in contexts:
            block = replay_content_reference(context, blobs.get)
            files = body_of(block)["files"] if block else {}
            shown |= {key: t for key, t in files.items() if not t.startswith("(unchanged: version")}
        for key, text in turn.files.items():
            assert shown[_sendable(key)] == _sendable(text)
        contexts = [context for context in contexts if data.draw(st.booleans())]


def _sendable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(
    st.dictionaries(
        st.sampled_from(["rules", "files", "tools"]),
        json_values
        | st.lists(
            st.dictionaries(
                st.sampled_from(["key", "name", "sha256", "version", "args"]), json_values
            )
        ),
    )
)
def test_odd_contexts_raise_nothing(context: dict[str, Any]) -> None:
    replay_content_reference(context, lambda digest: None)
    build_content_reference([context], ContextItems({"r": "x"}, {"a": "x"}))
