"""Macros: their definitions, the macros in force, and their expansion."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.magics.base import UsageError
from msgbook.magics.context import describe_macros
from msgbook.request.context.macros import (
    DEPTH,
    GROWTH,
    Definition,
    expand_macros,
    macros_above,
    macros_in_force,
    parse_definitions,
)
from msgbook_format.syntax import CHAT_CELLS


def cell(source: str, kind: str = "code", **ours: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {"msgbook": ours}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define API v2", {"API": "v2"}),
        ("  #define URL  https://a.b/c?d  \r\n#define N 5", {"URL": "https://a.b/c?d", "N": "5"}),
        ("#define DEBUG\nrest", {"DEBUG": ""}),
        ("#define 名字 值", {"名字": "值"}),
        ("x @{define A, v2} y @{define B, 'v 3'}", {"A": "v2", "B": "v 3"}),
        ('@{define A, {"a": {"b": 1}}} }', {"A": '{"a": {"b": 1}}'}),
        ('@{define A, "a } \\" b"}', {"A": 'a } " b'}),
        ("@{define A, x\n}", {"A": "x"}),
        ("#define A 1\n@{define A, 2}", {"A": "2"}),
        ("#define MAX(a) a", {}),
        ("`#define A 1`", {}),
        ("```c\n#define A 1\n@{define B, 2}\n```\n#define C 3", {"C": "3"}),
        ("- ~~~\n  #define A 1\n  ~~~\n", {}),
        ("text #define A 1", {}),
        ("#defined A 1", {}),
    ],
)
def test_what_defines_a_macro(text: str, expected: dict[str, str]) -> None:
    assert parse_definitions(text) == (expected, [])


def test_an_unclosed_definition_names_its_line_and_defines_nothing() -> None:
    values, problems = parse_definitions("#define A 1\n@{define B, 2\n\n}")

    assert values == {"A": "1"}
    assert [problem.line for problem in problems] == [2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v{{A}} {{A}}", "v1 1"),
        ("{{NONE}} {{ A }} {A}", "{{NONE}} {{ A }} {A}"),
        ("{{B}}", "-1-"),
        ("`{{A}}`", "`1`"),
        ("<!-- @ifdef A -->x<!-- @endif -->", "x"),
        ("<!-- @ifndef A -->x<!-- @endif -->y", "y"),
        ("a\n<!-- @ifdef A -->\nb\n<!-- @else -->\nc\n<!-- @endif -->\nd", "a\nb\nd"),
        ("<!-- @ifdef Q -->\r\nb\r\n<!-- @else -->\r\nc\r\n<!-- @endif -->\r\n", "c\r\n"),
        ("  <!-- @ifdef A --> <!-- @ifdef B -->\nx\n<!-- @endif --><!-- @endif -->", "x\n"),
        (
            "<!-- @ifdef Q -->1<!-- @ifdef A -->2<!-- @else -->3<!-- @endif -->4<!-- @endif -->5",
            "5",
        ),
        (
            "<!-- @ifdef A -->1<!-- @ifdef Q -->2<!-- @else -->3<!-- @endif -->4<!-- @endif -->5",
            "1345",
        ),
        ("<!-- @ifdef Q -->{{A}}<!-- @endif -->", ""),
        ("<!-- a comment -->", "<!-- a comment -->"),
    ],
)
def test_expansion(text: str, expected: str) -> None:
    assert expand_macros(text, {"A": "1", "B": "-{{A}}-"}) == (expected, [])


@pytest.mark.parametrize(
    ("text", "expected", "line"),
    [
        ("a\n<!-- @ifdef A -->\nb", "a\n<!-- @ifdef A -->\nb", 2),
        ("<!-- @ifdef Q -->\nb\n<!-- @else -->\nc", "<!-- @ifdef Q -->\nb\n<!-- @else -->\nc", 1),
        ("a\n\n<!-- @endif -->\n", "a\n\n<!-- @endif -->\n", 3),
        ("<!-- @else -->", "<!-- @else -->", 1),
        (
            "<!-- @ifdef A -->\nx\n<!-- @else -->\ny\n<!-- @else -->\nz\n<!-- @endif -->\n",
            "x\n",
            5,
        ),
        ("<!-- @ifdef A -->\n<!-- @ifdef B -->\nx\n<!-- @endif -->", "<!-- @ifdef A -->\nx\n", 1),
    ],
)
def test_a_directive_without_its_partner_is_named_by_its_line(
    text: str, expected: str, line: int
) -> None:
    expanded, problems = expand_macros(text, {"A": "1", "B": ""})

    assert (expanded, [problem.line for problem in problems]) == (expected, [line])


def test_a_macro_in_a_circle_stays_and_the_circle_is_named() -> None:
    expanded, problems = expand_macros(
        "1\n{{A}} {{A}} {{SELF}}", {"A": "a{{B}}", "B": "b{{A}}", "SELF": "{{SELF}}"}
    )

    assert expanded == "1\nab{{A}} ab{{A}} {{SELF}}"
    assert [(problem.line, problem.message) for problem in problems] == [
        (2, "A macro contains itself: A -> B -> A."),
        (2, "A macro contains itself: SELF -> SELF."),
    ]


def test_macros_that_double_do_not_grow_past_all_bounds() -> None:
    macros = {"A0": "x" * 10} | {f"A{n}": f"{{{{A{n - 1}}}}}" * 9 for n in range(1, 20)}

    expanded, problems = expand_macros("{{A19}}", macros)

    assert len(expanded) <= 2 * GROWTH
    assert f"more than {GROWTH} characters" in problems[0].message


def test_a_long_chain_of_macros_ends() -> None:
    macros = {f"A{n}": f"{{{{A{n + 1}}}}}" for n in range(5000)}

    expanded, problems = expand_macros("{{A0}}", macros)

    assert expanded == f"{{{{A{DEPTH}}}}}"
    assert len(problems) == 1


def test_later_definitions_take_the_place_of_earlier_ones() -> None:
    cells = [
        cell("#define A cell\n#define B cell\n#define C cell"),
        cell("#define B note", "markdown"),
    ]
    metadata = {"msgbook": {"macros": {"A": "notebook", "Z": "notebook"}}}

    values, problems = macros_in_force(metadata, cells, "#define C prompt")

    assert values == {"Z": "notebook", "A": "cell", "B": "note", "C": "prompt"}
    assert problems == []


@pytest.mark.parametrize(
    "silent",
    [
        cell("#define A 1", history="exclude"),
        cell("%%msg history=exclude\n#define A 1", history="include"),
        cell("%%msg history=none\n#define A 1"),
        cell("#define A 1", "markdown", role="assistant"),
        cell("#define A 1", "raw"),
        cell("%%python\n#define A 1"),
        {"cell_type": "code", "source": "hello", "outputs": [{"text": "#define A 1"}]},
        {"cell_type": None, "source": 3, "metadata": []},
    ],
)
def test_text_that_is_not_sent_or_is_the_models_defines_nothing(silent: dict[str, Any]) -> None:
    assert macros_in_force({}, [silent], "hello") == ({}, [])


def test_the_line_of_a_prompt_wins_over_its_metadata() -> None:
    silent = cell("%%msg history=include\n#define A 1", history="exclude")

    assert macros_in_force({}, [silent], "").values == {"A": "1"}


NOTED = {"msgbook": {"macros": {"A": "notebook", "B": "notebook"}}}


def test_a_removed_macro_is_gone_below_until_it_is_defined_again() -> None:
    cells = [cell("#define B cell"), cell("%macros -d A B NONE"), cell("#define A again")]

    assert [macros_in_force(NOTED, cells[:n], "").values for n in range(4)] == [
        {"A": "notebook", "B": "notebook"},
        {"A": "notebook", "B": "cell"},
        {},
        {"A": "again"},
    ]


def test_a_prompt_below_a_removal_defines_for_itself() -> None:
    removal = cell("%macros -d A")

    assert macros_in_force(NOTED, [removal], "#define A own").values == {
        "B": "notebook",
        "A": "own",
    }


@pytest.mark.parametrize(
    "silent",
    [
        cell("%macros"),
        cell("%macros A"),
        cell("%macros A -d"),
        cell("%macros -d"),
        cell("%macros -d A\nand more"),
        cell("%macross -d A"),
        cell("%macros -d A", history="exclude"),
        cell("%macros -d A", "markdown"),
        cell("%macros -d A", "raw"),
        cell("text %macros -d A"),
    ],
)
def test_a_line_that_is_not_a_removal_removes_nothing(silent: dict[str, Any]) -> None:
    assert macros_in_force(NOTED, [silent], "").values == {"A": "notebook", "B": "notebook"}


def test_a_removal_may_have_blank_lines_and_spaces_around_it() -> None:
    removal = {**cell(""), "source": ["\n  %macros  -d\tA ", " B\n"]}

    assert macros_in_force(NOTED, [removal], "").values == {}


def test_it_is_known_where_each_macro_comes_from() -> None:
    cells = [cell("#define C 1"), cell("#define A 2\n@{define C, 3}")]

    assert macros_above(NOTED, cells).macros == {
        "B": Definition("notebook", None),
        "A": Definition("2", 1),
        "C": Definition("3", 1),
    }


def magic(*words: str, metadata: Any = NOTED) -> str:
    cells = [cell("Hello.\n@{define LONG, x\n" + "y" * 99 + "}"), cell("#define A \u202e2")]
    return describe_macros(metadata, cells, CHAT_CELLS, words)


def test_the_magic_lists_the_macros_and_where_they_come_from() -> None:
    assert magic().splitlines() == [
        f"B     {'notebook':60}  the notebook's metadata",
        f"LONG  x {'y' * 57}…  cell 1 (Hello. @{{define LONG, x yyyyyyyyyyyyyyy…)",
        f"A     {chr(92)}u202e2{'':53}  cell 2 (#define A 2)",
    ]


def test_the_magic_reports_odd_metadata_and_no_macros() -> None:
    words = magic(metadata={"msgbook": {"macros": 3}})

    assert words.endswith("metadata.msgbook.macros: expected names and texts, got int.")
    assert "There are no macros here" in describe_macros({}, [], lambda name: True, [])


def test_the_magic_says_what_it_removes() -> None:
    assert magic("-d", "A", "B", "NONE", "A").splitlines() == [
        "Removed for the cells below: A, from cell 2 (#define A 2)",
        "Removed for the cells below: B, from the notebook's metadata",
        "There is no macro NONE here.",
    ]


@pytest.mark.parametrize("words", [["A"], ["-d"], ["A", "-d"]])
def test_the_magic_takes_no_other_words(words: list[str]) -> None:
    with pytest.raises(UsageError, match="%macros -d NAME"):
        magic(*words)


@pytest.mark.parametrize(
    "macros", [3, ["A"], {"A": 1, "a b": "x", "B": None}], ids=["number", "list", "odd values"]
)
def test_odd_metadata_is_a_problem(macros: Any) -> None:
    values, problems = macros_in_force({"msgbook": {"macros": macros}}, [], "")

    assert values == {}
    assert problems
    assert all("metadata.msgbook.macros" in problem.message for problem in problems)


pieces = st.lists(
    st.sampled_from(
        [
            "{{A}}",
            "{{B}}",
            "<!-- @ifdef A -->",
            "<!-- @ifndef B -->",
            "<!-- @else -->",
            "\n",
            "`",
            "<!-- @endif -->",
            "@{define A, ",
            "}",
            '"',
            "#define B ",
            "```\n",
            " ",
            "x",
            "\r",
        ]
    )
).map("".join)


@given(st.one_of(st.text(), pieces))
def test_no_text_raises_and_each_problem_is_in_the_text(text: str) -> None:
    values, problems = parse_definitions(text)
    expanded = expand_macros(text, values | {"A": "{{B}}", "B": text[:50]})

    lines = text.count("\n") + 1
    assert all(1 <= problem.line <= lines for problem in problems + expanded.problems)


@given(st.text(st.characters(blacklist_characters="{<")))
def test_a_text_without_uses_stays(text: str) -> None:
    assert expand_macros(text, {"A": "1"}) == (text, [])
