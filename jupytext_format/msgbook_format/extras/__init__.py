"""Features beside the format, each of which the core could do without.

- `checks`: probable mistakes in a text.
- `merging`: the merge of three versions of a text, for git.

The core imports none of them. It finds what they offer by its name in `ENTRY_POINTS`, when a user asks for it.
"""

from __future__ import annotations

ENTRY_POINTS = {
    "checks.check": "msgbook_format.extras.checks:check",
}
"""What the extras offer: `module:name`, as in the entry points of a plug-in."""
