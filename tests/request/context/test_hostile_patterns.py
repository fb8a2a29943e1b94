"""Patterns and names that a project made up to keep the kernel busy for hours.

What holds the interpreter's lock cannot be interrupted, so these tests end, or the run times out.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.approval import Roots
from msgbook.kernel.assist.complete import complete
from msgbook.kernel.assist.prompt_scope import PromptScope
from msgbook.request.context.files import FileSources
from msgbook.request.context.tags import find_images
from msgbook.tools.files import matcher

LONG = "a" * 255


@pytest.mark.parametrize(
    "line", ["*a*a*a/*a*a*b", "**/a/" * 7 + "b", "*a*a*a*b", "*a*b/" * 10 + "c"]
)
def test_no_line_of_a_gitignore_holds_the_kernel_up(tmp_path: Path, line: str) -> None:
    (tmp_path / ".gitignore").write_text(f"{line}\nhidden.py\n")
    deep = tmp_path / LONG / LONG / Path(*["a"] * 40)
    deep.mkdir(parents=True)
    (deep / "x.py").write_text("x")
    (tmp_path / "hidden.py").write_text("h")

    found = asyncio.run(FileSources(Roots(tmp_path)).glob("**/*.py"))

    assert found.paths == [str((deep / "x.py").relative_to(tmp_path))]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/a/" * 40 + "b", "a/" * 2000 + "c"),
        ("*a" * 80 + "b", LONG),
        ("*a*a*a/*a*a*b", f"{LONG}/{LONG}"),
        ("**/*a*a*b/**/*a*a*b/x", f"{LONG}/" * 16),
    ],
)
def test_no_glob_holds_the_kernel_up(pattern: str, path: str) -> None:
    assert not matcher(pattern)(path)


def by_the_book(pattern: str, path: str) -> bool:
    """A glob as its definition has it, trying all there is."""
    head, _, tail = pattern.partition("/")
    if head == "**":
        rests = [path[at:] for at in (0, *(m.end() for m in re.finditer("/", path)))]
        return not tail or any(by_the_book(tail, rest) for rest in rests)
    name, slash, rest = path.partition("/")
    fits = re.fullmatch(
        "".join({"*": ".*", "?": "."}.get(one, re.escape(one)) for one in head), name
    )
    if not fits or bool(slash) != bool(tail):
        return False
    return by_the_book(tail, rest) if tail else True


NAMES = st.text("ab", min_size=1, max_size=4)
GLOBS = st.one_of(st.just("**"), st.text("ab*?", min_size=1, max_size=5).filter("**".__ne__))


@given(st.lists(GLOBS, min_size=1, max_size=5), st.lists(NAMES, min_size=1, max_size=5))
def test_a_glob_matches_what_its_definition_says(pattern: list[str], path: list[str]) -> None:
    expected = by_the_book("/".join(pattern), "/".join(path))

    assert matcher("/".join(pattern))("/".join(path)) == expected


def test_blanks_in_the_target_of_an_image_cost_no_more_than_others() -> None:
    (image,) = find_images(f"![a](x{' ' * 1_000_000}y)")

    assert image.target.startswith("x ")
    assert [one.target for one in find_images('![a](b c.png "t")')] == ["b c.png"]


def test_blanks_behind_a_magic_cost_completion_no_more_than_others() -> None:
    code = f"%model{' ' * 1_000_000}\n"

    assert complete(code, len(code), PromptScope(Roots(Path()))).found == []
