"""`%approvals`: lists what runs without a question, and forgets what the user approved."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.approval import Approver, Remembered
from msgbook.magics.base import MagicContext, UsageError

POLICIES = {
    "ask": "You are asked about each call that needs approval.",
    "deny": "Calls that need approval are denied (MSGBOOK_APPROVAL=deny).",
    "allow": "All calls run without a question (MSGBOOK_APPROVAL=allow).",
}


async def approvals(context: MagicContext, words: Sequence[str]) -> str:
    """List the policy, your approvals and the rules; `forget N` or `forget all` removes approvals."""
    current = context.engine.approver
    remembered = current.remembered()
    if not words:
        return _listing(current, remembered)
    if words[0] != "forget" or len(words) != 2:
        raise UsageError("Expected %approvals, %approvals forget N or %approvals forget all.")
    forgotten = remembered if words[1] == "all" else [_pick(words[1], remembered)]
    current.forget(forgotten)
    return "\n".join(f"Forgotten: {item}" for item in forgotten) or "There is nothing to forget."


def _listing(current: Approver, remembered: list[Remembered]) -> str:
    lines = [POLICIES[current.policy]]
    if remembered:
        lines += ["", "Approved by your answers:"]
        lines += [f"{number:4}  {item}" for number, item in enumerate(remembered, 1)]
    if current.rules:
        lines += ["", "Approved by rules in msgbook.toml or in the trusted project:"]
        lines += [f"      {rule}" for rule in current.rules]
    if not remembered and not current.rules:
        lines.append("There are no approval rules for this folder.")
    return "\n".join(lines)


def _pick(number: str, remembered: list[Remembered]) -> Remembered:
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(remembered):
        return remembered[int(number[:9]) - 1]
    if not remembered:
        raise UsageError(f"The list of %approvals is empty, so there is no number {number}.")
    raise UsageError(
        f"Expected a number from 1 to {len(remembered)} of %approvals, got {number!r}."
    )
