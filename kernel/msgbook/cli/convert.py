"""`msgbook convert FILE NEW`: writes a conversation in another form, and chats of other programs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgbook.cli.folders import make_folder, require_target
from msgbook.cli.terminal import CommandError, line_of, say
from msgbook.errors import describe_file_error
from msgbook.notebook import NOTEBOOK_SUFFIX, Document, create, require_name
from msgbook_format.document import restore_metadata
from msgbook_format.errors import MessageFileError
from msgbook_format.files import AGENT_SUFFIXES, stem_of
from msgbook_format.lazy import load_extra
from msgbook_format.syntax import CHAT_CELLS, rule_of
from msgbook_format.typed import as_dict


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    path = Path(arguments.file)
    new = None if arguments.new is None else Path(arguments.new)
    out = None if arguments.out is None else Path(arguments.out)
    of_messages: Mapping[str, str] = load_extra("msgbook", "other_chats.message_forms")
    form = _form(new, out, arguments.to, of_messages)
    if new is not None and new.exists() and path.exists() and new.samefile(path):
        raise CommandError(f"{new} is FILE itself, which is not changed. Name another file.")
    if form in of_messages.values():
        export_messages: Callable[..., int] = load_extra("msgbook", "other_chats.export_messages")
        return export_messages(
            path, new, out, form, system_prompt=arguments.system_prompt, force=arguments.force
        )
    if arguments.system_prompt:
        raise CommandError("--system-prompt is for OpenAI messages: add --to openai-messages.")
    if out is not None and not is_conversation(path):
        import_into: Callable[..., int] = load_extra("msgbook", "other_chats.import_into")
        return import_into(path, out, form)
    if out is not None:
        make_folder(out)
        new = out / f"{stem_of(path.name)}.{form}"
    assert new is not None  # noqa: S101 - `_form` has checked it
    if is_conversation(path):
        return convert(path, new, force=arguments.force)
    import_as: Callable[..., int] = load_extra("msgbook", "other_chats.import_as")
    return import_as(path, new, force=arguments.force)


def is_conversation(path: Path) -> bool:
    """Return whether a name is that of a conversation of ours."""
    return path.name.endswith((".md", NOTEBOOK_SUFFIX, *AGENT_SUFFIXES))


def _form(
    new: Path | None, out: Path | None, wanted: str | None, of_messages: Mapping[str, str]
) -> str:
    """Return the form to write, which is one of `--to`.

    Args:
        of_messages: The forms that hold messages alone, by the ending of a name.

    Raises:
        CommandError: The arguments do not say what to write, or say it twice.
    """
    if new is not None and out is not None:
        raise CommandError(f"expected NEW or --out, found both: {new} and {out}.")
    by_name = of_messages.get(new.suffix) if new is not None else None
    if wanted in of_messages.values():
        return str(wanted)
    if new is None and out is None:
        raise CommandError("expected NEW, the file to write, or a folder: --out DIR.")
    if new is not None and wanted is not None and not new.name.endswith(f".{wanted}"):
        raise CommandError(f"expected a name that ends with .{wanted}, as --to says, found {new}.")
    return wanted or by_name or "msg.md"


def convert(path: Path, new: Path, *, force: bool = False) -> int:
    """Write the conversation of a file into another one and print its name.

    Args:
        new: Its ending chooses the form.
        force: Whether `new` may exist. It has to hold a conversation then.

    Returns:
        0.

    Raises:
        MsgbookError: A file cannot be read or written, or `new` exists and is not to be replaced.
    """
    document = Document.read(path)
    _require_prompts(document, new)
    if force:
        require_target(new)
    try:
        if force and new.exists():
            present = Document.read(new)
            present.notebook = _replacing(present, document)
            present.save()
        else:
            require_name(new)
            create(new, document.notebook)
    except FileExistsError:
        raise CommandError(
            f"{new} exists. Choose another name, or replace its conversation with --force."
        ) from None
    except (MessageFileError, OSError, ValueError) as error:
        raise CommandError(describe_file_error(new, error)) from error
    except RecursionError:
        raise CommandError(f"{path}: it is nested too deep. Nothing was written.") from None
    say(str(new))
    return 0


def _require_prompts(document: Document, new: Path) -> None:
    """Raise `CommandError` if an agent's file is to be made of a notebook of another kernel."""
    metadata = document.notebook["metadata"]
    if not new.name.endswith(AGENT_SUFFIXES) or rule_of(metadata) is CHAT_CELLS:
        return
    kernelspec = metadata.get("kernelspec")
    name = as_dict(kernelspec).get("name")
    has = f"the kernel {line_of(str(name))}, not msgbook" if name else "no kernel"
    raise CommandError(
        f"{document.path} has {has}, so it cannot become an {new.suffix} file. Nothing was written."
    )


def _replacing(present: Document, document: Document) -> dict[str, Any]:
    """Return the notebook to write; a text keeps what its author wrote above the messages."""
    if present.path.suffix != ".md":
        return document.notebook
    return restore_metadata(document.notebook, present.notebook)
