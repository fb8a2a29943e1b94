"""`jupyter execute` runs this file when it starts, and so learns to run message files."""

import os
from contextlib import suppress

# A Jupyter of another environment may read this file, too, and has no msgbook.
with suppress(ModuleNotFoundError):
    if os.environ.get("MSGBOOK_NO_AUTOLOAD", "0") in ("", "0"):
        from msgbook_format.stock_tools import teach_execute

        teach_execute()
