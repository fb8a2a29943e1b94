"""Approval: who decides whether a tool call may run.

- `approver`: decides about a call: the policy first, then rules, then a person.
- `roots`: which files are read without approval; everything else makes an `ApprovalRequest`.
- `rule`: what a rule allows, and which rules a person can write.
- `rules`, `store`: all approvals that hold for later calls, where they are kept, and what each has allowed.
- `question`: the question to a person and the answer; as text if there is no page.
- `trust`: the project of a notebook, and the part of its settings that counts.

Names are imported when they are first used: a worker of the file tools starts with `roots` alone.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.approval.question import (
        Answer,
        Approve,
        Ask,
        Decision,
        InputLine,
        Question,
        ReadLine,
        ask_by_line,
    )
    from msgbook.approval.roots import ApprovalRequest, ApprovalRequiredError, Roots
    from msgbook.approval.rule import MCP_PREFIX, Rule, RuleError, new_rule
    from msgbook.approval.rules import Approver, Remembered, Rules, Uses
    from msgbook.approval.store import StoreError
    from msgbook.approval.trust import (
        PROJECT_CONFIG,
        ProjectConfig,
        ProjectError,
        Trust,
        find_project,
        followed_project,
        is_foreign,
        load_with_project,
        read_config,
    )
else:
    __getattr__ = lazy_names(__name__)
