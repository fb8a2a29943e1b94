"""One cell of a message file: its head, body, id, attachments and metadata."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.cells.cell import Claim, resolve_ids
    from msgbook_format.cells.code import is_code
else:
    __getattr__ = lazy_names(__name__)
