"""For pytest in Jupytext's sources: our contents managers take the place of Jupytext's, as in a
Jupyter server.
"""

from __future__ import annotations

import jupytext
import with_msgbook_registered  # noqa: F401

from msgbook_format.server.contents import build_contents_manager_class

for name in ("TextFileContentsManager", "AsyncTextFileContentsManager"):
    setattr(jupytext, name, build_contents_manager_class(getattr(jupytext, name)))
