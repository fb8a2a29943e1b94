"""Teaches Jupytext the format `msg` wherever it is imported, so that `jupytext` itself knows it.

A `.pth` file imports this module at every start of Python. So it imports nothing that is not
loaded by then, and does no more than wait for `import jupytext`. `MSGBOOK_NO_AUTOLOAD=1` in the
environment switches it off.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Finder:
    """Finds `jupytext` where the other finders do, with a loader that registers the format."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Any":
        if name != "jupytext":
            return None
        # Only those behind this one: two finders that ask all others would ask each other forever.
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


class _Loader:
    """Another loader, and a registration once the module has been executed."""

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
        # Whatever it is, `import jupytext` has worked, and the program goes on.
        _warn(f"msgbook: Jupytext does not know message files here ({problem!r})")


def _warn(message: str) -> None:
    import warnings

    try:
        warnings.warn(message, stacklevel=2)
    except Warning:
        print(message, file=sys.stderr)  # noqa: T201  # where warnings are errors


if os.environ.get("MSGBOOK_NO_AUTOLOAD", "0") in ("", "0"):
    sys.meta_path.insert(0, _Finder())
