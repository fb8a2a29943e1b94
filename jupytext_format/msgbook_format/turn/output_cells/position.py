"""Position of a block in its turn: step, label and call that follow from the order of blocks."""

from __future__ import annotations

_NUMBERED = frozenset(("text", "reasoning"))


class BlockPosition:
    """Step, number and answered call of the next block.

    Reader and writer go through the same blocks with it. What follows from the order of the blocks
    is not written.
    """

    __slots__ = (
        "base",
        "calls",
        "is_answered",
        "labels",
        "last_call",
        "number",
        "numbers",
        "results",
        "step",
    )

    def __init__(self, base: str) -> None:
        """Start below the prompt with the label `base`."""
        self.base = base
        self.step = 1
        self.is_answered = False
        """True after a tool result, which ends a step."""
        self.number = 0
        self.numbers: dict[int | None, int] = {}
        self.calls: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.results: dict[str, int] = {}
        self.last_call: str | None = None

    def expected_step(self, block_type: str) -> int | None:
        """Return the step of the next block if the text names none; None if it has no step."""
        if block_type in ("notice", "error"):
            return None
        return self.step + 1 if self.is_answered and block_type != "tool_result" else self.step

    def move_past(self, block_type: str, step: int | None) -> None:
        """Continue after a block with this step."""
        if block_type not in ("notice", "error") and step is not None:
            self.step = step
            self.is_answered = block_type == "tool_result"

    def next_label(self, block_type: str, step: int | None) -> str:
        """Return the label of a block that takes a number of its own."""
        self.number += 1
        if block_type in _NUMBERED:
            self.numbers[step] = self.number
        return f"{self.base}-{self.number}"

    def call_label(self, step: int, nonce: str) -> str:
        """Return the label of a call: the number of its step's latest text or reasoning, or a new one."""
        if step not in self.numbers:
            self.number += 1
            self.numbers[step] = self.number
        return f"{self.base}-{self.numbers[step]}.{nonce}"

    def result_label(self, call_id: str) -> str:
        """Return the label of a further result of a call."""
        label = self.labels.get(call_id, f"{self.base}-{max(self.number, 1)}.r")
        self.results[label] = self.results.get(label, 0) + 1
        return f"{label}.{self.results[label]}"

    def add_call(self, label: str, call_id: str) -> None:
        """Remember the label of a call."""
        self.calls[label] = call_id
        self.labels[call_id] = label
        self.last_call = call_id

    def answered_call(self, label: str) -> str:
        """Return the id of the call that a result answers; without any call, the label itself."""
        call_id = self.calls.get(label.rpartition(".")[0]) or self.last_call
        return label if call_id is None else call_id
