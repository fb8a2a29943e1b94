"""Message files in Jupytext, wherever it is imported: it has no interface for further formats.

Python calls `wait_for_jupytext` at every start: up to 3.14 by the line in `msgbook_autoload.pth`,
from 3.15 on by `msgbook_autoload.start` (PEP 829), which makes Python ignore that line. So this
module imports nothing that is not loaded by then. All else waits for `import jupytext`.
`MSGBOOK_NO_AUTOLOAD=1` in the environment switches it off.

pytest rewrites the modules of its plug-ins' distributions, and would warn that this one is loaded already:
PYTEST_DONT_REWRITE.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def wait_for_jupytext() -> None:
    """Put a finder in front of all others that acts on the import of Jupytext alone."""
    sys.meta_path.insert(0, JupytextFinder())


class JupytextFinder:
    """Finder of the module `jupytext` and of no other."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Any":
        """Return Jupytext's spec with a loader that registers the format; None for others."""
        return find_spec(self, name, path, target) if name == "jupytext" else None


def find_spec(finder: JupytextFinder, name: str, path: object, target: object) -> "Any":
    """Return the spec that the finders after `finder` give for a module, with our loader.

    None if they find none, or if registration is switched off.
    """
    if os.environ.get("MSGBOOK_NO_AUTOLOAD", "0") not in ("", "0"):
        return None
    # Not the finders in front: two finders that ask all others would ask each other forever.
    for other in sys.meta_path[sys.meta_path.index(finder) + 1 :]:
        find = getattr(other, "find_spec", None)
        spec = find(name, path, target) if find else None
        if spec is not None:
            if hasattr(spec.loader, "exec_module") and not isinstance(spec.loader, _Loader):
                spec.loader = _Loader(spec.loader)
            return spec
    return None


class _Loader:
    """Another loader that registers the format when it has executed Jupytext."""

    def __init__(self, loader: "Any") -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> object:
        if name == "_loader":
            raise AttributeError(name)
        return getattr(self._loader, name)

    def exec_module(self, module: "Any") -> None:
        # From here on the module is an ordinary one, for reloads and for readers of resources.
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _register()


def _register() -> None:
    try:
        from msgbook_format.jupytext_plugin import register

        register()
    except Exception as problem:
        # msgbook may have been removed without this module. Jupytext works all the same.
        if getattr(problem, "name", None) != "msgbook_format":
            _warn(f"msgbook: jupytext does not know message files here ({problem!r})")


def _warn(message: str) -> None:
    import warnings

    try:
        warnings.warn(message, stacklevel=2)
    except Warning:
        print(message, file=sys.stderr)  # noqa: T201  # where warnings are errors
