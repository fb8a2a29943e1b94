"""A number of a version stands for one text of a file, wherever prompts are resolved late."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from msgbook.request.context.sources import EarlierTexts

PROMPTS = st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), max_size=8)
"""Whether each prompt has a record, and the text of the file that it names."""


def context(text: str, version: int) -> dict[str, Any]:
    digest = sha256(text.encode()).hexdigest()
    return {"files": [{"key": "a.txt", "sha256": digest, "version": version}]}


def digest_of(context: dict[str, Any]) -> str:
    digest: str = context["files"][0]["sha256"]
    return digest


@given(PROMPTS)
def test_prompts_that_are_resolved_late_give_no_number_of_another_text(prompts):
    recorded = EarlierTexts()
    contexts: list[dict[str, Any] | None] = []
    for has_record, text in prompts:
        contexts.append(None)
        if has_record:
            digest = digest_of(context(text, 1))
            contexts[-1] = context(text, recorded.number_of("a.txt", digest))
            recorded.add(contexts[-1])
    above = EarlierTexts.above([found for found in contexts if found])
    texts: dict[int, str] = {}

    for found, (_, text) in zip(contexts, prompts, strict=True):
        if found is None:
            found = context(text, above.number_of("a.txt", digest_of(context(text, 1))))
            above.add(found)
        else:
            above.add_later(found)
        assert texts.setdefault(found["files"][0]["version"], digest_of(found)) == digest_of(found)


def test_a_text_that_a_later_prompt_has_gets_the_number_of_that_prompt():
    later = [context("a", 1), context("b", 2)]

    above = EarlierTexts.above(later)

    assert above.number_of("a.txt", digest_of(later[1])) == 2
    assert above.number_of("a.txt", digest_of(context("c", 1))) == 3
    above.add_later(later[0])
    above.add_later(later[1])
    assert above.number_of("a.txt", digest_of(later[0])) == 3
