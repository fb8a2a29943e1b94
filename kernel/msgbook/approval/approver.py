"""Decisions about tool calls that need approval: by policy, by rules, by asking a person."""

from __future__ import annotations

from pathlib import Path

from msgbook.approval.question import QUESTION_LIMIT, Ask, Decision, Question
from msgbook.approval.rules import Remembered, Rules
from msgbook.approval.store import StoreError
from msgbook.config import ApprovalPolicy


class Approver:
    """Decides about the calls of one conversation.

    Args:
        policy: `allow` approves everything; `deny` asks nobody. Rules apply under every policy.
        folder: The notebook's folder; a rule made by an answer applies there.
        rules: Shared by the conversations of a session.
    """

    def __init__(self, policy: ApprovalPolicy, folder: Path, rules: Rules | None = None) -> None:
        self.policy = policy
        self.folder = folder.resolve()
        self.rules = rules or Rules()

    async def decide(self, question: Question, ask: Ask | None) -> Decision:
        """Decide about a call; ask a person if neither the policy nor a rule approves it.

        Args:
            ask: None if nobody can be asked.
        """
        if self.policy == "allow":
            return Decision("policy")
        key = self._find(question)
        if key is not None:
            self.rules.note(key)
            return Decision("rule")
        if self.policy == "deny":
            return _denied(question, "MSGBOOK_APPROVAL=deny asks nobody")
        if question.size > QUESTION_LIMIT:
            return _denied(question, _too_long(question.size))
        answer = await ask(question) if ask is not None else None
        if answer is None:
            return _denied(question, "nobody could be asked")
        if answer.choice == "no":
            said = f": {answer.reason}" if answer.reason else "."
            return Decision("denied", f"Denied by the user{said}")
        if answer.choice == "edit":
            return Decision("edited", arguments=answer.arguments)
        if answer.choice in question.choices:
            self.rules.keep(answer.choice, self._call_of(question))
        return Decision("user")

    def allows(self, question: Question) -> bool:
        """Return whether the policy or a rule approves a call. Nobody is asked, and no use is counted."""
        return self.policy == "allow" or self._find(question) is not None

    def remembered(self, *, everywhere: bool = False) -> list[Remembered]:
        """Return the approvals of the user that can be taken back, oldest first.

        Args:
            everywhere: Whether rules that answers made in other folders are among them.

        Raises:
            StoreError: They cannot be read.
        """
        return self.rules.remembered(None if everywhere else self.folder)

    def _find(self, question: Question) -> str | None:
        """Return the key of an approval that holds for a call; None if there is none."""
        if question.approval_request.always_asks or question.is_edited:
            return None
        try:
            return self.rules.find(*self._call_of(question))
        except StoreError as error:
            self.rules.add_problem(f"No saved rule applies: {error}")
            return None

    def _call_of(self, question: Question) -> tuple[str, str, Path, str, str]:
        call, wanted = question.call, question.approval_request
        return call["name"], call["arguments"], self.folder, wanted.path, wanted.server


def _too_long(size: int) -> str:
    return (
        f"it is too long to be shown to a person: {size} bytes, where at most {QUESTION_LIMIT} are "
        "shown. Do it in smaller calls"
    )


def _denied(question: Question, why: str) -> Decision:
    name = question.call.get("name", "the tool")
    reason = question.approval_request.reason
    return Decision("denied", f"Denied: {name} needs approval, since {reason}, and {why}.")
