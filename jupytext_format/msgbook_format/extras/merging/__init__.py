"""Three-way merge of message files, and the programs that git runs for it.

- `parts`: a text as the parts that are merged; which cells of two texts are the same, where each cell of the result
  stands, and the merge of lines.
- `one_part`: the merge of a frontmatter, key by key, or of one cell.
- `conflicts`: how a conflict is written, so that the result is still a message file, and a common ancestor that has
  conflicts itself.
- `merge`: the merge of whole texts. All of these are pure.
- `driver`: the merge driver of git, `python -m msgbook_format.merging`.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.extras.merging.conflicts import Labels
    from msgbook_format.extras.merging.driver import Merged, MergeError, merge_texts
else:
    __getattr__ = lazy_names(__name__)
