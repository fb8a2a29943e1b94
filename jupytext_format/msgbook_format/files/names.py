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
