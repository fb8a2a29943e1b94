"""Prints how heavy the house is: modules, lines of code, and what one prompt enters.

Usage: weight.py [--json] [FOLDER]      FOLDER is a working tree, by default this one

A line is code if it has a token that is not of a docstring, a comment, an import, `__all__` or a block
`if TYPE_CHECKING`. Only the standard library is needed, but for the trace of one prompt, which needs
what msgbook depends on installed.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

PYTHON = {"msgbook": "kernel/msgbook", "msgbook_format": "jupytext_format/msgbook_format"}
TYPESCRIPT = "labextension/src"
EXTRAS = (*(f"{folder}/extras/" for folder in PYTHON.values()), f"{TYPESCRIPT}/extras/")
"""What the core does not import."""

BLOCK_KINDS = ("reasoning", "tool_call", "tool_result")
"""Kinds of blocks whose names are no words of something else, as `text` and `error` are."""

_LITERAL = re.compile(rf"""(["'])({"|".join(BLOCK_KINDS)})\1""")
_TS_IMPORT = re.compile(
    r"""^(?:import|export)\b[^;]*?\bfrom\s+'([^']+)';|^import\s+'([^']+)';""", re.M
)
_TS_COMMENT = re.compile(
    r"""(?P<kept>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|//[^\n]*|/\*.*?\*/""",
    re.S,
)
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass
class Module:
    """A file of source."""

    path: str
    text: str
    clients: set[str] = field(default_factory=set)
    """Paths of the modules that import it, without the faces of packages."""

    @property
    def is_python(self) -> bool:
        return self.path.endswith(".py")

    @property
    def is_face(self) -> bool:
        return self.path.endswith("/__init__.py")

    @property
    def folder(self) -> str:
        return str(PurePosixPath(self.path).parent)

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def code(self) -> int:
        """Number of its lines of code."""
        return _python_code(self) if self.is_python else _typescript_code(self.text)

    @property
    def has_one_neighbour(self) -> bool:
        """Whether one module alone imports it, in the same folder."""
        return len(self.clients) == 1 and {str(PurePosixPath(c).parent) for c in self.clients} == {
            self.folder
        }


def _python_code(module: Module) -> int:
    left_out: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_names(node) or _is_typing(node):
            last = node.body[-1] if isinstance(node, ast.If) else node
            left_out.update(range(node.lineno, (last.end_lineno or last.lineno) + 1))
    docstrings = {node.lineno: node.end_lineno or node.lineno for node in _docstrings(module.tree)}
    for first, last in docstrings.items():
        left_out.update(range(first, last + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in _NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - left_out)


def _docstrings(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the texts that stand alone: docstrings, also those below attributes."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node


def _is_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
    )


def _is_typing(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _typescript_code(text: str) -> int:
    def blank(found: re.Match[str]) -> str:
        return found["kept"] or "\n" * found[0].count("\n")

    text = _TS_COMMENT.sub(blank, text)
    text = _TS_IMPORT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return sum(bool(line.strip()) for line in text.splitlines())


class House:
    """The modules of a working tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {module.path: module for module in self._read()}
        self._names = {_dotted(path): path for path in self.modules if self.modules[path].is_python}
        self._faces = {name: self._face(name, path) for name, path in self._names.items()}
        for module in self.modules.values():
            if not module.is_face:
                for path in self._imported(module) - {module.path}:
                    self.modules[path].clients.add(module.path)

    def _read(self) -> Iterator[Module]:
        for folder, end in (*((one, "*.py") for one in PYTHON.values()), (TYPESCRIPT, "*.ts*")):
            for path in sorted((self.root / folder).rglob(end)):
                name = path.relative_to(self.root).as_posix()
                if "__tests__" not in name:
                    yield Module(name, path.read_text("utf-8"))

    def _face(self, name: str, path: str) -> dict[str, str]:
        """Return the modules in which the names that a package offers are defined."""
        module = self.modules[path]
        if not module.is_face:
            return {}
        return {
            alias.asname or alias.name: node.module
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(name)
            for alias in node.names
        }

    def _imported(self, module: Module) -> set[str]:
        if not module.is_python:
            return {path for name in self._typescript_names(module) if (path := self._near(name))}
        found: set[str] = set()
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                found |= {self._names[a.name] for a in node.names if a.name in self._names}
            elif isinstance(node, ast.ImportFrom) and node.module in self._names:
                found |= {self._home(node.module, alias.name) for alias in node.names}
        return found

    def _home(self, package: str, name: str) -> str:
        """Return the module that has a name which is imported from a package or a module."""
        if f"{package}.{name}" in self._names:
            return self._names[f"{package}.{name}"]
        home = self._faces[package].get(name)
        return self._names[package] if home is None else self._home(home, name)

    def _typescript_names(self, module: Module) -> Iterator[str]:
        for found in _TS_IMPORT.finditer(module.text):
            name = found[1] or found[2]
            if name.startswith("."):
                yield os.path.normpath(f"{module.folder}/{name}")

    def _near(self, name: str) -> str | None:
        ends = (".ts", ".tsx", "/index.ts")
        return next((name + end for end in ends if name + end in self.modules), None)

    def weigh(self) -> dict[str, object]:
        """Return all numbers but those of a run."""
        modules = [*self.modules.values()]
        python = [module for module in modules if module.is_python]
        script = [module for module in modules if not module.is_python]
        whole = [module for module in modules if not module.is_face]
        by_size = sorted(whole, key=lambda module: (module.code, module.path))
        core = [module for module in modules if not module.path.startswith(EXTRAS)]
        alone = [module.path for module in whole if module.has_one_neighbour]
        kinds = [module.path for module in modules if _LITERAL.search(module.text)]
        return {
            "modules": {"python": len(python), "typescript": len(script)},
            "code": {"python": _code(python), "typescript": _code(script), "core": _code(core)},
            "one client, a neighbour": {
                "python": sum(path.endswith(".py") for path in alone),
                "typescript": sum(not path.endswith(".py") for path in alone),
            },
            "isinstance": sum(module.text.count("isinstance(") for module in python),
            "modules that name a kind of block": len(kinds),
            "biggest": {module.path: module.code for module in by_size[-10:][::-1]},
            "smallest": {module.path: module.code for module in by_size[:10]},
            "folders": dict(sorted(Counter(module.folder for module in modules).items())),
        }


def _code(modules: list[Module]) -> int:
    return sum(module.code for module in modules)


def _dotted(path: str) -> str:
    for package, folder in PYTHON.items():
        if path.startswith(f"{folder}/"):
            inner = path.removeprefix(folder).removesuffix(".py").removesuffix("/__init__")
            return package + inner.replace("/", ".")
    return path


_TRACED = """
import sys, threading
entered = set()
roots = tuple(sys.argv.pop(1).split(":"))
def note(frame, event, _argument):
    code = frame.f_code
    is_function = code.co_flags & 2  # CO_NEWLOCALS: no body of a class or a module, which an import runs
    if event == "call" and is_function and code.co_filename.startswith(roots):
        entered.add((code.co_filename, code.co_firstlineno, code.co_name))
from msgbook.__main__ import main
threading.setprofile(note)
sys.setprofile(note)
code = main(sys.argv[1:])
sys.setprofile(None)
print("\\n" + repr(sorted(entered)))
sys.exit(code)
"""


def trace(root: Path) -> dict[str, int]:
    """Return how many files and functions `msgbook run` of one prompt enters, with the demo model.

    What an import runs, the body of a module or of a class, is not entered.
    """
    with tempfile.TemporaryDirectory() as folder:
        chat = Path(folder, "chat.msg.md")
        chat.write_text("# %% [^a]\n\nSay hello\n", "utf-8")
        roots = ":".join(str(root / one) + os.sep for one in PYTHON.values())
        ours = {
            name: value
            for name, value in os.environ.items()
            if name[:7] not in ("OPENAI_", "MSGBOOK")
        }
        paths = os.pathsep.join(str((root / one).parent) for one in PYTHON.values())
        ours |= {"MSGBOOK_MODEL": "demo", "JUPYTER_CONFIG_DIR": folder, "PYTHONPATH": paths}
        command = [sys.executable, "-P", "-c", _TRACED, roots, "run", str(chat)]
        done = subprocess.run(command, env=ours, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"msgbook run failed: {done.stdout}{done.stderr}")
    entered = ast.literal_eval(done.stdout.splitlines()[-1])
    functions = {one for one in entered if not one[2].startswith("<")}
    return {"files": len({file for file, *_ in entered}), "functions": len(functions)}


def table(weight: Mapping[str, dict[str, int] | int]) -> str:
    """Return the numbers as lines."""
    lines: list[str] = []
    for name, value in weight.items():
        if isinstance(value, int):
            lines.append(f"{name}: {value:,}")
        elif name in ("biggest", "smallest", "folders"):
            lines += ["", f"{name}:", *(f"{number:6,}  {path}" for path, number in value.items())]
        else:
            lines.append(f"{name}: " + ", ".join(f"{part} {n:,}" for part, n in value.items()))
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Print the weight of a tree."""
    folders = [one for one in arguments if not one.startswith("--")]
    root = Path(folders[0] if folders else Path(__file__).parent.parent).resolve()
    weight = House(root).weigh()
    if "--no-run" not in arguments:
        weight = {"run of one prompt": trace(root), **weight}
    text = json.dumps(weight, indent=1) + "\n" if "--json" in arguments else table(weight)  # type: ignore[arg-type]
    sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
