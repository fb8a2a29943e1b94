"""What tests of `tests/approval/test_store.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgbook.approval import Trust
from msgbook.approval.store import Store
from msgbook.approval.trust import ProjectConfig

FOLDER = Path("/project")


def change_trust(store: Store, name: str) -> Callable[[], Any]:
    trust, project = Trust(store), FOLDER / name
    trust.add(ProjectConfig(project, "digest", {}))
    return lambda: trust.remove(project)
