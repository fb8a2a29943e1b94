"""Decisions about tool calls that need approval: by policy, by rules, by asking a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.approval.own_rules import (
    NO_USES,
    Kind,
    Remembered,
    RuleUses,
    Uses,
    approval_key,
    rule_entry,
)
from msgbook.approval.question import QUESTION_LIMIT, Ask, Choice, Decision, Question
from msgbook.approval.rules import Rule, SavedRules, canonical_json
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
        uses: Counts what each rule allows.
    """

    def __init__(
        self,
        policy: ApprovalPolicy,
        folder: Path,
        rules: Sequence[Rule] = (),
        saved: SavedRules | None = None,
        uses: RuleUses | None = None,
    ) -> None:
        self.policy = policy
        self.folder = folder.resolve()
        self.rules = tuple(rules)
        self.session_tools: list[str] = []
        """Tools that the user approved for this session, in that order."""
        self.used: Callable[[], object] = lambda: None
        """Called when a rule or an approval for the session has allowed a call."""
        self._saved = saved
        self._uses = uses
        self._problems: list[str] = []

    async def decide(self, question: Question, ask: Ask | None) -> Decision:
        """Decide about a call; ask a person if neither the policy nor a rule approves it.

        Args:
            ask: None if nobody can be asked.
        """
        if self.policy == "allow":
            return Decision("policy")
        key = self._find(question)
        if key is not None:
            self._change_uses(lambda uses: uses.note(key))
            self.used()
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
            return Decision("denied", f"Denied: the user said no{said}")
        if answer.choice == "edit":
            return Decision("edited", arguments=answer.arguments)
        if answer.choice in question.choices:
            self._keep(answer.choice, question)
        return Decision("user")

    def allows(self, question: Question) -> bool:
        """Return whether the policy or a rule approves a call. Nobody is asked, and no use is counted."""
        return self.policy == "allow" or self._find(question) is not None

    def in_folder(self, folder: Path) -> Approver:
        """Return an approver for a conversation in another folder. They share what was approved."""
        other = copy(self)
        other.folder = folder.resolve()
        return other

    def remembered(self, *, everywhere: bool = False) -> list[Remembered]:
        """Return the approvals of the user that can be taken back, oldest first.

        Args:
            everywhere: Whether rules that answers made in other folders are among them.

        Raises:
            StoreError: They cannot be read.
        """
        found = [Remembered("session", tool) for tool in self.session_tools]
        if self._saved is not None:
            answers = self._saved.everywhere()
            if not everywhere:
                answers = [rule for rule in answers if rule["folder"] == str(self.folder)]
            found += [
                Remembered(
                    "answer",
                    rule["tool"],
                    rule["arguments"],
                    rule["folder"],
                    path=str(rule.get("path", "")),
                    entry=rule,
                )
                for rule in answers
            ]
            found += [_own(table, rule) for table, rule in self._saved.own.rules()]
        return [replace(item, uses=self._uses_of(item.key)) for item in found]

    def settings_rules(self) -> list[Remembered]:
        """Return the rules of the user's settings and of the trusted project."""
        found = [_own(rule_entry(rule), rule, "settings") for rule in self.rules]
        return [replace(item, uses=self._uses_of(item.key)) for item in found]

    def forget(self, forgotten: Sequence[Remembered]) -> None:
        """Take approvals back.

        Raises:
            StoreError: The rules cannot be written.
        """
        tools = [item.tool for item in forgotten if item.kind == "session"]
        self.session_tools[:] = [tool for tool in self.session_tools if tool not in tools]
        answers = [item.entry for item in forgotten if item.kind == "answer"]
        own = [item.entry for item in forgotten if item.kind == "own"]
        if self._saved is not None and answers:
            self._saved.remove(answers)
        if self._saved is not None and own:
            self._saved.own.remove(own)
        self._change_uses(lambda uses: uses.forget([item.key for item in forgotten]))

    def add_rule(self, table: dict[str, Any]) -> None:
        """Keep a rule of `new_rule`.

        Raises:
            StoreError: The rules cannot be read or written, or are kept nowhere.
        """
        if self._saved is None:
            raise StoreError("Rules are not kept here.")
        self._saved.own.add(table)

    def take_problems(self) -> list[str]:
        """Return and clear the problems with reading or keeping rules, one line each."""
        problems = self._problems[:]
        self._problems.clear()
        return problems

    def _find(self, question: Question) -> str | None:
        """Return the key of an approval that holds for a call; None if there is none."""
        wanted = question.approval_request
        if wanted.always_asks or question.is_edited:
            return None
        call = question.call["name"], question.call["arguments"], self.folder, wanted.path
        if call[0] in self.session_tools:
            return approval_key("session", {"tool": call[0]})
        for rule in self.rules:
            if rule.covers(*call):
                return approval_key("settings", rule_entry(rule))
        try:
            return _find_saved(self._saved, call, wanted.server) if self._saved else None
        except StoreError as error:
            self._add_problem(f"No saved rule applies: {error}")
            return None

    def _change_uses(self, change: Callable[[RuleUses], None]) -> None:
        try:
            if self._uses is not None:
                change(self._uses)
        except StoreError as error:
            self._add_problem(f"What rules allow is not counted: {error}")

    def _uses_of(self, key: str) -> Uses:
        try:
            return self._uses.of(key) if self._uses is not None else NO_USES
        except StoreError:  # a rule can be taken back all the same
            return NO_USES

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


def _find_saved(saved: SavedRules, call: tuple[str, str, Path, str], server: str) -> str | None:
    """Return the key of a saved rule that covers a call."""
    entry = saved.find(*call, server)
    if entry is not None:
        return approval_key("answer", entry)
    own = (table for table, rule in saved.own.rules() if rule.covers(*call))
    table = next(own, None)
    return approval_key("own", table) if table is not None else None


def _own(table: dict[str, Any], rule: Rule, kind: Kind = "own") -> Remembered:
    arguments = None if rule.arguments is None else canonical_json(rule.arguments)
    folder = str(rule.folder) if rule.folder is not None else ""
    return Remembered(kind, rule.tool, arguments, folder, entry=table)


def _too_long(size: int) -> str:
    return (
        f"it is too long to be shown to a person: {size} bytes, where at most {QUESTION_LIMIT} are "
        "shown. Do it in smaller calls"
    )


def _denied(question: Question, why: str) -> Decision:
    name = question.call.get("name", "the tool")
    reason = question.approval_request.reason
    return Decision("denied", f"Denied: {name} needs approval, since {reason}, and {why}.")
