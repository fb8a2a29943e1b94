"""Text of a message file, cut into its parts. Nothing here gives a part a meaning.

A text has these parts, outermost first:

- A `SplitText` is a text cut into frontmatter, document, preamble and cells. `split.py` cuts it.
- A `SplitCell` is one cell: its head and the output cells below the head.
- A `Segment` is any of these parts as text: its lines, and the blank lines behind them.
- A `TextCell` is one head or output cell, parsed: a marker with title and label, a footnote with
  type and attributes, and a body.
- A `Dialect` is what parsing and formatting of a cell depend on: the kernel and the message section.
"""
