"""Features beside a conversation, each of which the core could do without.

- `cassettes`: conversations that are recorded and replayed. `pytest_plugin`: as tests.
- `check`: the verb that lists the findings of `msgbook_format.extras.checks`.
- `git_setup`: git diffs and merges message files by cell.
- `many`: many conversations at once, and one over several models.
- `other_chats`: chats of other programs as conversations, and conversations as OpenAI messages.

The core imports none of them. It finds what they offer by its name in `ENTRY_POINTS`, when a user asks for it, and their
verbs in `verbs`.
"""

from __future__ import annotations

ENTRY_POINTS = {
    "cassettes.find_recorded_before": "msgbook.extras.cassettes.replay:find_recorded_before",
    "cassettes.recording": "msgbook.extras.cassettes.recording:recording",
    "cassettes.replay": "msgbook.extras.cassettes.replay:run_replay",
    "git.check": "msgbook.extras.git_setup:check_git",
    "many.folder": "msgbook.extras.many.folder:run_folder",
    "many.models": "msgbook.extras.many.models:run_models",
    "other_chats.export_messages": "msgbook.extras.other_chats.exported_messages:export_messages",
    "other_chats.import_as": "msgbook.extras.other_chats.imported_chats:import_as",
    "other_chats.import_into": "msgbook.extras.other_chats.imported_chats:import_into",
    "other_chats.message_forms": "msgbook.extras.other_chats.openai_messages:FORMS",
}
"""What the extras offer: `module:name`, as in the entry points of a plug-in. A table, since reading those of all installed
packages takes longer than a command may."""
