"""A notebook that replaces a text: what only the text holds is looked for where it can be missing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from msgbook_format import reads, writes
from msgbook_format.document import lacks_metadata_of, restore_metadata
from msgbook_format.jupytext_plugin.conversion import keep_parts_of_text

AGENT = {"uuid": "0" * 32, "name": "chat", "allowed_uris": []}

TOPS = st.fixed_dictionaries(
    {},
    optional={
        "frontmatter": st.sampled_from(["topic: a\n", "message_section: Log\n", "# mine\n"]),
        "agent_metadata": st.just(AGENT),
        "macros": st.just({"NAME": "value"}),
        "document": st.just("# Above\n\n## Log\n"),
    },
)


def notebook(ours: dict[str, Any]) -> dict[str, Any]:
    found = reads("# %% [^a]\n\n[^a]: [markdown]\n\nHello\n")
    return {**found, "metadata": {**found["metadata"], **({"msgbook": ours} if ours else {})}}


@given(TOPS, st.sets(st.sampled_from(["frontmatter", "agent_metadata", "macros", "document"])))
def test_a_text_is_read_whenever_it_gives_something_back(ours, lost):
    text = writes(notebook(ours))
    present = reads(text)
    kept = {
        key: value
        for key, value in present["metadata"].get("msgbook", {}).items()
        if key not in lost and key != "text"
    }
    left = notebook(kept)

    restored = restore_metadata(left, present)

    gained = restored["metadata"].get("msgbook", {}).keys() - {"text"} - kept.keys()
    assert lacks_metadata_of(left, text) or not gained


@given(TOPS.filter(bool))
def test_a_text_whose_top_the_notebook_has_is_not_read(ours):
    text = writes(notebook(ours))
    whole = notebook(reads(text)["metadata"].get("msgbook", {}))

    assert keep_parts_of_text(whole, text, whole_file=True, cells=False) is whole
