"""`%approvals`: lists what runs without a question, and forgets what the user approved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgbook.approval import Approver
from msgbook.magics.base import MagicContext, UsageError
from msgbook.text import visible

_POLICIES = {
    "ask": "You are asked about each call that needs approval.",
    "deny": "Calls that need approval are denied (MSGBOOK_APPROVAL=deny).",
    "allow": "All calls run without a question (MSGBOOK_APPROVAL=allow).",
}


async def approvals(context: MagicContext, words: Sequence[str]) -> str:
    """List the policy, your approvals and the rules; `forget N` or `forget all` removes approvals."""
    current = context.engine.approver
    remembered = _remembered(current)
    if not words:
        return _listing(current, remembered)
    if words[0] != "forget" or len(words) != 2:
        raise UsageError("Expected %approvals, %approvals forget N or %approvals forget all.")
    forgotten = remembered if words[1] == "all" else [_pick(words[1], remembered)]
    current.forget(
        [item.tool for item in forgotten if item.saved is None],
        [item.saved for item in forgotten if item.saved is not None],
    )
    return "\n".join(f"Forgotten: {item}" for item in forgotten) or "There is nothing to forget."


@dataclass(frozen=True, slots=True)
class _Approval:
    """Approval that the user gave by answering a question, for later calls."""

    tool: str
    saved: dict[str, str] | None = None
    """Its rule; None for a tool that is approved for this session."""

    def __str__(self) -> str:
        if self.saved is None:
            return f"{visible(self.tool)}, in this session"
        path = self.saved.get("path")
        at = f" at {path}" if path else ""
        return visible(f"{self.tool} {self.saved['arguments']}{at}") + ", in this folder"


def _remembered(current: Approver) -> list[_Approval]:
    """Return the approvals that can be forgotten. The number of each is its position, from 1.

    Raises:
        StoreError: The rules cannot be read.
    """
    for_session = [_Approval(tool) for tool in current.session_tools]
    return for_session + [_Approval(rule["tool"], rule) for rule in current.saved_rules()]


def _listing(current: Approver, remembered: list[_Approval]) -> str:
    lines = [_POLICIES[current.policy]]
    if remembered:
        lines += ["", "Approved by your answers:"]
        lines += [f"{number:4}  {item}" for number, item in enumerate(remembered, 1)]
    if current.rules:
        lines += ["", "Approved by rules in msgbook.toml or in the trusted project:"]
        lines += [f"      {rule}" for rule in current.rules]
    if not remembered and not current.rules:
        lines.append("There are no approval rules for this folder.")
    return "\n".join(lines)


def _pick(number: str, remembered: list[_Approval]) -> _Approval:
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(remembered):
        return remembered[int(number[:9]) - 1]
    if not remembered:
        raise UsageError(f"The list of %approvals is empty, so there is no number {number}.")
    raise UsageError(
        f"Expected a number from 1 to {len(remembered)} of %approvals, got {number!r}."
    )
