"""`%approvals`: what is allowed without a question, and how to take it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgbook.approval import Approver
from msgbook.magics.base import MagicContext, UsageError
from msgbook.text import visible

_POLICIES = {
    "ask": "Calls that are not free are asked about.",
    "deny": "Calls that are not free are denied (MSGBOOK_APPROVAL=deny).",
    "allow": "All calls are allowed (MSGBOOK_APPROVAL=allow).",
}


async def approvals(scene: MagicContext, words: Sequence[str]) -> str:
    """List the policy, the grants and the rules; `forget N` or `forget all` takes some back."""
    current = scene.engine.approver
    standing = _standing(current)
    if not words:
        return _listing(current, standing)
    if words[0] != "forget" or len(words) != 2:
        raise UsageError("Expected %approvals, %approvals forget N or %approvals forget all.")
    forgotten = standing if words[1] == "all" else [_pick(words[1], standing)]
    current.forget(
        [item.tool for item in forgotten if item.saved is None],
        [item.saved for item in forgotten if item.saved is not None],
    )
    return "\n".join(f"Forgotten: {item}" for item in forgotten) or "There was nothing to forget."


@dataclass(frozen=True, slots=True)
class _Standing:
    """Something that the user allowed by answering a question."""

    tool: str
    saved: dict[str, str] | None = None
    """The rule; None for a tool that is allowed in this session."""

    def __str__(self) -> str:
        if self.saved is None:
            return f"{visible(self.tool)}, in this session"
        path = self.saved.get("path")
        at = f" at {path}" if path else ""
        return visible(f"{self.tool} {self.saved['arguments']}{at}") + ", in this folder"


def _standing(current: Approver) -> list[_Standing]:
    """What can be forgotten; its number is its place, from 1.

    Raises:
        StoreError: The rules cannot be read.
    """
    granted = [_Standing(tool) for tool in current.session_tools]
    return granted + [_Standing(rule["tool"], rule) for rule in current.saved_rules()]


def _listing(current: Approver, standing: list[_Standing]) -> str:
    lines = [_POLICIES[current.policy]]
    if standing:
        lines += ["", "Allowed by your answers:"]
        lines += [f"{number:4}  {item}" for number, item in enumerate(standing, 1)]
    if current.rules:
        lines += ["", "Allowed by msgbook.toml or the trusted project:"]
        lines += [f"      {rule}" for rule in current.rules]
    if not standing and not current.rules:
        lines.append("There are no rules for this folder.")
    return "\n".join(lines)


def _pick(number: str, standing: list[_Standing]) -> _Standing:
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(standing):
        return standing[int(number[:9]) - 1]
    known = f"1 to {len(standing)}" if standing else "none"
    raise UsageError(f"There is no number {number!r} in %approvals; there are {known}.")
