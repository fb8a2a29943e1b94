"""What two requests share, and which cell broke it."""

from __future__ import annotations

import pytest
from history_cells import note, prompt, says

from msgbook.magics.context import compare_requests
from msgbook.messages import encode
from msgbook.request.history import Reader, View
from msgbook.request.history.request import SentRequest, shared_prefix


def cell(name, answer="A", **metadata):
    return prompt(f"Prompt {name}", says(answer), **metadata) | {"id": name}


def sent(*cells, system="s", model="m", agent="assistant", tools=()):
    view = View(agent, system)
    reader = Reader()
    source = cells[-1]["source"]
    request = reader.read(cells[:-1], view).with_prompt(
        reader.prompt_message(source, {}, view), len(cells) - 1
    )
    return SentRequest(request, cells, model, agent, tools)


def shared(one, other):
    return shared_prefix(one.request, other.request)


def test_an_unedited_notebook_shares_all_of_the_earlier_request():
    one, two = sent(cell("a"), cell("b")), sent(cell("a"), cell("b"), cell("c"))

    found = shared(one, two)
    assert not found.is_broken
    assert found.messages == len(one.request.messages)
    assert found.bytes == sum(len(encode(m)) for m in one.request.messages)
    assert found.total == sum(len(encode(m)) for m in two.request.messages)


def test_the_magic_says_how_much_is_the_same_as_before():
    one, two = sent(cell("a")), sent(cell("a"), cell("b"))
    found = shared(one, two)

    said = compare_requests([one, two])

    assert said.startswith(
        f"The last request had {found.total:,} bytes of messages. The first {found.bytes:,} of them "
        f"({found.share:.1%}) are the same as in the request before."
    )


def test_an_edit_is_found_by_byte_and_by_cell():
    one = sent(cell("a"), cell("b"), cell("c"))
    two = sent(cell("a"), cell("b", "Another"), cell("c"), cell("d"))

    found = shared(one, two)
    assert found.is_broken
    assert (found.before, found.after) == (1, 1)
    same = one.request.messages[: found.messages]
    assert found.bytes == sum(len(encode(m)) for m in same) + len(b'{"content":"A')
    assert 0 < found.share < 1


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("ab", "abc", "Nothing broke the cache"),
        ("abc", "a", "Nothing broke the cache"),
        ("abc", "acd", "cell 2 (Prompt b): it was deleted"),
        ("abc", "anbcd", "cell 2 (Prompt n): it was inserted"),
        ("abcd", "acbde", "cell 2 (Prompt b): it was moved or left out. cell 2 (Prompt c) is"),
        ("abc", "aBcd", "cell 2 (Prompt b): it was edited, was run again, or"),
    ],
)
def test_the_magic_names_the_cell(before, after, words):
    def cells(names):
        return [cell(n.lower(), "B" if n.isupper() else "A") for n in names]

    assert words in compare_requests([sent(cell("z")), sent(*cells(before)), sent(*cells(after))])


def test_the_magic_names_an_excluded_cell():
    one = sent(cell("a"), cell("b"), cell("c"))
    two = sent(cell("a"), cell("b", history="exclude"), cell("c"), cell("d"))

    assert "cell 2 (Prompt b): it was moved or left out" in compare_requests([one, two])


def test_the_magic_names_what_is_no_cell():
    cells = [cell("a"), cell("b")]

    assert "the system message" in compare_requests([sent(*cells), sent(*cells, system="t")])
    assert "The model changed (m, then n)" in compare_requests(
        [sent(*cells), sent(*cells, model="n")]
    )
    changed = compare_requests([sent(*cells), sent(*cells, cell("c"), agent="critic")])
    assert "The agent changed (assistant, then critic)" in changed
    assert "edited" not in changed
    assert "The tools changed" in compare_requests(
        [sent(*cells), sent(*cells, tools=[{"type": "function"}])]
    )


def test_without_ids_places_tell_cells_apart():
    one = [prompt("Q"), note("n"), prompt("R")]
    two = [prompt("Q", says("A")), note("other"), prompt("R")]

    assert "cell 2 (other): it was edited" in compare_requests(
        [sent(one[0], *one[1:]), sent(one[0], *two[1:])]
    )


def test_the_magic_needs_two_turns():
    assert "two turns" in compare_requests([])
    assert "two turns" in compare_requests([sent(cell("a"))])
