"""A merge of message files: what merges, what is a conflict, and how a conflict is written."""

from __future__ import annotations

import re

import pytest
from saved_chats import QUESTION

from msgbook_format import check, reads
from msgbook_format.extras.merging import Labels, MergeError, merge_texts
from msgbook_format.extras.merging.conflicts import rename

CHAT = f"""\
---
title: Plan
agents:
  one: {{}}
---

{QUESTION}
# %% [^q2]

[^q2]: [markdown]

Line one.
Line two.
Line three.
Line four.
"""


def ids_of(text: str) -> list[str]:
    return [cell["id"] for cell in reads(text)["cells"]]


def edited(*changes: tuple[str, str], text: str = CHAT) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def merged(ours: str, theirs: str, base: str = CHAT) -> str:
    """The merge of two versions that have no conflict."""
    result = merge_texts(base, ours, theirs)
    assert result.conflicts == 0, result.text
    return result.text


def test_changes_of_different_cells_merge():
    ours = edited(("It prints a.", "It prints **a**."))
    theirs = edited(("Line one.", "The first line."))

    assert merged(ours, theirs) == edited(
        ("It prints a.", "It prints **a**."), ("Line one.", "The first line.")
    )


def test_changes_of_different_lines_of_one_cell_merge():
    ours, theirs = ("Line one.", "The first line."), ("Line four.", "The last line.")

    assert merged(edited(ours), edited(theirs)) == edited(ours, theirs)


def test_a_footnote_and_a_new_answer_of_one_cell_merge():
    ours = ("[^q1]: [markdown]", '[^q1]: [markdown] history="none"')
    theirs = ("It prints a.", "It prints b.")

    assert merged(edited(ours), edited(theirs)) == edited(ours, theirs)


def test_lines_that_both_changed_stand_between_marks_in_their_cell():
    result = merge_texts(CHAT, edited(("Line two.", "Line II.")), edited(("Line two.", "Line 2.")))

    marks = "<<<<<<< ours\nLine II.\n=======\nLine 2.\n>>>>>>> theirs"
    assert result.text == edited(("Line two.", marks))
    assert result.conflicts == 1


def test_of_two_new_answers_both_stay_whole_each_below_its_prompt():
    ours, theirs = (
        edited(("It prints a.", "It prints b.")),
        edited(("It prints a.", "It is empty.")),
    )

    result = merge_texts(CHAT, ours, theirs)

    assert result.conflicts == 1
    assert ids_of(result.text) == ["q1", "q1-conflict", "q1-theirs", "q2"]
    first, mark, second, _ = reads(result.text)["cells"]
    assert first == reads(ours)["cells"][0]
    assert mark["cell_type"] == "raw"
    assert second["source"] == first["source"]
    assert "It is empty." in second["outputs"][0]["data"]["text/markdown"]


def test_an_edited_prompt_does_not_get_the_answer_of_the_old_one():
    ours = edited(("What is in `a.py`?", "What is in `b.py`?"))
    theirs = edited(("It prints a.", "It is empty."))

    result = merge_texts(CHAT, ours, theirs)

    assert ids_of(result.text) == ["q1", "q1-conflict", "q1-theirs", "q2"]


def test_a_cell_that_one_side_deleted_and_the_other_changed_stays_with_a_conflict():
    deleted = CHAT[: CHAT.index("# %% [^q2]")].rstrip("\n") + "\n"
    changed = edited(("Line one.", "The first line."))

    for sides in ((deleted, changed), (changed, deleted)):
        result = merge_texts(CHAT, *sides)
        assert ids_of(result.text) == ["q1", "q2", "q2-conflict"]
        assert "The first line." in result.text
        assert result.conflicts == 1


def test_a_cell_that_one_side_moved_and_the_other_changed_is_moved_and_changed():
    q1, q2 = CHAT.index("# %% [^q1]"), CHAT.index("# %% [^q2]")
    moved = CHAT[:q1] + CHAT[q2:] + "\n" + CHAT[q1:q2].rstrip("\n") + "\n"

    text = merged(moved, edited(("Line one.", "The first line.")))

    assert text == edited(("Line one.", "The first line."), text=moved)


def test_cells_that_both_added_in_one_place_are_both_there_first_ours():
    ours, theirs = CHAT + "\n# %% [^o]\n\nOurs.\n", CHAT + "\n# %% [^t]\n\nTheirs.\n"

    assert merged(ours, theirs) == ours + "\n# %% [^t]\n\nTheirs.\n"


def test_a_cell_that_both_added_is_there_once():
    assert merged(*[CHAT + "\n# %%\n\nThank you.\n" + end for end in ("", "\n# %%\n\nBye.\n")]).count(
        "Thank you."
    ) == 1  # fmt: skip


