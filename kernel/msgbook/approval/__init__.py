"""Approval: who decides whether a tool call may run.

- `approver`: decides about a call: the policy first, then rules, then a person.
- `roots`, `secret_paths`: which files are read without approval; everything else makes an `ApprovalRequest`.
- `rules`, `store`: approval rules, those of `msgbook.toml` and those that the user made by an answer.
- `question`, `question_text`: the question to a person and the answer; as text if there is no page.
- `trust`, `project_settings`: the project of a notebook, and the part of its settings that counts.

Names are imported when they are first used: a worker of the file tools starts with `roots` alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msgbook.approval.approver import Approver
    from msgbook.approval.project_settings import load_with_project
    from msgbook.approval.question import Answer, Approve, Ask, Decision, Question
    from msgbook.approval.question_text import ReadLine, ask_by_line
    from msgbook.approval.request import ApprovalRequest, ApprovalRequiredError
    from msgbook.approval.roots import Roots
    from msgbook.approval.rules import Rule, SavedRules
    from msgbook.approval.store import StoreError
    from msgbook.approval.trust import (
        PROJECT_CONFIG,
        ProjectConfig,
        ProjectError,
        Trust,
        find_project,
        followed_project,
        is_foreign,
        read_config,
    )

__all__ = [
    "PROJECT_CONFIG",
    "Answer",
    "ApprovalRequest",
    "ApprovalRequiredError",
    "Approve",
    "Approver",
    "Ask",
    "Decision",
    "ProjectConfig",
    "ProjectError",
    "Question",
    "ReadLine",
    "Roots",
    "Rule",
    "SavedRules",
    "StoreError",
    "Trust",
    "ask_by_line",
    "find_project",
    "followed_project",
    "is_foreign",
    "load_with_project",
    "read_config",
]

_HOMES = {
    "PROJECT_CONFIG": "trust",
    "Answer": "question",
    "ApprovalRequest": "request",
    "ApprovalRequiredError": "request",
    "Approve": "question",
    "Approver": "approver",
    "Ask": "question",
    "Decision": "question",
    "ProjectConfig": "trust",
    "ProjectError": "trust",
    "Question": "question",
    "ReadLine": "question_text",
    "Roots": "roots",
    "Rule": "rules",
    "SavedRules": "rules",
    "StoreError": "store",
    "Trust": "trust",
    "ask_by_line": "question_text",
    "find_project": "trust",
    "followed_project": "trust",
    "is_foreign": "trust",
    "load_with_project": "project_settings",
    "read_config": "trust",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
