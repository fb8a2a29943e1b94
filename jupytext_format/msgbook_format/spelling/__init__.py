"""Writing of heads so that a text stays as its author wrote it.

- The verbatim bits of a cell (`metadata.msgbook.text`) are its text as it was read.
- `OwnTexts` are those of all cells, with each footnote below its marker.
- A `PlannedHead` is a cell with the head that will be written for it: its own text, or a new one.
- A `HeadText` is the text of a head in parts, which an edit replaces one by one.
"""
