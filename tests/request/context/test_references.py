"""References, resolved with scripted sources."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from msgbook.request.context.references import (
    FILE_LIMIT,
    ITEMS,
    TOTAL_LIMIT,
    ResolvedReferences,
    resolve_references,
)
from msgbook.request.context.sources import Matches, ReferencedText, SourceError
from msgbook.request.context.tags import Lines


@dataclass
class Scripted:
    """Sources with the texts of a test, which record their calls."""

    files: Mapping[str, str] = field(default_factory=dict)
    globs: Mapping[str, list[str]] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)

    async def exists(self, path: str) -> bool:
        return path in self.files

    async def read(
        self, path: str, lines: Lines | None, *, nested: bool, cell: str = ""
    ) -> ReferencedText:
        self.asked.append((path, lines, nested))
        if path not in self.files:
            raise SourceError("no such file")
        return ReferencedText(self.files[path], "prose" if path.endswith(".md") else "source")

    async def glob(self, pattern: str) -> Matches:
        return Matches(self.globs.get(pattern, []))

    async def cell(self, cell_id: str) -> ReferencedText:
        return ReferencedText(f"cell {cell_id}: {{{{A}}}} @[a.py]", "literal")

    async def python(self, name: str) -> str:
        return f"value of {name}"

    async def tool(self, name: str, arguments: str) -> ReferencedText:
        self.asked.append((name, arguments))
        if name == "missing":
            raise SourceError("there is no tool named 'missing'")
        return ReferencedText(f"{name} ran", "literal")


def resolved(
    text: str, sources: Scripted, macros: Mapping[str, str] = {}, **rules: Any
) -> ResolvedReferences:
    return asyncio.run(resolve_references(text, macros, sources, **rules))


def words(result: ResolvedReferences) -> list[str]:
    return [notice.text for notice in result.notices]


def test_items_have_the_text_of_their_tags_as_keys() -> None:
    sources = Scripted({"a.py": "x", "b c.md": "y"})

    result = resolved("@[a.py] @[b c.md:1:2] @[cell:c1] @[py:df] @a.py", sources)

    assert result.files == {
        "a.py": "x",
        "b c.md:1:2": "y",
        "cell:c1": "cell c1: {{A}} @[a.py]",
        "py:df": "value of df",
    }
    assert result.notices == []
    assert sources.asked == [("a.py", None, False), ("b c.md", Lines(1, 2), False)]


def test_a_missing_reference_is_a_notice_and_the_others_are_resolved() -> None:
    text = '@[none.py] @[a.py:0] @[py:x.y] @[missing{}] @[read{"a": }] @[open\n@[a.py]'

    result = resolved(text, Scripted({"a.py": "x"}))

    assert result.files == {"a.py": "x"}
    assert words(result) == [
        "Line 1: @[open has no closing bracket on its line.",
        "@[none.py] is not sent: no such file.",
        "@[a.py:0] is not sent: expected lines FIRST:LAST, counted from 1; got 0:0.",
        "@[py:x.y] is not sent: expected the name of a Python variable after py:.",
        "@[missing{}] is not sent: there is no tool named 'missing'.",
        '@[read{"a": }] is not sent: its arguments are not JSON: Expecting value: line 1 column 7 (char 6).',
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ":3:",
        "::3",
        ":-2:",
        ":-1",
        ":3-5",
        "#L3-L5",
        "#L3",
        ":L3",
        ":99999999999999999999",
        ": 2",
        ":1,3",
        ":1:2:3",
        ":p2",
        ":0x2",
        ":1.5",
        ":",
    ],
)
def test_lines_that_are_written_otherwise_are_told_how(lines: str) -> None:
    result = resolved(f"@[a.py{lines}]", Scripted({"a.py": "x"}))

    (notice,) = result.notices
    expected = f"@[a.py{lines}] is not sent: expected lines as in @[a.py:1:20], got {lines}."
    assert notice.text == expected


def test_a_name_that_looks_like_lines_is_a_name() -> None:
    result = resolved("@[a.py:3-5]", Scripted({"a.py": "x", "a.py:3-5": "y"}))

    assert list(result.files.values()) == ["y"]


def test_a_bare_path_counts_only_if_the_file_exists() -> None:
    result = resolved("@user @dataclass @a.py 看@b.md中的", Scripted({"a.py": "x", "b.md": "y"}))

    assert list(result.files) == ["a.py", "b.md"]
    assert result.notices == []


def test_a_glob_adds_each_file_under_its_path() -> None:
    sources = Scripted({"a.py": "x", "b.py": "y"}, {"*.py": ["a.py", "b.py", "gone.py"]})

    result = resolved("@[*.py] @[*.rs] @[b.py]", sources)

    assert result.files == {"a.py": "x", "b.py": "y"}
    assert words(result) == [
        "@[gone.py] is not sent: no such file.",
        "@[*.rs] is not sent: no file matches.",
    ]


def test_a_path_that_exists_is_no_glob() -> None:
    assert list(resolved("@[app/[id].tsx]", Scripted({"app/[id].tsx": "x"})).files) == [
        "app/[id].tsx"
    ]


def test_macros_are_expanded_in_paths_files_and_arguments() -> None:
    sources = Scripted({"src/a.py": "{{DIR}} {{NONE}}"})
    macros = {"DIR": "src", "QUOTED": 'a"b\\', "N": "5"}

    result = resolved(
        '@[{{DIR}}/a.py] @[f{"path": "{{QUOTED}}", "n": ["{{DIR}}"]}] @[f{"n": {{N}}}]',
        sources,
        macros,
    )

    assert result.files == {"src/a.py": "src {{NONE}}"}
    assert [run.args for run in result.tools] == [{"path": 'a"b\\', "n": ["src"]}, {"n": 5}]


def test_the_same_call_runs_once() -> None:
    sources = Scripted()

    result = resolved('@[f{"a": 1, "b": 2}] @[f{"b": 2, "a": 1}] @[f{"a": 2}]', sources)

    assert [run.args for run in result.tools] == [{"a": 1, "b": 2}, {"a": 2}]
    assert [json.loads(arguments) for _, arguments in sources.asked] == [{"a": 1, "b": 2}, {"a": 2}]


def test_references_inside_files_resolve_to_files_only() -> None:
    sources = Scripted(
        {
            "a.md": '@[b.md] `@[c.md]` @[shell{"command": "rm"}] @[cell:x] @[py:y] @[*.md] @d.md',
            "b.md": "@[code.py]",
            "code.py": "@[d.md]",
            "d.md": "",
        }
    )

    result = resolved("@[a.md]", sources)

    assert list(result.files) == ["a.md", "b.md", "code.py"]
    assert result.tools == []
    assert sources.asked == [("a.md", None, False), ("b.md", None, True), ("code.py", None, True)]
    assert len(words(result)) == 4
    assert all(text.startswith("a.md: @[") for text in words(result))


def test_a_circle_of_references_is_reported_with_its_path() -> None:
    sources = Scripted({"a.md": "@[b.md]", "b.md": "@[a.md] @[c.md]", "c.md": "@[c.md]"})

    result = resolved("@[a.md]", sources)

    assert list(result.files) == ["a.md", "b.md", "c.md"]
    assert words(result) == [
        "b.md: @[a.md] is not sent: the references form a circle: a.md -> b.md -> a.md.",
        "c.md: @[c.md] is not sent: the references form a circle: c.md -> c.md.",
    ]


def test_a_rule_may_refer_to_files_only() -> None:
    sources = Scripted({"a.md": "x"})

    result = resolved("", sources, rules=[("style.md", '@[a.md] @[f{"a": 1}]')])

    assert list(result.files) == ["a.md"]
    assert words(result) == [
        'style.md: @[f{"a": 1}] is not sent: a referenced file or a rule may refer to files only.'
    ]


def test_a_long_chain_ends() -> None:
    sources = Scripted({f"{n}.md": f"@[{n + 1}.md]" for n in range(1000)})

    result = resolved("@[0.md]", sources)

    assert 10 < len(result.files) < 50
    assert "files deep" in words(result)[0]


def test_a_long_item_keeps_head_and_tail() -> None:
    result = resolved("@[a.py]", Scripted({"a.py": "head" + "x" * FILE_LIMIT + "tail"}))

    assert result.files["a.py"].startswith("head")
    assert result.files["a.py"].endswith("tail")
    assert len(result.files["a.py"]) < FILE_LIMIT + 100
    assert "8 of 200008 characters" in words(result)[0]


def test_the_items_of_a_prompt_are_bounded_together() -> None:
    long = Scripted({f"{n}.py": "x" * (FILE_LIMIT - 1) for n in range(10)})
    many = Scripted({f"{n}.py": "x" for n in range(2 * ITEMS)})

    some = resolved(" ".join(f"@[{name}]" for name in long.files), long)
    first = resolved(" ".join(f"@[{name}]" for name in many.files), many)

    assert sum(map(len, some.files.values())) < TOTAL_LIMIT + 1000
    assert "@[9.py] is not sent: a prompt may have at most" in words(some)[-1]
    assert len(first.files) == ITEMS
    assert len(many.asked) == ITEMS


def test_a_hostile_file_can_ask_for_only_so_much() -> None:
    sources = Scripted({"a.md": " ".join(f"@[{n}.md]" for n in range(20_000))})

    result = resolved("@[a.md]", sources)

    assert len(sources.asked) < 2000
    assert len(result.notices) < 100


@pytest.mark.parametrize("arguments", ['{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', '{"a"}'])
def test_odd_arguments_raise_nothing(arguments: str) -> None:
    result = resolved(f"@[f{arguments}]", Scripted())

    assert len(result.tools) + len(result.notices) == 1


@pytest.mark.parametrize(
    ("prompt", "keys"),
    [
        ("@[ a.py]", [" a.py"]),
        ("@[ a.py ]", [" a.py"]),
        ("@[ a.py:1:2 ]", [" a.py:1:2"]),
        ("@[ b.py]", ["b.py"]),
        ("@[ b.py ]", ["b.py"]),
        ("@[c.py ]", ["c.py "]),
        ("@[a.py]", ["a.py"]),
        ("@[ {{D}}.py]", [" a.py"]),
        ("@[ sub/x.py]", [" sub/x.py"]),
        ("@[n.md]", ["n.md", " a.py"]),
        ("@[ cell:1]", ["cell:1"]),
        ("@[ py:x ]", ["py:x"]),
    ],
)
def test_blanks_belong_to_a_name_if_a_file_is_called_so(prompt, keys):
    names = (" a.py", "a.py", "b.py", "c.py ", " sub/x.py")
    sources = Scripted({**dict.fromkeys(names, "text"), "n.md": "@[ a.py]"})

    assert list(resolved(prompt, sources, {"D": "a"}).files) == keys


@pytest.mark.parametrize("name", ["log-12:30", "10:20:30", "a:3:1", "a:0"])
def test_a_name_may_end_as_lines_do(name):
    sources = Scripted({name: "text", "n.md": f"@[{name}]"})

    assert resolved(f"@[{name}]", sources).files == {name: "text"}
    assert resolved("@[n.md]", sources).files[name] == "text"
    assert sources.asked[0] == (name, None, False)


def test_lines_of_a_file_go_before_a_name_that_ends_so():
    sources = Scripted({"a": "text", "a:1": "other"})

    resolved("@[a:1]", sources)
    assert sources.asked == [("a", Lines(1, 1), False)]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("a.py:3:1", "lines FIRST:LAST, counted from 1; got 3:1"),
        ("a.PDF:3:1", "pages FIRST:LAST, counted from 1; got 3:1"),
        ("a.PDF:1-2", "pages as in @[a.PDF:1:20], got :1-2"),
        ("a.PDF#page=2", "pages as in @[a.PDF:1:20], got #page=2"),
        ("a.py#L2", "lines as in @[a.py:1:20], got #L2"),
    ],
)
def test_what_is_expected_of_a_range_is_lines_and_of_a_pdf_pages(tag, expected):
    sources = Scripted({"a.py": "text", "a.PDF": "text"})

    notices = resolved(f"@[{tag}]", sources).notices
    assert [one.text for one in notices] == [f"@[{tag}] is not sent: expected {expected}."]
