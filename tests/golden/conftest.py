"""`pytest tests/golden --write-golden` writes the records anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-golden", action="store_true", help="write the records of tests/golden anew"
    )