def test_two_cells_that_were_given_one_id_are_a_conflict():
    ours, theirs = CHAT + "\n# %% [^q3]\n\nOurs.\n", CHAT + "\n# %% [^q3]\n\nTheirs.\n"

    result = merge_texts(CHAT, ours, theirs)

    assert result.conflicts == 1
    assert ids_of(result.text) == ["q1", "q2", "q3"]


def test_a_cell_without_a_label_is_known_again_after_an_edit():
    base = "# %%\n\nTell me a long story about a fox.\n\n# %%\n\nAnd now a short one.\n"
    ours = edited(("a fox", "a grey fox"), text=base)
    theirs = edited(("a fox.", "a fox.\n\n# %%% [^a]\n\n[^a]: [assistant]\n\nOnce."), text=base)

    result = merge_texts(base, ours, theirs)

    assert result.conflicts == 1
    assert [cell["cell_type"] for cell in reads(result.text)["cells"]] == [
        "code",
        "raw",
        "code",
        "code",
    ]


def test_keys_that_each_side_added_to_the_frontmatter_merge():
    ours, theirs = ("  one: {}", "  one: {}\n  two: {}"), ("title: Plan", "title: Plan\ndate: 1")

    assert merged(edited(ours), edited(theirs)) == edited(ours, theirs)
    assert merged(edited(ours), edited(("  one: {}", "  one: {}\n  three: {}"))) == edited(
        ("  one: {}", "  one: {}\n  two: {}\n  three: {}")
    )


def test_of_a_key_that_both_changed_ours_is_in_force_and_both_are_shown():
    result = merge_texts(CHAT, edited(("Plan", "Plan A")), edited(("Plan", "Plan B")))

    assert result.conflicts == 1
    notebook = reads(result.text)
    assert [cell["id"] for cell in notebook["cells"]] == ["frontmatter-conflict", "q1", "q2"]
    assert notebook["cells"][0]["source"].endswith(
        "<<<<<<< ours\ntitle: Plan A\n=======\ntitle: Plan B\n>>>>>>> theirs"
    )
    assert result.text.startswith("---\ntitle: Plan A\nagents:")


@pytest.mark.parametrize(
    "line",
    ["```python", "~~~", "%%msg history=none", "!ls", "%model m", "[^q2]: [raw] history=none"],
)
def test_no_mark_stands_where_it_would_change_what_a_cell_is(line):
    """A mark above `%%msg history=none` would have the message sent."""
    base = edited(("Line one.", line))
    ours, theirs = edited((line, f"{line} 1"), text=base), edited((line, f"{line} 2"), text=base)

    result = merge_texts(base, ours, theirs)

    kinds = {cell["id"]: cell["cell_type"] for cell in reads(result.text)["cells"]}
    assert kinds["q2"] == reads(ours)["cells"][1]["cell_type"]
    assert f"{line} 1" in result.text
    assert f"{line} 2" in result.text
    hidden = [f for f in check(result.text) if f.code not in {f.code for f in check(ours)}]
    assert {finding.code for finding in hidden} == {"conflict-mark"}


def test_a_cell_as_json_stays_json():
    cell = '\n# %% [^j]\n\n[^j]: [nb] encoding=json\n\n{"cell_type": "raw", "metadata": {}, "source": "s", "x": 1}\n'
    sides = [CHAT + cell.replace('"x": 1', f'"x": {value}') for value in (1, 2, 3)]

    result = merge_texts(*sides)

    assert [cell.get("x") for cell in reads(result.text)["cells"]] == [None, None, 2, None, 3]


def test_footnotes_at_the_end_of_a_file_belong_to_their_cells():
    base = "# %% [^a]\n\nOne.\n\n# %% [^b]\n\nTwo.\n\n[^a]: [markdown]\n[^b]: [raw]\n"
    ours = edited(
        ("[^b]: [raw]", "[^b]: [raw]\n[^c]: [raw]"),
        ("Two.", "Two.\n\n# %% [^c]\n\nThree."),
        text=base,
    )
    theirs = edited(("One.", "The first one."), text=base)

    text = merged(ours, theirs, base)

    assert ids_of(text) == ["a", "b", "c"]
    assert [cell["cell_type"] for cell in reads(text)["cells"]] == ["code", "raw", "raw"]


def test_the_document_of_an_ordinary_markdown_file_merges_as_lines():
    base = (
        "---\nmessage_section: Log\n---\n\n# Notes\n\nSome text.\n\n## Log\n\n### %% [^a]\n\nOne.\n"
    )
    ours = edited(("Some text.", "Other text."), text=base)
    theirs = edited(("One.", "One.\n\n### %% [^b]\n\nTwo."), text=base)

    assert merged(ours, theirs, base) == edited(
        ("Some text.", "Other text."), ("One.", "One.\n\n### %% [^b]\n\nTwo."), text=base
    )


