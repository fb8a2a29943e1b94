"""The findings of `check`: a row for each message, with its name, how bad it is, its words and what to do.

The functions that find them stand beside this module: `file_rules.py`, `agent_rules.py` and `output_rules.py`.
docs/commands.md has a section for each name; tests/format/checks/test_check.py holds it to these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgbook_format.finding import Finding

Severity = Literal["error", "warning", "note"]
"""An error: a message, an agent or an output is lost, fails, or is sent against its author's will. A warning:
something is read otherwise than its author probably meant. A note: msgbook reads it, others may not."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A message of `check`; several rows may have the same name."""

    name: str
    severity: Severity
    words: str
    """What was found and how it is read, with values in braces."""
    remedy: str = ""
    """What to do, a sentence of its own; empty where the words already say it."""

    def at(self, number: int, /, *, fixable: bool = False, **values: object) -> Finding:
        """Return the finding in the line of this number, with the values in its words."""
        message = f"{self.words}. {self.remedy}" if self.remedy else self.words
        return Finding(number, self.name, message.format(**values), fixable)


# The file.

BOM = Row("bom", "note", "the file begins with a byte order mark, which other tools read as text")
MIXED_LINE_ENDS = Row(
    "mixed-line-ends",
    "note",
    "{pairs} of {lines} lines end with CRLF, the others with LF",
    "End all lines with LF.",
)
CR_LINE_ENDS = Row(
    "cr-line-ends",
    "error",
    "all lines end with a carriage return (CR) alone, so the file is read as one line and has no messages",
    "End all lines with LF.",
)
CONTROL_CHARACTER = Row(
    "control-character",
    "note",
    "the line contains {character}: editors and git may change or reject the file",
)
CONFLICT_MARK = Row(
    "conflict-mark",
    "error",
    "`{line}` is a conflict mark of git, which could not merge the file here",
    "Keep one side or both, and delete the mark. If it is part of your text, indent it.",
)
SECTION_MISSING = Row(
    "section-missing",
    "error",
    "`message_section` names the heading {heading!r}, but the file has none, so it has no messages",
    "Add `## {heading}` where they begin. In a `.msg.md` file you can also delete the key: then all of the "
    "file is messages.",
)
MARKER_ABOVE_SECTION = Row(
    "marker-above-section",
    "error",
    "`{line}` is above the last heading {heading!r}, where the messages begin. It is not a message and is "
    "never sent to a model.",
)
SECTION_NOT_LAST = Row(
    "section-not-last",
    "warning",
    "the heading `{line}` is below the heading of the message section, which is the last section of the "
    "file. It is read as part of the message above it",
    "Move it above the section.",
)

# The frontmatter, and the agents that it defines.

