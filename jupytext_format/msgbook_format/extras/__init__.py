"""Features beside the format, each of which the core could do without.

- `agent_context`: notebooks as `.mtm` files, and back.
- `checks`: probable mistakes in a text.
- `compared_texts`: two versions of a text, for a page that compares them.
- `merging`: the merge of three versions of a text, for git.

The core imports none of them. It finds what they offer by its name in `ENTRY_POINTS`, when a user asks for it.
"""

from __future__ import annotations

ENTRY_POINTS = {
    "agent_files.encode": "msgbook_format.extras.agent_context.files:encode_agent_file",
    "agent_files.load": "msgbook_format.extras.agent_context.files:load_context",
    "agent_files.parse": "msgbook_format.extras.agent_context.files:parse_agent_file",
    "checks.check": "msgbook_format.extras.checks:check",
    "compared_texts.handler": "msgbook_format.extras.compared_texts:add_cells_handler",
}
"""What the extras offer: `module:name`, as in the entry points of a plug-in."""
