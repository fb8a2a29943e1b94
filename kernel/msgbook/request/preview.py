"""A request as it would be sent: what a preview shows."""

from __future__ import annotations

from dataclasses import dataclass

from msgbook.provider import Request
from msgbook.request.builder import PreparedRequest
from msgbook.request.services import UNKNOWN_MODEL


@dataclass(frozen=True, slots=True)
class Preview:
    """A request that has not been sent."""

    source: str
    """Source of the prompt's cell."""
    prepared: PreparedRequest
    body: Request
    """The request without the options that its server is known to refuse."""
    notices: tuple[str, ...]
    """Notices that the turn would show before its first model call."""

    @property
    def model(self) -> str | None:
        """None where the server would have to be asked for its models."""
        return None if self.body.model == UNKNOWN_MODEL else self.body.model
