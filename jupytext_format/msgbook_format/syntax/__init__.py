"""Text of a message file, cut into its parts. Nothing here gives a part a meaning.

A text has these parts, outermost first:

- A `SplitText` is a text cut into frontmatter, document, preamble and cells. `split` cuts it.
- A `SplitCell` is one cell: its head and the output cells below the head.
- A `Segment` is any of these parts as text: its lines, and the blank lines after them.
- A `TextCell` is one head or output cell, parsed: a marker with title and label, a footnote with
  type and attributes, and a body.
- `Footnotes` are those that are not below their markers, where a reader puts them.
- A `Dialect` is what parsing and formatting of a cell depend on: the kernel and the message section.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.syntax.cell_rule import (
        CHAT_CELLS,
        CODE_FIRST_CELLS,
        CONTINUE_MAGIC,
        MSG_MAGIC,
        OTHER_CELLS,
        CellRule,
        ChatCells,
        CodeFirstCells,
        IsMagic,
        OtherCells,
        is_continue,
        is_shell_command,
        rule_of,
        rule_of_kernel,
    )
    from msgbook_format.syntax.dialect import (
        PYTHON_LINE,
        Dialect,
        has_msgbook_kernel,
    )
    from msgbook_format.syntax.fence import StringPositions, write_fence
    from msgbook_format.syntax.frontmatter import split_frontmatter
    from msgbook_format.syntax.frontmatter_key import FrontmatterError
    from msgbook_format.syntax.kernels import (
        CHAT_KERNEL,
        CODE_FIRST_KERNEL,
        CODE_FIRST_KERNELSPEC,
        KERNELSPEC,
        LANGUAGE,
        LANGUAGE_INFO,
    )
    from msgbook_format.syntax.text_cell import (
        AgentLine,
        is_excluded,
        is_history,
        is_summary,
        parse_agent_line,
        parse_label,
        parse_msg_line,
        stricter_history,
        unread_footnote,
    )
    from msgbook_format.syntax.yaml_nodes import YamlError, compose, plain_value
else:
    __getattr__ = lazy_names(__name__)
