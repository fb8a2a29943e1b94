"""Messages of other programs, which stay text: what looks like a reference in one is not followed.

Its cell carries the digest of its source. Once its reader has changed the source, it is the reader's own.
"""

from __future__ import annotations

from hashlib import sha256

from msgbook.notebook.cells import Cell, metadata_of, source_of
from msgbook.text import repair_surrogates

IMPORTED_TEXT = "imported_text"
"""Key of `metadata.msgbook` of such a cell."""


def imported_digest(source: str) -> str:
    """Return the value of the key for a source."""
    return sha256(repair_surrogates(source).encode()).hexdigest()[:16]


def is_imported(cell: Cell | None) -> bool:
    """Return whether a cell is a message of another program, unchanged."""
    mark = metadata_of(cell).get(IMPORTED_TEXT) if cell else None
    return mark is not None and cell is not None and mark == imported_digest(source_of(cell))
