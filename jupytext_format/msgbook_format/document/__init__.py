"""Reading and writing of a whole document."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.document.notebook_metadata import (
        is_stripped,
        lacks_metadata_of,
        restore_metadata,
        restore_metadata_of_cells,
    )
    from msgbook_format.document.reader import reads, reads_metadata
else:
    __getattr__ = lazy_names(__name__)
