from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from hostile_markdown import HOSTILE, violations
from hypothesis import HealthCheck, given, settings
from renderers import Page, commonmark

from msgbook_format.turn import safe_markdown

if TYPE_CHECKING:
    from renderers import Renderers

FIXTURES = Path(__file__).parents[4] / "tests" / "format" / "turn" / "fixtures"
SEPARATOR = "\n=====\n"


def fixtures(name: str) -> list[str]:
    return (FIXTURES / name).read_text(encoding="utf-8").strip("\n").split(SEPARATOR)


@pytest.mark.parametrize("text", fixtures("hostile.md"), ids=lambda text: repr(text[:40]))
def test_hostile_text_does_nothing_in_any_renderer(text: str, renderers: Renderers) -> None:
    assert violations(safe_markdown(text), renderers) == {}


@pytest.mark.parametrize("text", fixtures("hostile.md"), ids=lambda text: repr(text[:40]))
def test_each_hostile_fixture_would_do_something_unless_made_safe(
    text: str, renderers: Renderers
) -> None:
    assert violations(text, renderers)


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=HOSTILE)
def test_any_text_does_nothing_in_any_renderer(text: str, renderers: Renderers) -> None:
    assert violations(safe_markdown(text), renderers) == {}


@pytest.mark.parametrize("text", fixtures("benign.md"), ids=lambda text: repr(text[:40]))
def test_a_reader_sees_the_same_words_code_and_links(text: str, renderers: Renderers) -> None:
    expected = Page(commonmark(text, html=False))
    seen = Page(commonmark(safe_markdown(text)))
    assert seen.text == expected.text
    assert seen.code == expected.code
    assert [unquote(link) for link in seen.links] == [unquote(link) for link in expected.links]


@pytest.mark.parametrize("text", fixtures("benign.md"), ids=lambda text: repr(text[:40]))
def test_every_renderer_shows_the_code_of_a_benign_text(text: str, renderers: Renderers) -> None:
    expected = Page(commonmark(text, html=False)).code
    for render in renderers.values():
        assert Page(render(safe_markdown(text))).code == expected