INVALID_YAML = Row(
    "frontmatter-yaml",
    "error",
    "the frontmatter is not valid YAML here: {problem}. Its agents are not read.",
)
NO_MAPPING = Row(
    "frontmatter-yaml",
    "error",
    "expected `key: value` lines in the frontmatter, found {found}",
)
UNREADABLE_AGENTS = Row("frontmatter-yaml", "error", "{problem}. No agents are read.")
JUPYTER_KEY = Row(
    "jupyter-key",
    "error",
    "expected a mapping of JSON values below `jupyter:`, found something else. Kernel and metadata of the "
    "notebook are not read",
    "Correct the value, or delete the key.",
)
DUPLICATE_KEY = Row(
    "duplicate-key", "warning", "`{key}` is already set in line {line}", "Keep only one."
)
AGENTS_TYPE = Row("agents-type", "error", "expected {expected} for {what}, found {found}")
NARROWING_TYPE = Row(
    "agents-type",
    "error",
    "expected {expected} for {what}, found {found}. Until then nothing is allowed",
)
UNKNOWN_PROPERTY = Row("unknown-property", "warning", "{what} is unknown and ignored")
MISSPELLED_PROPERTY = Row(
    "unknown-property", "warning", "{what} is unknown and ignored", "Did you mean `{near}`?"
)
USERS_PROPERTY = Row("users-property", "warning", "{what} is ignored: {why}")
UNKNOWN_AGENT = Row(
    "unknown-agent",
    "error",
    "{what} names `{name}`, but no such agent is defined: expected one of {known}",
)
UNDEFINED_AGENT = Row(
    "unknown-agent",
    "error",
    "the agent `{name}` is not defined above: expected one of {known}",
)
AGENT_TOO_LATE = Row(
    "agent-too-late",
    "error",
    "{what} names the agent `{name}`, which the cell in line {line} makes for the cells below it alone: "
    "this message will fail",
    "Move that cell up, or name another agent in the message",
)
TEMPORARY_AGENT = Row(
    "temporary-agent",
    "warning",
    "the temporary agent `{name}` cannot set `system_prompt`; only `agents:` in the frontmatter can",
)
UNREADABLE_MAGIC = Row("unreadable-magic", "error", "`{magic}` cannot be run: {problem}")
AGENT_IN_PYTHON = Row(
    "agent-in-python",
    "error",
    "`%agent {verb}` is in a Python fence, where it has no effect",
    "Change the fence to ```ipython.",
)
JUPYTEXT_MISPLACED = Row(
    "jupytext-ignored", "warning", "`jupytext` has no effect here", "Move it below `jupyter:`."
)
JUPYTEXT_OLD_KEY = Row(
    "jupytext-ignored",
    "warning",
    "`{key}` is a key of old versions and has no effect",
    "Use `jupytext: formats:`.",
)
JUPYTEXT_TYPE = Row(
    "jupytext-ignored",
    "warning",
    "expected a mapping for `jupytext`, found another value: it has no effect",
)
JUPYTEXT_KEY = Row(
    "jupytext-ignored",
    "warning",
    "`{key}` below `jupytext` has no effect: only `formats` has",
)
FORMATS_TYPE = Row(
    "jupytext-formats",
    "warning",
    "expected text such as `formats: ipynb,{own}`, found a list or mapping: the file is not paired",
)
FORMATS_UNNAMED = Row(
    "jupytext-formats",
    "warning",
    "`{name}` in `formats` lacks the name of the format: only `ipynb` and `{own}` are supported",
)
FORMATS_UNKNOWN = Row(
    "jupytext-formats",
    "warning",
    "`{name}` in `formats` has no effect: only `ipynb` and `{own}` are supported",
)

# Markers and footnotes.

NEAR_MARKER = Row(
    "near-marker",
    "warning",
    "`{line}` is content, not a marker",
    "A marker is one to five `#` in the first column, one space, `%%` or `%%%`, then a space, `[^` or the "
    "end of the line.",
)
ORPHAN_OUTPUT = Row(
    "orphan-output",
    "error",
    "`{line}` has no prompt above it. An answer is sent as a message of the assistant, anything else is not "
    "sent",
    "Put it below the prompt that it belongs to. If it is part of your text, write `\\` before it.",
)
MARKER_IN_FENCE = Row(
    "marker-in-fence",
    "warning",
    "this marker begins a cell, even inside the fence from line {start} to line {end}",
    "If it is content, write `\\` before it.",
)
UNCLOSED_FENCE = Row(
    "unclosed-fence", "warning", "the fence {fence} is not closed: it hides all that follows"
)
UNCLOSED_CODE = Row(
    "unclosed-fence",
    "warning",
    "the fence {fence} is not closed: the code reaches to the end of the cell",
)
UNREAD_FOOTNOTE = Row(
    "unread-footnote",
    "error",
    "this line cannot be read as the footnote of the marker in line {line}, so the cell is not sent to a "
    "model",
    "Write `{label}: {mark}` below a marker that ends with `{label}`",
)
STRAY_FOOTNOTE = Row(
    "unread-footnote",
    "error",
    "no marker takes this line as its footnote",
    "Put it in one line below its marker, with the marker's label, or write `\\` before it if it is text",
)
HOLDING_FOOTNOTE = Row(
    "unread-footnote",
    "error",
    f"{STRAY_FOOTNOTE.words}, so what it may belong to is not sent to a model",
    STRAY_FOOTNOTE.remedy,
)
UNKNOWN_KEY = Row(
    "misspelled-mark",
    "error",
    "`{magic}` has no attribute `{key}`, so it has no effect: expected {known}",
)
MISSPELLED_KEY = Row(
    "misspelled-mark",
    "error",
    "`{magic}` has no attribute `{key}`, so it has no effect",
    "Did you mean `{near}`?",
)
MISSPELLED_LINE = Row(
    "misspelled-mark",
    "error",
    "`{found}` is not `{magic}`: its attributes have no effect, so it hides nothing",
    "Write `{magic}`",
)
MISSPELLED_MAGIC = Row(
    "misspelled-mark",
    "error",
    "`{found}` is not `{magic}`: the cell is sent as code, its attributes hide nothing, and running it is an "
    "error unless there is such a magic",
    "Write `{magic}`",
)
DUPLICATE_ID = Row(
    "duplicate-id",
    "warning",
    "the cell in line {line} already has the id `{id}`. This cell gets another id, which changes with its "
    "text",
    "Give it a label of its own.",
)
DUPLICATE_LABEL = Row(
    "duplicate-id",
    "warning",
    "the call in line {line} already has the label `[^{label}]`: results belong to the last one",
)
UNCLOSED_QUOTE = Row(
    "unclosed-quote",
    "warning",
    "the quote of `{key}=` is not closed: the value ends at the first space",
)
DUPLICATE_ATTRIBUTE = Row(
    "duplicate-attribute", "warning", "`{key}` is set {count} times: the first value counts"
)

