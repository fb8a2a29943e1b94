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
        self._told: dict[str, dict[str, str | None]] = {}

    def answer(self, question: dict[str, Any], notebook: list[Cell]) -> dict[str, Any]:
        """The answer to a `cells.get` for one cell."""
        ids = [cell["id"] for cell in notebook]
        answer = {"type": "cells", "request_id": question["request_id"]}
        if question["cell_id"] not in ids:
            return {**answer, "cells": None}
        through = ids.index(question["cell_id"]) + 1
        texts = [json.dumps(cell) for cell in notebook[:through]]
        since = question.get("known")
        known = self._told.get(since, {})
        sent = [
            {"id": cell_id, "unchanged": True} if known.get(cell_id) == text else json.loads(text)
            for cell_id, text in zip(ids, texts, strict=False)
        ]
        below = [known.get(cell_id) for cell_id in ids[through:]]
        times = Counter(ids)
        revision = uuid.uuid4().hex
        self._told[revision] = {
            cell_id: text if times[cell_id] == 1 else None
            for cell_id, text in zip(ids, texts + below, strict=True)
        }
        named = {"since": since} if since in self._told else {}
        return {**answer, "cells": sent, "revision": revision, **named, "metadata": {}}
