"""Ids, random digits and times that are saved in files, from one source, so that a cassette can repeat them."""

from __future__ import annotations

import secrets
import uuid
from datetime import UTC, datetime


class Ids:
    """Makes everything random or dated that is saved in a file."""

    def new_token(self, size: int) -> str:
        """Return random hex digits.

        Args:
            size: Number of bytes; each is two digits.
        """
        return secrets.token_hex(size)

    def new_uuid(self) -> str:
        """Return a random UUID with hyphens."""
        return str(uuid.uuid4())

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)
