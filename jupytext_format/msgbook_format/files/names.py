"""Names of the files that hold conversations. Imports nothing: the kernel starts with it."""

SUFFIX = ".msg.md"
"""A message file."""
AGENT_SUFFIXES = (".mtm", ".mutsumi-notebook")
"""A file with an AgentContext (seed 000)."""


def is_agent_file(path: object) -> bool:
    """Return whether a path has the name of a file with an AgentContext."""
    return str(path).endswith(AGENT_SUFFIXES)


def stem_of(name: str) -> str:
    """Return the name or path of a conversation's file without its ending."""
    for suffix in (SUFFIX, ".md", ".ipynb", *AGENT_SUFFIXES):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def export_name(name: str, extension: str) -> str:
    """Return the name of a file for others that is made of a conversation's file; never that file's own.

    Args:
        extension: Of the new file, with its dot.
    """
    stem = stem_of(name)
    exported = f"{stem}{extension}"
    return exported if exported != name else f"{stem}-export{extension}"
