"""The name by which pytest loads its plug-in, which is an extra. pytest loads it at each start, so it imports little."""

from msgbook.extras.pytest_plugin import pytest_addoption, pytest_collect_file

__all__ = ["pytest_addoption", "pytest_collect_file"]
