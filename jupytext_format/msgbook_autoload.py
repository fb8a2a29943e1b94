"""Teaches Jupytext the format `msg` wherever it is imported, so that `jupytext` itself knows it.

The `.pth` file of the same name puts a finder in front of `sys.meta_path` at every start of
Python. The finder is a few lines within that file, since finding and loading a module would cost
most programs more than they gain. Only who looks for `jupytext` gets here.
`MSGBOOK_NO_AUTOLOAD=1` in the environment switches it off.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def find_spec(finder: object, path: object, target: object) -> "Any":
    """Where the finders behind `finder` find `jupytext`, with a loader that registers the format.

    None if they do not find it, or if registration is switched off.
    """
    if os.environ.get("MSGBOOK_NO_AUTOLOAD", "0") not in ("", "0"):
        return None
    # Only those behind: two finders that ask all others would ask each other forever.
    for other in sys.meta_path[sys.meta_path.index(finder) + 1 :]:  # type: ignore[arg-type]
        find = getattr(other, "find_spec", None)
        spec = find("jupytext", path, target) if find else None
        if spec is not None:
            if hasattr(spec.loader, "exec_module") and not isinstance(spec.loader, _Loader):
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
