"""The form that connects a model: the settings so far, a server's models, a test, and the new file.

A key comes in a buffer of the message, never in its text: Jupyter's debug logs print texts.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `setup.state`, `setup.models`, `setup.test`, `setup.preview`, `setup.save` and `setup.tour`."""

    async def state(_query: Query) -> dict[str, Any]:
        from msgbook.kernel import new_settings

        return await asyncio.to_thread(new_settings.describe_state, session.settings)

    async def models(query: Query) -> dict[str, Any]:
        from msgbook.kernel import new_settings

        return await new_settings.list_models(_form(query, session), session.settings)

    async def test(query: Query) -> dict[str, Any]:
        from msgbook.kernel import new_settings

        return await new_settings.test(_form(query, session), session.settings)

    async def preview(query: Query) -> dict[str, Any]:
        from msgbook.kernel import new_settings

        return await asyncio.to_thread(
            new_settings.preview, _form(query, session), session.settings
        )

    async def save(query: Query) -> dict[str, Any]:
        from msgbook.kernel import new_settings

        digest = query.text("digest")
        return await asyncio.to_thread(new_settings.save, _form(query, session), digest)

    async def tour(_query: Query) -> dict[str, Any]:
        from msgbook.host import tour_text

        return {"text": tour_text()}

    for handler in (state, models, test, preview, save, tour):
        queries.on_query(f"setup.{handler.__name__}", handler)


def _form(query: Query, session: Session) -> Any:
    from msgbook.kernel.new_settings import with_session_key
    from msgbook.kernel.setup_form import Form

    key = query.secret or ""
    names = ("name", "base_url", "key_from", "key_variable", "model", "api")
    form = Form(**{name: query.text(name).strip() for name in names}, key=key.strip())
    return with_session_key(form, session.keys.by_url)
