"""Message files in nbconvert's own exporters and in `jupyter execute`.

Neither has an interface for further formats: nbconvert parses what an exporter's `from_file` gets as
JSON, and `jupyter execute` replaces the ending of each name by `.ipynb`. So one function of each is
replaced, as soon as its module is imported. For all other files it calls the original.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.stock_tools.execution import teach_execute
    from msgbook_format.stock_tools.exporting import (
        describe_problem,
        named_resources,
        teach_nbconvert,
    )
else:
    __getattr__ = lazy_names(__name__)
