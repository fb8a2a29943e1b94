"""How a page answers for its cells, as `docs/protocol.md` has it: for tests and benchmarks."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from typing import Any

Cell = dict[str, Any]


class CellsReporter:
    """Tells the cells of a notebook; those that are as the kernel knows them are only named."""

    def __init__(self) -> None:
        self._revision: str | None = None
        self._told: dict[str, str] = {}

    def answer(self, question: dict[str, Any], notebook: list[Cell]) -> dict[str, Any]:
        """The answer to a `cells.get` for one cell."""
        ids = [cell["id"] for cell in notebook]
        answer = {"type": "cells", "request_id": question["request_id"]}
        if question["cell_id"] not in ids:
            return {**answer, "cells": None}
        cells = notebook[: ids.index(question["cell_id"]) + 1]
        texts = [json.dumps(cell) for cell in cells]
        known = self._told if question.get("known") == self._revision else {}
        sent = [
            {"id": cell["id"], "unchanged": True}
            if known.get(cell["id"]) == text
            else json.loads(text)
            for cell, text in zip(cells, texts, strict=True)
        ]
        times = Counter(cell["id"] for cell in cells)
        self._told = {
            cell["id"]: text
            for cell, text in zip(cells, texts, strict=True)
            if times[cell["id"]] == 1
        }
        self._revision = uuid.uuid4().hex
        return {**answer, "cells": sent, "revision": self._revision, "metadata": {}}
