"""Footnotes that are not below their markers."""

from __future__ import annotations

import pytest

from msgbook_format.document.reader import reads


@pytest.mark.parametrize(
    ("end", "closes"),
    [("```", True), ("```` \t", True), ("``` a", False), ("```\u00a0", False), ("```\f", False)],
)
def test_only_a_closed_fence_keeps_a_definition_from_its_marker(end, closes):
    text = f"# %% [^a]\n\nHidden.\n\n# %% [^b]\n\n```\n[^a]: [raw]\n{end}\n"

    first, _ = reads(text)["cells"]

    assert first["cell_type"] == ("code" if closes else "raw")
