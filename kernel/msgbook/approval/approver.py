"""Decisions about tool calls that need approval: by policy, by rules, by asking a person."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path

from msgbook.approval.question import Ask, Choice, Decision, Question
from msgbook.approval.rules import Rule, SavedRules
from msgbook.approval.store import StoreError
from msgbook.config import ApprovalPolicy
from msgbook.text import visible


class Approver:
    """Decides about the calls of one session.

    Args:
        policy: `allow` approves everything; `deny` asks nobody. Rules apply under every policy.
        folder: The notebook's folder; a rule made by an answer applies there.
        rules: The user's own rules.
        saved: Store for rules made by an answer. Without it, such an answer counts once.
    """

    def __init__(
        self,
        policy: ApprovalPolicy,
        folder: Path,
        rules: Sequence[Rule] = (),
        saved: SavedRules | None = None,
    ) -> None:
        self.policy = policy
        self.folder = folder.resolve()
        self.rules = tuple(rules)
        self.session_tools: list[str] = []
        """Tools that the user approved for this session, in that order."""
        self._saved = saved
        self._problems: list[str] = []

    async def decide(self, question: Question, ask: Ask | None) -> Decision:
        """Decide about a call; ask a person if neither the policy nor a rule approves it.

        Args:
            ask: None if nobody can be asked.
        """
        always_asks = question.approval_request.always_asks or question.is_edited
        if self.policy == "allow" or (not always_asks and self._covers(question)):
            return Decision("rule")
        if self.policy == "deny":
            return _denied(question, "MSGBOOK_APPROVAL=deny asks nobody")
        answer = await ask(question) if ask is not None else None
        if answer is None:
            return _denied(question, "nobody could be asked")
        if answer.choice == "no":
            said = f": {answer.reason}" if answer.reason else "."
            return Decision("denied", f"Denied: the user said no{said}")
        if answer.choice == "edit":
            return Decision("edited", arguments=answer.arguments)
        if answer.choice in question.choices:
            self._keep(answer.choice, question)
        return Decision("user")

    def in_folder(self, folder: Path) -> Approver:
        """Return an approver for a conversation in another folder. They share what was approved."""
        other = copy(self)
        other.folder = folder.resolve()
        return other

    def saved_rules(self) -> list[dict[str, str]]:
        """Return the rules of this folder that were made by an answer: `tool`, `arguments`, `folder`, `path`.

        Raises:
            StoreError: They cannot be read.
        """
        return self._saved.in_folder(self.folder) if self._saved is not None else []

    def forget(self, session_tools: Sequence[str], saved: list[dict[str, str]]) -> None:
        """Take back the approval of these tools for the session, and these saved rules.

        Raises:
            StoreError: The rules cannot be written.
        """
        self.session_tools[:] = [t for t in self.session_tools if t not in session_tools]
        if saved and self._saved is not None:
            self._saved.remove(saved)

    def take_problems(self) -> list[str]:
        """Return and clear the problems with reading or keeping rules, one line each."""
        problems = self._problems[:]
        self._problems.clear()
        return problems

    def _covers(self, question: Question) -> bool:
        wanted = question.approval_request
        call = question.call["name"], question.call["arguments"], self.folder, wanted.path
        if call[0] in self.session_tools or any(rule.covers(*call) for rule in self.rules):
            return True
        try:
            return self._saved is not None and self._saved.covers(*call, wanted.server)
        except StoreError as error:
            self._add_problem(f"No saved rule applies: {error}")
            return False

    def _keep(self, choice: Choice, question: Question) -> None:
        call = question.call
        if choice == "session" and call["name"] not in self.session_tools:
            self.session_tools.append(call["name"])
        if choice != "rule" or self._saved is None:
            return
        wanted = question.approval_request
        try:
            self._saved.add(
                call["name"], call["arguments"], self.folder, wanted.path, wanted.server
            )
        except StoreError as error:
            self._add_problem(
                f"The call of {visible(call['name'])} was approved only once: {error}"
            )

    def _add_problem(self, words: str) -> None:
        if words not in self._problems:
            self._problems.append(words)


def _denied(question: Question, why: str) -> Decision:
    name = question.call.get("name", "the tool")
    reason = question.approval_request.reason
    return Decision("denied", f"Denied: {name} needs approval, since {reason}, and {why}.")
