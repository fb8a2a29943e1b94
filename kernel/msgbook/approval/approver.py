"""Who decides about a tool call that is not free."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgbook.approval.question import Ask, Choice, Decision, Question
from msgbook.approval.rules import Rule, SavedRules
from msgbook.approval.store import StoreError
from msgbook.config import ApprovalPolicy
from msgbook.text import visible


class Approvals:
    """What is allowed in one session: by the settings, by rules, by what a person answers.

    Args:
        policy: `allow` allows all; `deny` asks nobody. Rules hold in any case.
        folder: The notebook's: a rule made by an answer holds there.
        rules: The user's own.
        saved: Where rules made by an answer are kept; None for nowhere: they count once.
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
        self.granted: list[str] = []
        """Tools that the user allowed for this session, in that order."""
        self._saved = saved
        self._problems: list[str] = []

    async def decide(self, question: Question, ask: Ask | None) -> Decision:
        """Decide about a call, by asking a person where nothing else says yes.

        Args:
            ask: None where nobody can be asked.
        """
        if self.policy == "allow" or (not question.need.every_time and self._covers(question)):
            return Decision("rule")
        if self.policy == "deny":
            return _denied(question, "MSGBOOK_APPROVAL=deny asks nobody")
        answer = await ask(question) if ask is not None else None
        if answer is None:
            return _denied(question, "nobody could be asked")
        if answer.choice == "no":
            said = f": {answer.reason}" if answer.reason else "."
            return Decision("denied", f"Denied: the user said no{said}")
        if answer.choice in question.choices:
            self._keep(answer.choice, question)
        return Decision("user")

    def saved_rules(self) -> list[dict[str, str]]:
        """The rules of this folder that were made by an answer: `tool`, `arguments`, `folder`, `path`.

        Raises:
            StoreError: They cannot be read.
        """
        return self._saved.of(self.folder) if self._saved is not None else []

    def forget(self, granted: Sequence[str], saved: list[dict[str, str]]) -> None:
        """Allow these tools, and the calls of these saved rules, no longer.

        Raises:
            StoreError: The rules cannot be written.
        """
        self.granted = [tool for tool in self.granted if tool not in granted]
        if saved and self._saved is not None:
            self._saved.remove(saved)

    def problems(self) -> list[str]:
        """What kept rules from being read or kept, a line each, since the last time."""
        problems, self._problems = self._problems, []
        return problems

    def _covers(self, question: Question) -> bool:
        call = question.call["name"], question.call["arguments"], self.folder, question.need.path
        if call[0] in self.granted or any(rule.covers(*call) for rule in self.rules):
            return True
        try:
            return self._saved is not None and self._saved.covers(*call)
        except StoreError as error:
            self._problem(f"Rules allow nothing now: {error}")
            return False

    def _keep(self, choice: Choice, question: Question) -> None:
        call = question.call
        if choice == "session" and call["name"] not in self.granted:
            self.granted.append(call["name"])
        if choice != "rule" or self._saved is None:
            return
        try:
            self._saved.add(call["name"], call["arguments"], self.folder, question.need.path)
        except StoreError as error:
            self._problem(f"The call of {visible(call['name'])} was allowed just once: {error}")

    def _problem(self, words: str) -> None:
        if words not in self._problems:
            self._problems.append(words)


def _denied(question: Question, why: str) -> Decision:
    name = question.call.get("name", "the tool")
    return Decision(
        "denied",
        f"Denied: {name} asks for something that is not free, since {question.need.reason}, "
        f"and {why}.",
    )
