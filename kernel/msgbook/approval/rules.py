"""Who may: all approvals that hold for later calls, what each has allowed, and the approver that decides about a call."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from msgbook.approval.question import QUESTION_LIMIT, Ask, Decision, Question
from msgbook.approval.rule import RULE_KEYS, Rule, canonical_json, parsed_arguments, read_rules
from msgbook.approval.store import Store, StoreError, data_file
from msgbook.config import ApprovalPolicy
from msgbook.text import visible
from msgbook_format.typed import as_dict, has

_ARGUMENTS_LIMIT = 100_000
"""Characters of the arguments of a rule that an answer makes: all rules are read at each call that needs one."""

_OWN_LIMIT = 500
"""Rules that the form adds: each call that needs approval is compared with all of them."""

Kind = Literal["session", "answer", "own", "settings"]

_KEYS: dict[Kind, str] = {"answer": "rules", "own": "own"}
"""Keys of the lists in the file, by the kind of what they contain."""


@dataclass(frozen=True, slots=True)
class Uses:
    """Calls that a rule has allowed so far."""

    count: int = 0
    last: str = ""
    """Time of the last call, in ISO 8601; empty for none."""


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
    uses: Uses = Uses()

    @property
    def key(self) -> str:
        """Digest that names it."""
        return _digest(self.kind, self.entry or {"tool": self.tool})

    def __str__(self) -> str:
        used = f" ({self.uses.count} times, last {self.uses.last})" if self.uses.count else ""
        if self.kind == "session":
            return f"{visible(self.tool)}, in this session{used}"
        at = f" at {self.path}" if self.path else ""
        words = visible(f"{self.tool} {self.arguments or 'any arguments'}{at}")
        if self.kind == "answer":
            return f"{words}, in this folder{used}"
        return f"{words}, {visible(f'in {self.folder}') if self.folder else 'in any folder'}{used}"


class Rules:
    """The rules of the settings, those that the user made by answers or wrote on the page, and session approvals.

    What is kept is read for each question, so that changes by another kernel count at once. Entries that
    are not rules have no effect and stay in the file.

    Args:
        settings: The rules of the user's settings and of the trusted project.
        kept: Store of the rules that answers make and of those that the user writes. Without it, an answer that
            makes a rule counts once.
        counts: Store of what each rule has allowed; None to count nothing. It is a file of its own: it is
            written at each call that a rule allows, and no damage to it harms a rule.
    """

    def __init__(
        self, settings: Sequence[Rule] = (), kept: Store | None = None, counts: Store | None = None
    ) -> None:
        self.settings = tuple(settings)
        self.session_tools: list[str] = []
        """Tools that the user approved for this session, in that order."""
        self.used: Callable[[], object] = lambda: None
        """Called when a rule or an approval for the session has allowed a call."""
        self._kept = kept
        self._counts = counts
        self._problems: list[str] = []

    @classmethod
    def from_user_files(cls, settings: Sequence[Rule]) -> Rules:
        """Return the rules, with those that are kept in Jupyter's data directory."""
        return cls(settings, Store(data_file("rules.json")), Store(data_file("rule_uses.json")))

    def find(
        self, tool: str, arguments: str, folder: Path, path: str = "", server: str = ""
    ) -> str | None:
        """Return the key of an approval that holds for a call; None if there is none.

        Args:
            folder: The notebook's folder, resolved.
            path: The real path of the call (`ApprovalRequest.path`).
            server: Its MCP server (`ApprovalRequest.server`).

        Raises:
            StoreError: The rules that are kept cannot be read.
        """
        if tool in self.session_tools:
            return _digest("session", {"tool": tool})
        for rule in self.settings:
            if rule.covers(tool, arguments, folder, path):
                return _digest("settings", _table(rule))
        if self._kept is None:
            return None
        data = self._kept.read()
        answer = _answer(tool, arguments, folder, path, server)
        if answer is not None and answer in self._kept.entries(data, _KEYS["answer"]):
            return _digest("answer", answer)
        for table, rule in self._own(data):
            if rule.covers(tool, arguments, folder, path):
                return _digest("own", table)
        return None

    def remembered(self, folder: Path | None) -> list[Remembered]:
        """Return the approvals of the user that can be taken back, oldest first.

        Args:
            folder: The folder to which rules of answers are limited; None for all.

        Raises:
            StoreError: They cannot be read.
        """
        found = [Remembered("session", tool) for tool in self.session_tools]
        if self._kept is not None:
            data = self._kept.read()
            answers = filter(_is_answer, self._kept.entries(data, _KEYS["answer"]))
            found += [
                Remembered(
                    "answer",
                    entry["tool"],
                    entry["arguments"],
                    entry["folder"],
                    path=str(entry.get("path", "")),
                    entry=entry,
                )
                for entry in answers
                if folder is None or entry["folder"] == str(folder)
            ]
            found += [_of_rule("own", rule, table) for table, rule in self._own(data)]
        return self._with_uses(found)

    def of_settings(self) -> list[Remembered]:
        """Return the rules of the user's settings and of the trusted project."""
        return self._with_uses([_of_rule("settings", rule, _table(rule)) for rule in self.settings])

    def add(
        self, tool: str, arguments: str, folder: Path, path: str = "", server: str = ""
    ) -> None:
        """Add a rule for exactly this call, as long as its real path and its MCP server stay the same.

        Raises:
            StoreError: It cannot be kept.
        """
        entry = _answer(tool, arguments, folder, path, server)
        if entry is None:
            raise StoreError("No rule was made, since the arguments can be read in two ways.")
        if len(entry["arguments"]) > _ARGUMENTS_LIMIT:
            raise StoreError(
                f"No rule was made, since the arguments are longer than {_ARGUMENTS_LIMIT:,} characters."
            )
        self._add("answer", entry)

    def add_own(self, table: Mapping[str, Any]) -> None:
        """Keep a rule of `new_rule`.

        Raises:
            StoreError: The rules cannot be read or written, or are kept nowhere.
        """
        self._add("own", dict(table), at_most=_OWN_LIMIT)

    def forget(self, forgotten: Sequence[Remembered]) -> None:
        """Take approvals back.

        Raises:
            StoreError: The rules cannot be written.
        """
        tools = [item.tool for item in forgotten if item.kind == "session"]
        self.session_tools[:] = [tool for tool in self.session_tools if tool not in tools]
        removed = [item for item in forgotten if item.kind in _KEYS]
        if self._kept is not None and removed:
            with self._kept.changing() as data:
                for kind in {item.kind: None for item in removed}:
                    gone = [item.entry for item in removed if item.kind == kind]
                    entries = self._kept.entries(data, _KEYS[kind])
                    data |= {"version": 1, _KEYS[kind]: [one for one in entries if one not in gone]}
        keys = {item.key for item in forgotten}
        self._count(lambda uses: {key: found for key, found in uses.items() if key not in keys})

    def keep(self, choice: str, call: tuple[str, str, Path, str, str]) -> None:
        """Keep what a person answered about a call, if it is for more than this once.

        Args:
            call: The arguments of `find`.
        """
        tool = call[0]
        if choice == "session" and tool not in self.session_tools:
            self.session_tools.append(tool)
        if choice != "rule" or self._kept is None:
            return
        try:
            self.add(*call)
        except StoreError as error:
            self.add_problem(f"The call of {visible(tool)} was approved only once: {error}")

    def note(self, key: str) -> None:
        """Note that the approval with a key has allowed a call."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._count(lambda uses: {**uses, key: [_read_uses(uses.get(key)).count + 1, now]})
        self.used()

    def add_problem(self, words: str) -> None:
        """Add a problem with reading or keeping rules, once."""
        if words not in self._problems:
            self._problems.append(words)

    def take_problems(self) -> list[str]:
        """Return and clear the problems with reading or keeping rules, one line each."""
        problems = self._problems[:]
        self._problems.clear()
        return problems

    def _add(self, kind: Kind, entry: dict[str, Any], at_most: int | None = None) -> None:
        if self._kept is None:
            raise StoreError("Rules are not kept here.")
        with self._kept.changing() as data:
            entries = self._kept.entries(data, _KEYS[kind])
            if at_most is not None and len(entries) >= at_most:
                raise StoreError(f"There are {at_most} rules: delete one first.")
            if entry not in entries:
                data |= {"version": 1, _KEYS[kind]: [*entries, entry]}

    def _own(self, data: Mapping[str, Any]) -> list[tuple[dict[str, Any], Rule]]:
        """Return the valid rules that the user wrote, each with its table."""
        if self._kept is None:
            return []
        name = self._kept.name
        tables = self._kept.entries(data, _KEYS["own"])
        read = ((table, read_rules([table], name)[0]) for table in tables)
        return [(table, rules[0]) for table, rules in read if rules]

    def _with_uses(self, found: list[Remembered]) -> list[Remembered]:
        try:
            uses = _uses_in(self._counts.read()) if self._counts is not None else {}
        except StoreError:  # a rule can be taken back all the same
            uses = {}
        return [replace(item, uses=_read_uses(uses.get(item.key))) for item in found]

    def _count(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        if self._counts is None:
            return
        try:
            with self._counts.changing() as data:
                uses = _uses_in(data)
                if (changed := change(uses)) != uses:
                    data |= {"version": 1, "uses": changed}
        except StoreError as error:
            self.add_problem(f"What rules allow is not counted: {error}")


def _digest(kind: Kind, entry: Any) -> str:
    return hashlib.sha256(f"{kind} {canonical_json(entry)}".encode()).hexdigest()[:24]


def _table(rule: Rule) -> dict[str, Any]:
    folder = str(rule.folder) if rule.folder is not None else None
    return {"tool": rule.tool, "arguments": rule.arguments, "folder": folder}


def _of_rule(kind: Kind, rule: Rule, table: dict[str, Any]) -> Remembered:
    arguments = None if rule.arguments is None else canonical_json(rule.arguments)
    folder = str(rule.folder) if rule.folder is not None else ""
    return Remembered(kind, rule.tool, arguments, folder, entry=table)


def _answer(
    tool: str, arguments: str, folder: Path, path: str, server: str
) -> dict[str, str] | None:
    """Return the rule that an answer makes; None if the call can be read in two ways."""
    given = parsed_arguments(arguments)
    if given is None:
        return None
    entry = {"tool": tool, "arguments": canonical_json(given), "folder": str(folder)}
    what = {"path": path, "server": server}
    return {**entry, **{key: value for key, value in what.items() if value}}


def _is_answer(entry: Any) -> bool:
    return has(entry, **dict.fromkeys(RULE_KEYS, str))


def _uses_in(data: Mapping[str, Any]) -> dict[str, Any]:
    uses = data.get("uses", {})
    return as_dict(uses)


def _read_uses(found: Any) -> Uses:
    count, last = found if isinstance(found, list) and len(found) == 2 else (0, "")
    if type(count) is not int or count < 0 or not isinstance(last, str):
        return Uses()
    return Uses(count, visible(last[:40]))


# The one who decides about a call.


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
