"""The models that can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `models.list`: the names that a server offers."""

    async def list_models(query: Query) -> dict[str, Any]:
        provider = query.text("provider") if query.params.get("provider") is not None else None
        return {"models": await session.offered_models(provider)}

    queries.on_query("models.list", list_models)
