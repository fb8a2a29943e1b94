"""The approvals that hold for later calls, as `%approvals` and the page list them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal

from msgbook.approval.own_rules import NO_USES, Uses
from msgbook.approval.rule_patterns import canonical_json
from msgbook.approval.rules import Rule
from msgbook.text import visible

Kind = Literal["session", "answer", "own", "settings"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """One approval: of a tool for this session, by an answer, by a rule on the page or in `msgbook.toml`."""

    kind: Kind
    tool: str
    arguments: str | None = None
    """JSON text; None for any arguments."""
    folder: str = ""
    """Empty for any folder."""
    path: str = ""
    """Real path for which an answer holds."""
    entry: dict[str, Any] = field(default_factory=dict)
    """As saved."""
    uses: Uses = NO_USES

    @property
    def key(self) -> str:
        """Digest that names it."""
        return approval_key(self.kind, self.entry or {"tool": self.tool})

    def __str__(self) -> str:
        used = f" ({self.uses.count} times, last {self.uses.last})" if self.uses.count else ""
        if self.kind == "session":
            return f"{visible(self.tool)}, in this session{used}"
        at = f" at {self.path}" if self.path else ""
        words = visible(f"{self.tool} {self.arguments or 'any arguments'}{at}")
        if self.kind == "answer":
            return f"{words}, in this folder{used}"
        return f"{words}, {visible(f'in {self.folder}') if self.folder else 'in any folder'}{used}"


def approval_key(kind: Kind, entry: Any) -> str:
    """Return the digest that names an approval."""
    return hashlib.sha256(f"{kind} {canonical_json(entry)}".encode()).hexdigest()[:24]


def rule_entry(rule: Rule) -> dict[str, Any]:
    """Return a rule of the settings as a table."""
    folder = str(rule.folder) if rule.folder is not None else None
    return {"tool": rule.tool, "arguments": rule.arguments, "folder": folder}
