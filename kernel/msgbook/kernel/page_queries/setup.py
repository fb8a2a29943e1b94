"""The form that connects a model: the settings so far, a server's models, a test, and the new file.

A key comes in a buffer of the message, never in its text: Jupyter's debug logs print texts.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import Query

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


async def describe_settings(session: Session, _query: Query) -> dict[str, Any]:
    """Answer `setup.state`."""
    from msgbook.kernel import new_settings

    return await asyncio.to_thread(new_settings.describe_state, session.settings)


async def list_models(session: Session, query: Query) -> dict[str, Any]:
    """Answer `setup.models`."""
    from msgbook.kernel import new_settings

    return await new_settings.list_models(_form(query, session), session.settings)


async def test_settings(session: Session, query: Query) -> dict[str, Any]:
    """Answer `setup.test`."""
    from msgbook.kernel import new_settings

    return await new_settings.test(_form(query, session), session.settings)


async def preview_settings(session: Session, query: Query) -> dict[str, Any]:
    """Answer `setup.preview`."""
    from msgbook.kernel import new_settings

    return await asyncio.to_thread(new_settings.preview, _form(query, session), session.settings)


async def save_settings(session: Session, query: Query) -> dict[str, Any]:
    """Answer `setup.save`."""
    from msgbook.kernel import new_settings

    digest = query.text("digest")
    return await asyncio.to_thread(new_settings.save, _form(query, session), digest)


async def tour(session: Session, _query: Query) -> dict[str, Any]:
    """Answer `setup.tour`."""
    from msgbook.host import sample

    return {"text": sample("tour.msg.md")}


def _form(query: Query, session: Session) -> Any:
    from msgbook.kernel.new_settings import Form, with_session_key

    key = query.secret or ""
    names = ("name", "base_url", "key_from", "key_variable", "model", "api")
    form = Form(**{name: query.text(name).strip() for name in names}, key=key.strip())
    return with_session_key(form, session.keys.by_url)
