"""What of a file cannot be read, while the rest of it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgbook.errors import MsgbookError

_T = TypeVar("_T")


class TooMuchError(MsgbookError):
    """All that is read is more than may be read. It is no part's error, and ends the reading."""


class Unread:
    """Collects the errors of parts that stand for themselves: a chat, a line, a file of an export.

    Attributes:
        reasons: One for each part; they name the place.
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self._where = ""

    def within(self, where: str) -> None:
        """Name the file that the next parts are of."""
        self._where = f"{where}: " if where else ""

    def add(self, error: MsgbookError) -> None:
        """Add the error of a part."""
        self.reasons.append(f"{self._where}{error}")

    def read(self, part: Callable[[], _T]) -> list[_T]:
        """Return what a part holds, as the only item; nothing if it cannot be read.

        Raises:
            TooMuchError: The part is beyond what may be read of all.
        """
        try:
            return [part()]
        except TooMuchError:
            raise
        except MsgbookError as error:
            self.add(error)
        except RecursionError:
            self.add(MsgbookError("it is nested too deep"))
        return []
