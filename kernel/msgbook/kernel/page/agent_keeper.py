"""The AgentMetadata of a notebook that a page shows: only the page can save them."""

from __future__ import annotations

from typing import Any

from msgbook.kernel.page.page_comms import PageComms
from msgbook.notebook import RequestedCell, Transcript


class AgentKeeper:
    """Lets the page that shows a running cell save new AgentMetadata.

    A page that did not tell its notebook's metadata may have others, which are not to be replaced.
    """

    def __init__(self, pages: PageComms, requested: RequestedCell) -> None:
        self._pages = pages
        self._requested = requested
        self._is_live = False

    def read(self, transcript: Transcript) -> Transcript:
        """Note where a transcript comes from, and return it."""
        self._is_live = transcript.source == "live"
        return transcript

    def keep(self, agent_metadata: dict[str, Any]) -> None:
        """Send AgentMetadata to the page that the transcript comes from, if there is one."""
        if self._is_live:
            message = {"cell_id": self._requested.cell_id, "agent_metadata": agent_metadata}
            self._pages.send_mark({"type": "agent.keep", **message}, self._requested.client_session)
