"""Where a block stands in its turn: what need not be written because the order says it."""

from __future__ import annotations

_NUMBERED = frozenset(("text", "reasoning"))


class BlockPosition:
    """Where the next block stands: its step, its number and the call that it answers.

    Reader and writer walk the same blocks through it, so that what follows from the order of the
    blocks need not be written.
    """

    __slots__ = (
        "answered",
        "base",
        "calls",
        "labels",
        "last_call",
        "number",
        "numbers",
        "results",
        "step",
    )

    def __init__(self, base: str) -> None:
        """`base` is the label of the prompt."""
        self.base = base
        self.step = 1
        self.answered = False
        self.number = 0
        self.numbers: dict[int | None, int] = {}
        self.calls: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.results: dict[str, int] = {}
        self.last_call: str | None = None

    def expected_step(self, kind: str) -> int | None:
        """The step that a block of this type has when nothing else is said; None: it has none."""
        if kind in ("notice", "error"):
            return None
        return self.step + 1 if self.answered and kind != "tool_result" else self.step

    def enter(self, kind: str, step: int | None) -> None:
        """Go on behind a block with this step."""
        if kind not in ("notice", "error") and step is not None:
            self.step = step
            self.answered = kind == "tool_result"

    def next_label(self, kind: str, step: int | None) -> str:
        """Label of a block that takes a number of its own."""
        self.number += 1
        if kind in _NUMBERED:
            self.numbers[step] = self.number
        return f"{self.base}-{self.number}"

    def call_label(self, step: int, nonce: str) -> str:
        """Label of a call: the number of its step's latest text or reasoning, or a new one."""
        if step not in self.numbers:
            self.number += 1
            self.numbers[step] = self.number
        return f"{self.base}-{self.numbers[step]}.{nonce}"

    def result_label(self, call: str) -> str:
        """Label of a further result of the call with this id."""
        label = self.labels.get(call, f"{self.base}-{max(self.number, 1)}.r")
        self.results[label] = self.results.get(label, 0) + 1
        return f"{label}.{self.results[label]}"

    def add_call(self, label: str, call: str) -> None:
        """Note the label of the call with this id."""
        self.calls[label] = call
        self.labels[call] = label
        self.last_call = call

    def answered_call(self, label: str) -> str:
        """Id of the call that a result with this label answers, by default the last one."""
        call = self.calls.get(label.rpartition(".")[0]) or self.last_call
        return label if call is None else call
