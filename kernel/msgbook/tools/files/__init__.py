"""The work of the file tools. A worker process runs it; the kernel reads files with the same functions.

Imports the standard library alone, so that a worker starts at once.
"""

from msgbook.tools.files.opening import entries, is_folder, read_file, refusing
from msgbook.tools.files.patterns import matcher
from msgbook.tools.files.text import TextFile, decoded
from msgbook.tools.files.walking import SKIPPED, walk

__all__ = [
    "SKIPPED",
    "TextFile",
    "decoded",
    "entries",
    "is_folder",
    "matcher",
    "read_file",
    "refusing",
    "walk",
]
