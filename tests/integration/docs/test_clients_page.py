"""docs/clients.md: what it configures for programs that are no dependencies here."""

from __future__ import annotations

import json

from fences import Fence


def test_nbdime_is_told_to_leave_out_what_a_run_adds(fences: list[Fence], run_notebook) -> None:
    (fence,) = fences
    ((path, keys),) = json.loads(fence.body)["Diff"]["Ignore"].items()
    (cell,) = run_notebook("%%python\n1 + 1")

    assert path == "/cells/*/metadata"
    assert keys == ["execution"]
    assert "iopub.execute_input" in cell["metadata"]["execution"]