def test_line_ends_stay():
    crlf = [
        text.replace("\n", "\r\n")
        for text in (CHAT, edited(("Line one.", "1.")), edited(("It prints", "It shows")))
    ]

    assert merged(crlf[1], crlf[2], crlf[0]) == edited(
        ("Line one.", "1."), ("It prints", "It shows")
    ).replace("\n", "\r\n")


def test_a_result_that_would_have_other_cells_than_it_should_is_refused():
    base = "---\nmessage_section: Log\n---\n\n## Log\n\n### %% [^a]\n\nOne.\n"
    # Without its heading, the section has no cells.
    ours = edited(("message_section: Log", "message_section: Other"), text=base)
    theirs = edited(("One.", "Two."), text=base)

    with pytest.raises(MergeError, match="expected 2 cells, got 0"):
        merge_texts(base, ours, theirs)


@pytest.mark.parametrize(
    ("footnote", "expected"),
    [
        ('[markdown] id="long-id" agent="a"', '[markdown] id="q-theirs" agent="a"'),
        ("[markdown] agent=a id=long-id", '[markdown] id="q-theirs" agent=a'),
        ('[raw] note="my id=5 is it" id="x"', '[raw] id="q-theirs" note="my id=5 is it"'),
        ('agent="a"', 'id="q-theirs" agent="a"'),
        ("[markdown]", '[markdown] id="q-theirs"'),
    ],
)
def test_the_second_version_of_a_cell_gets_another_id_and_keeps_its_label(footnote, expected):
    head = f"# %% Title[^q]\n\n[^q]: {footnote}"

    assert rename(head, "q-theirs") == f"# %% Title[^q]\n\n[^q]: {expected}"


def test_a_label_without_a_footnote_gets_one_for_the_new_id():
    text = rename("# %% [^q]", "q-theirs") + "\n\nHello."

    assert reads(text)["cells"][0]["id"] == "q-theirs"


def test_order_of_one_side_holds_where_the_other_moved_and_added_nothing():
    base = "".join(f"# %% [^{name}]\n\nText {name}.\n\n" for name in "abcdef")
    ours = "".join(f"# %% [^{name}]\n\nText {name}.\n\n" for name in "fxbadyc")

    text = merged(ours, edited(("Text b.", "Text B."), text=base), base)

    assert ids_of(text) == list("fxbadyc")


def test_moves_and_additions_of_both_sides_hold():
    base, ours, theirs = (
        "".join(f"# %% [^{name}]\n\nText {name}.\n\n" for name in names)
        for names in ("abcdef", "abxcdef", "fabcyde")
    )

    assert ids_of(merged(ours, theirs, base)) == list("fabxcyde")


CONFLICTING = {
    "answers": [(("prints a.", "prints b."),), (("prints a.", "prints c."),)],
    "deleted": [
        (("prints a.", "prints b."),),
        ((CHAT[CHAT.index("# %% [^q1]") : CHAT.index("# %% [^q2]")], ""),),
    ],
    "frontmatter": [(("title: Plan", "title: A"),), (("title: Plan", "title: B"),)],
    "lines": [(("Line two", "Line 2"),), (("Line two", "Line II"),)],
}


@pytest.mark.parametrize("name", CONFLICTING)
@pytest.mark.parametrize("swap", [False, True])
def test_branches_that_solved_a_conflict_differently_are_in_conflict_again(name, swap):
    """git then merges with a common ancestor that is itself a merge with that conflict."""
    ours, theirs = (edited(*changes) for changes in CONFLICTING[name])
    ancestor = merge_texts(CHAT, *((theirs, ours) if swap else (ours, theirs)), Labels(size=9))

    result = merge_texts(ancestor.text, ours, theirs)

    first = merge_texts(CHAT, ours, theirs)
    assert first.conflicts == result.conflicts == 1
    # The ids of the ancestor's own conflict are taken.
    assert re.sub(r"(-conflict|-theirs)-2", r"\1", result.text) == first.text


@pytest.mark.parametrize("swap", [False, True])
def test_what_one_branch_changed_after_both_solved_a_conflict_alike_merges(swap):
    sides = [edited(*changes) for changes in CONFLICTING["answers"]]
    ancestor = merge_texts(CHAT, *sides, Labels(size=9)).text
    solved = sides[0]
    changed = edited(("Line one", "Line 1"), text=solved)

    assert merged(*((solved, changed) if swap else (changed, solved)), ancestor) == changed