# Turns and outputs.

WRONG_CALL_ID = Row(
    "result-without-call",
    "error",
    "`call=` names `{call}`, but no call of this turn has that id",
)
WRONG_LABEL = Row(
    "result-without-call",
    "error",
    "this result belongs to a call labelled `[^{label}]`, but the turn has none: it is read as the result of "
    "the last call",
)
NO_CALL = Row(
    "result-without-call",
    "error",
    "this result belongs to a call labelled `[^{label}]`, but the turn has none: there is no call above it",
)
UNNAMED_CALL = Row(
    "result-without-call",
    "error",
    NO_CALL.words,
    'If this is a call, write `name="TOOL"` in its footnote',
)
UNNAMED_CALL_OF_ID = Row("result-without-call", "error", WRONG_CALL_ID.words, UNNAMED_CALL.remedy)
CALL_WITHOUT_RESULT = Row(
    "call-without-result",
    "warning",
    "the call has no result: in requests it counts as interrupted",
)
_SENT_WHOLE = "the whole text is sent as the value of `invalid_json`"
UNREADABLE_CALL = Row(
    "unreadable-call",
    "error",
    f"expected arguments as JSON or XML elements, found neither: {_SENT_WHOLE}",
)
CONTRADICTING_CALL = Row(
    "unreadable-call",
    "error",
    f"the body calls `{{called}}`, but the footnote says `{{named}}`: {_SENT_WHOLE}",
)
BAD_OBJECT = Row("bad-json", "warning", "expected a JSON object for `{key}`, found `{found}`")
BAD_JSON = Row(
    "bad-json",
    "warning",
    "expected {expected}, found an error in column {column}: {problem}; the body is read as text",
)
UNREADABLE_JSON = Row("bad-json", "warning", "{problem}")
NO_OBJECT = Row(
    "bad-json",
    "warning",
    "expected a JSON object, found `{found}`; the body is read as text",
)
BAD_BASE64 = Row("bad-base64", "error", "expected BASE64, found `{found}`")
CUT_BASE64 = Row(
    "bad-base64",
    "error",
    "the BASE64 is cut short: its length is not a multiple of four",
)
BAD_HISTORY = Row(
    "bad-history",
    "error",
    "expected include, exclude or summary, found {found}: nothing of it is sent",
)
USELESS_HISTORY = Row(
    "useless-history",
    "note",
    "there is nothing here that is sent: `history` has no effect",
)
STALE_OUTPUT_HISTORY = Row(
    "stale-output-history",
    "error",
    "the cell's `output_history` was made for other outputs, so none of its outputs is sent: write "
    "`history=` on the outputs, and remove `output_history` from `metadata=`",
)
BAD_TIME = Row("bad-time", "note", "expected a time such as 2026-11-20T10:00:00Z, found `{found}`")
BAD_DURATION = Row(
    "bad-duration", "note", "expected seconds such as 0.5s for `{key}`, found `{found}`"
)
BAD_COUNT = Row(
    "bad-count", "note", "expected a number of up to 15 digits for `{key}`, found `{found}`"
)
BAD_STATUS = Row("bad-status", "warning", "expected {known} for `{key}`, found `{found}`")
OUTPUT_FILE = Row("output-file", "error", "{problem}")
