"""The sources of a text, as a reader is shown them, on the page and in Markdown alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cited_turn import cited
from hostile_markdown import HOSTILE, violations
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msgbook_format.turn import to_markdown

if TYPE_CHECKING:
    from renderers import Renderers


URLS = HOSTILE | HOSTILE.map("https://a.example/{}".format) | HOSTILE.map("javascript:{}".format)
ANNOTATION = st.fixed_dictionaries(
    {}, optional={"url": URLS, "title": HOSTILE, "filename": HOSTILE, "type": HOSTILE}
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=HOSTILE, annotations=st.lists(ANNOTATION, max_size=4))
def test_hostile_citations_do_nothing_in_any_renderer(
    text: str, annotations: list[Any], renderers: Renderers
) -> None:
    assert violations(to_markdown(cited(*annotations, text=text)), renderers) == {}
