from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from renderers import Lab, Renderers, commonmark, nbconvert

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def renderers() -> Iterator[Renderers]:
    """Name -> Markdown to HTML. JupyterLab's is there when the extension's packages are."""
    found: Renderers = {"nbconvert": nbconvert, "commonmark": commonmark}
    lab = Lab() if Lab.available() else None
    if lab is not None:
        found["lab"] = lab
    yield found
    if lab is not None:
        lab.close()
