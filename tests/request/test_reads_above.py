"""What the messages above may have read for one request is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from msgbook.approval import Roots
from msgbook.request.reference_sources import ReadLimitError, ReadsAbove
from msgbook_format.syntax import CHAT_CELLS


def test_documents_that_take_too_long_together_are_not_read_further(tmp_path: Path) -> None:
    reads = ReadsAbove(Roots(tmp_path), CHAT_CELLS, str)

    for _ in range(2):
        reads.count_read()
        reads.count_seconds(20)

    with pytest.raises(ReadLimitError, match="takes too long"):
        reads.count_read()
