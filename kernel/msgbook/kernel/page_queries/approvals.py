"""The user's approval rules: what they allow, and how they are written, changed and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import Query, QueryError

if TYPE_CHECKING:
    from msgbook.approval import Approver, Remembered
    from msgbook.kernel.session import Session


async def list_rules(session: Session, _query: Query) -> dict[str, Any]:
    """Answer `approvals.list`."""
    from msgbook.magics.overview import POLICIES

    conversation = await session.ready_conversation()
    current = conversation.approver
    found = [*current.remembered(everywhere=True), *current.rules.of_settings()]
    return {
        "policy": POLICIES[current.policy],
        "folder": str(current.folder),
        "tools": [tool.name for tool in conversation.tools],
        "rules": [_shown(item) for item in found],
    }


async def add_rule(session: Session, query: Query) -> dict[str, Any]:
    """Answer `approvals.add`."""
    conversation = await session.ready_conversation()
    conversation.approver.rules.add_own(_table(query, [tool.name for tool in conversation.tools]))
    return {}


async def change_rule(session: Session, query: Query) -> dict[str, Any]:
    """Answer `approvals.change`."""
    conversation = await session.ready_conversation()
    found = _find(conversation.approver, query.text("key"))
    if found.kind not in ("answer", "own"):
        raise QueryError("Only rules can be changed. An approval for the session can be deleted.")
    # The new rule is checked and kept before the old one goes.
    table = _table(query, [tool.name for tool in conversation.tools])
    if not _is_same(found, table):
        conversation.approver.rules.add_own(table)
        conversation.approver.rules.forget([found])
    return {}


async def delete_rule(session: Session, query: Query) -> dict[str, Any]:
    """Answer `approvals.delete`."""
    current = (await session.ready_conversation()).approver
    current.rules.forget([_find(current, query.text("key"))])
    return {}


def _shown(item: Remembered) -> dict[str, Any]:
    return {
        "key": item.key,
        "kind": item.kind,
        "tool": item.tool,
        "arguments": item.arguments,
        "folder": item.folder,
        "path": item.path,
        "count": item.uses.count,
        "last": item.uses.last,
    }


def _table(query: Query, tools: list[str]) -> dict[str, Any]:
    from msgbook.approval import new_rule

    return new_rule(query.text("tool"), query.text("arguments"), query.text("folder"), tools)


def _is_same(found: Remembered, table: dict[str, Any]) -> bool:
    """Return whether a rule stays as it is: that of an answer holds for more than its table says.

    Raises:
        QueryError: Text of a call would become a pattern.
    """
    from msgbook.approval.rule import canonical_json

    arguments = canonical_json(table["arguments"]) if "arguments" in table else None
    new = table["tool"], arguments, table.get("folder", "")
    if new == (found.tool, found.arguments, found.folder):
        return True
    if found.kind == "answer" and found.arguments == arguments and "*" in (arguments or ""):
        raise QueryError(
            "In a rule, `*` stands for any text. In the call that you approved, it stood for itself. "
            "Change the arguments, or delete the rule."
        )
    return False


def _find(current: Approver, key: str) -> Remembered:
    for item in current.remembered(everywhere=True):
        if item.key == key:
            return item
    raise QueryError("This rule no longer exists.")
