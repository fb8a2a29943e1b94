"""Completion and inspection while a turn runs, when a page's ordinary requests would wait."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.kernel.assist.assistant import Assistant


def answer_assist(
    queries: PageQueries, assistant: Assistant, is_msgbook_cell: Callable[[str], bool]
) -> None:
    """Answer `assist.complete` and `assist.inspect` for prompts and msgbook's magics."""

    def answering(
        assist: Callable[[str, int], Awaitable[dict[str, Any]]],
    ) -> Callable[[Query], Awaitable[dict[str, Any]]]:
        async def answer(query: Query) -> dict[str, Any]:
            code, cursor = query.text("code"), query.params.get("cursor_pos")
            if type(cursor) is not int or cursor < 0:
                raise QueryError("`cursor_pos` has to be a position in `code`.")
            if not is_msgbook_cell(code):
                raise QueryError("This cell is Python, which ordinary requests complete.")
            # JupyterLab asks for previews behind the end, also in ordinary requests.
            return await assist(code, min(cursor, len(code)))

        return answer

    queries.on_query("assist.complete", answering(assistant.complete))
    queries.on_query("assist.inspect", answering(assistant.inspect))
