"""Reference tags of a text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.request.context.tags import Lines, Reference, TagError, find_tags, is_glob, parse_tag


def texts(text: str) -> list[str]:
    return [tag.text for tag in find_tags(text).tags]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look at @[a.py], please", ["a.py"]),
        ("@[a b.py] @[ c.py ]", ["a b.py", "c.py"]),
        ("@[app/[id]/[[...slug]]/page.tsx:3]", ["app/[id]/[[...slug]]/page.tsx:3"]),
        ("@[src/{a,b}/*.py]", ["src/{a,b}/*.py"]),
        ("[@[a.py]](x)", ["a.py"]),
        ("@[] @[ ]", []),
        ("\\@[a.py] @[b.py]", ["b.py"]),
        ("`@[a.py]` ``@[b`c]`` @[d.py]", ["d.py"]),
        ("a ` b\n\n@[a.py] `", ["a.py"]),
        ("```\n@[a.py]\n```\n@[b.py]\n~~~\n@[c.py]", ["b.py"]),
        ("> ```\n> @[a.py]\n> ```\n", []),
        ("    @[indented.py]", ["indented.py"]),
        ("@src/a.py, @b.md. (@c.py) @d/", ["src/a.py", "b.md", "c.py", "d/"]),
        ("@a.py:1:20: see", ["a.py:1:20"]),
        ("me@example.org, a.b@c.de", []),
        ("`@property` @user", ["user"]),
        ("看@rules/a.md。", ["rules/a.md"]),
    ],
)
def test_tags_of_a_text(text: str, expected: list[str]) -> None:
    found = find_tags(text)

    assert [tag.text for tag in found.tags] == expected
    assert found.problems == []


def test_a_bare_tag_may_end_where_chinese_goes_on() -> None:
    (tag,) = find_tags("请看@rules/a.md中的配置").tags

    assert tag.is_bare
    assert tag.spellings == ("rules/a.md中的配置", "rules/a.md")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"pattern": "a]b"},
        {"pattern": "[a", "path": "x}y"},
        {"deep": {"list": [1, [2, {"three": "}]"}]]}},
        {"command": 'echo "@[a.py]" `date` \\'},
        {"text": "two\nlines, 中文, \u2028"},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_the_arguments_of_a_tool_are_json_to_its_end(
    arguments: dict[str, object], indent: int | None
) -> None:
    written = json.dumps(arguments, indent=indent)

    (tag, other) = find_tags(f"run @[grep{written}] and @[b.py]").tags

    assert (tag.tool, json.loads(tag.arguments)) == ("grep", arguments)
    assert other.text == "b.py"


def test_arguments_may_hold_macros_that_are_no_json() -> None:
    (tag,) = find_tags('@[read{"path": "{{P}}", "start": {{N}}}]').tags

    assert tag.arguments == '{"path": "{{P}}", "start": {{N}}}'


@pytest.mark.parametrize("text", ["@[a{b}.txt]", "@[{{FILE}}]", "@[x{{N}}]", '@[src/f{"a"}]'])
def test_braces_alone_make_no_tool(text: str) -> None:
    assert [tag.tool for tag in find_tags(text).tags] == [""]


@pytest.mark.parametrize("text", ["1\n@[a.py", "1\n@[a\n]", '1\n@[read{"a": "b', "1\n@[a [b]"])
def test_an_unclosed_tag_is_text_and_a_problem_with_its_line(text: str) -> None:
    found = find_tags(text)

    assert [problem.line for problem in found.problems] == [2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.py", Reference("path", "a.py")),
        ("a.py:10", Reference("path", "a.py", Lines(10, 10))),
        ("a.py:10:20", Reference("path", "a.py", Lines(10, 20))),
        ("C:/x:1:2", Reference("path", "C:/x", Lines(1, 2))),
        ("C:/x", Reference("path", "C:/x")),
        ("a:1:2:3", Reference("path", "a:1", Lines(2, 3))),
        ("dir/", Reference("path", "dir/")),
        ("cell:abc-1", Reference("cell", "abc-1")),
        ("py:df", Reference("python", "df")),
        (":5", Reference("path", ":5")),
    ],
)
def test_what_a_tag_means(text: str, expected: Reference) -> None:
    assert parse_tag(text) == expected


@pytest.mark.parametrize("text", ["a.py:0", "a.py:5:4", "cell:", "py:a.b", "py:f()", "py:"])
def test_an_invalid_tag_is_an_error(text: str) -> None:
    with pytest.raises(TagError):
        parse_tag(text)


def test_what_may_be_a_glob() -> None:
    assert all(map(is_glob, ["*.py", "a?", "[ab].py", "{a,b}.py", "src/**/x"]))
    assert not any(map(is_glob, ["a.py", "a{b}", "[", "a]"]))


pieces = st.lists(
    st.sampled_from(
        ["@[", "@", "]", "[", "`", "```\n", '"', "{", "}", "x", ":1", "\n", "\\", '@[f{"']
    )
).map("".join)


@given(st.one_of(st.text(), pieces))
def test_no_text_raises_and_tags_are_at_their_positions(text: str) -> None:
    found = find_tags(text)

    for tag in found.tags:
        assert text[tag.start] == "@"
        assert tag.tool or tag.text in text[tag.start :]


@given(st.text(st.characters(blacklist_characters="`~@\\[]\r\n", blacklist_categories=["Cs"])))
def test_a_path_in_brackets_is_found_in_any_prose(prose: str) -> None:
    assert texts(f"{prose}\n@[a.py]\n{prose}") == ["a.py"]


@pytest.mark.parametrize("piece", ["@[", '@[x{"', '@[x{"@[x{":1,', "@[a", "`", "@[x{", "[", "@a "])
def test_hostile_texts_take_time_that_grows_with_their_length(piece: str) -> None:
    """With the square of it this would take hours, and the test run would end it."""
    find_tags(piece * 30_000)
