"""Reading and writing of a whole document."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.document.reader import reads
    from msgbook_format.document.unsaid import (
        is_stripped,
        keep_unsaid,
        keep_unsaid_of_cells,
        says_more,
    )
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "reader": "reads",
            "unsaid": "is_stripped keep_unsaid keep_unsaid_of_cells says_more",
        },
    )
