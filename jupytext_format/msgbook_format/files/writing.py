"""Writing of files: new ones, and in place of old ones in one step. Modules do not write in another way,
except those that `EXCEPTIONS` of tests/test_written_files.py names with their reasons.

Only where the user's own file is meant, such as a configuration that is kept elsewhere, is a link followed.
A link among the folders of a path is the user's own, such as a home that is kept elsewhere, unless it lies in the
working folder or in a project: those may come from someone else, who would choose what is written to.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from msgbook_format.errors import FileChangedError, NotReplaceableError
from msgbook_format.files.names import read_regular, require_regular

_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_CLOEXEC"))
)
_FOLDER = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
)
_BY_DESCRIPTOR = {os.open, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
_MODE_BY_DESCRIPTOR = os.chmod in os.supports_fd


_PROJECT_MARKS = (".msgbook", ".git")


def require_no_link(path: Path) -> None:
    """Raise `OSError` if a name is that of a link, wherever it leads, or stands in a folder that someone has linked."""
    require_no_linked_folder(path)
    if path.is_symlink():
        raise _link_error(path)


def require_no_linked_folder(path: Path) -> None:
    """Raise `OSError` if a folder of a path is a link in the working folder or in a project."""
    folder = Path(path.anchor) if path.anchor else Path()
    for name in path.parts[bool(path.anchor) : -1]:
        above, folder = folder, folder / name
        if folder.is_symlink() and _is_shared(above.resolve()):
            raise _link_error(folder)


def _link_error(path: Path) -> OSError:
    words = f"expected a regular file or folder, found a link to {path.readlink()}. Name what it leads to"
    return OSError(errno.ELOOP, words, str(path))


def _is_shared(folder: Path) -> bool:
    """Return whether a folder belongs to the working folder or to a project. A home folder is neither."""
    home = os.path.expanduser("~")  # noqa: PTH111 - no error where there is none
    mine = (Path(home).resolve(), Path(folder.anchor))
    working = Path.cwd().resolve()
    for one in (folder, *folder.parents):
        if one in mine:
            return False
        if one == working or any(os.path.lexists(one / mark) for mark in _PROJECT_MARKS):
            return True
    return False


def require_replaceable(path: Path) -> None:
    """Raise `OSError` if a name is taken by something else than a regular file: a link, a folder, a pipe, a device."""
    require_no_link(path)
    with suppress(FileNotFoundError):
        require_regular(path, sys.maxsize)


def create_file(path: Path, *, mode: int = 0o666) -> BinaryIO:
    """Open a new file for writing, without a buffer; no link is followed.

    Raises:
        FileExistsError: The name is taken, even if by a link that leads nowhere.
        OSError: The file cannot be written.
    """
    require_no_linked_folder(path)
    return os.fdopen(os.open(path, _NEW, mode), "wb", buffering=0)


def create_bytes(path: Path, data: bytes, *, mode: int = 0o666, follow: bool = False) -> None:
    """Write a new file. If it cannot be written, or the user interrupts that, none is left behind.

    Args:
        mode: Its mode, without what the process denies to new files.
        follow: Whether links among its folders are followed wherever they are: for what the user keeps elsewhere.

    Raises:
        FileExistsError: The name is taken, even if by a link that leads nowhere. Nothing is changed.
        OSError: The file cannot be written.
    """
    if not follow:
        require_no_linked_folder(path)
    handle = os.open(path, _NEW, mode)
    try:
        _fill(handle, [data])
        _sync_folder(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def replace_bytes(
    path: Path,
    data: bytes,
    *,
    expected: bytes | None = None,
    mode: int | None = None,
    follow: bool = False,
) -> None:
    """Replace the content of a file in one step: a reader sees the old or the new content.

    Its mode, its attributes and, where permitted, its owner stay. Other hard links keep the old content. A new
    file gets the usual mode. A link that takes the name at the last moment is replaced, not written through.

    Args:
        expected: SHA-256 of the content that is replaced; None for any content.
        mode: Its mode afterwards; None for the mode that it has.
        follow: Whether a link is followed: for what the user keeps elsewhere. Otherwise it is refused.

    Raises:
        FileChangedError: The file has other content than expected.
        PermissionError: The file is read-only.
        NotReplaceableError: Its folder takes no new file, or its name cannot be given to another one.
        OSError: The file cannot be written, or is a link or no regular file. It is unchanged.
    """
    if not follow:
        require_no_link(path)
    try:
        require_regular(path, sys.maxsize)
        old = path.stat()
    except FileNotFoundError:
        old = None
    target = path.resolve() if follow else path
    if old is not None and not os.access(target, os.W_OK):
        # A new file could replace it all the same, but it was protected for a reason.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    # Not made from the file's name, because that could become too long for the file system.
    temporary = target.with_name(f".msgbook-{secrets.token_hex(8)}.tmp")
    # Even while it is written, it is no more readable than the file that it replaces.
    usual = 0o666 if mode is None else mode
    first = usual if old is None else stat.S_IMODE(old.st_mode) & 0o700
    with _replaceable():
        handle = os.open(temporary, _NEW, first)
    try:
        # By its descriptor: somebody else who may write into the folder could put a link in its place.
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            if old is not None:
                place = stream.fileno() if _MODE_BY_DESCRIPTOR else temporary
                _copy_attributes(target, place)
                _copy_owner(place, old, stat.S_IMODE(old.st_mode) if mode is None else mode)
            os.fsync(stream.fileno())
        if expected is not None and _digest(target) != expected:
            raise FileChangedError(path)
        with _replaceable():
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


@dataclass(frozen=True, slots=True)
class OwnFolder:
    """An opened folder of msgbook's own. What is written into it stays there, whatever its name leads to later."""

    path: Path
    descriptor: int | None
    """None if the system opens no files by descriptors."""

    def create(self, name: str, pieces: Iterable[bytes], *, mode: int = 0o666) -> None:
        """Write a new file; if it cannot be written, none is left behind.

        Raises:
            FileExistsError: The name is taken. Nothing is changed.
            OSError: The file cannot be written.
        """
        self._write(name, pieces, mode)

    def replace(self, name: str, pieces: Iterable[bytes], *, mode: int = 0o666) -> None:
        """Write a file in one step, in place of one that has the name."""
        temporary = f".msgbook-{secrets.token_hex(8)}.tmp"
        self._write(temporary, pieces, mode)
        at = self.descriptor
        try:
            os.replace(self._at(temporary), self._at(name), src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            os.unlink(self._at(temporary), dir_fd=at)
            raise

    def _write(self, name: str, pieces: Iterable[bytes], mode: int) -> None:
        handle = os.open(self._at(name), _NEW, mode, dir_fd=self.descriptor)
        try:
            # It can be made again: no power cut is worth a wait.
            _fill(handle, pieces, sync=False)
        except BaseException:
            os.unlink(self._at(name), dir_fd=self.descriptor)
            raise

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)


@contextmanager
def own_folder(base: Path, *names: str, mode: int = 0o777) -> Iterator[OwnFolder]:
    """Open a folder below another one, and make what is missing of it. No link below `base` is followed.

    Args:
        mode: Of the folders that are made.

    Raises:
        OSError: There is a link or a file instead, or the folder cannot be made.
    """
    path = base.joinpath(*names)
    with ExitStack() as opened:
        if not _BY_DESCRIPTOR:
            path.mkdir(parents=True, exist_ok=True)
            if path.resolve() != base.resolve().joinpath(*names):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            yield OwnFolder(path, None)
            return
        inner = os.open(base, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        opened.callback(os.close, inner)
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=inner)
            inner = os.open(name, _FOLDER, dir_fd=inner)
            opened.callback(os.close, inner)
        yield OwnFolder(path, inner)


def _fill(handle: int, pieces: Iterable[bytes], *, sync: bool = True) -> None:
    """Write the content of a new file and close it."""
    with os.fdopen(handle, "wb") as stream:
        for piece in pieces:
            stream.write(piece)
        stream.flush()
        if sync:
            os.fsync(stream.fileno())


@contextmanager
def _replaceable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotReplaceableError.of(error) from error


def _copy_attributes(old: Path, new: Path | int) -> None:
    """Give a file the extended attributes of another one, such as its access list, as far as permitted."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        for name in os.listxattr(old):
            with suppress(OSError):
                os.setxattr(new, name, os.getxattr(old, name))


def _copy_owner(place: Path | int, old: os.stat_result, mode: int) -> None:
    """Give a file the owner of the file that it will replace, and a mode, as far as permitted."""
    new = os.stat(place)  # noqa: PTH116 - perhaps a descriptor
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(place, old.st_uid, old.st_gid)
        except OSError:
            try:
                os.chown(place, -1, old.st_gid)
            except OSError:
                # The rights of its old group are not for another group.
                mode &= ~stat.S_IRWXG
    os.chmod(place, mode)  # noqa: PTH101 - perhaps a descriptor


def _digest(path: Path) -> bytes | None:
    """Return the SHA-256 of a file's bytes; None if there is no file."""
    try:
        return sha256(read_regular(path)).digest()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power cut."""
    if os.name != "posix":
        return
    # The content is already safe, so a file system that cannot do this loses nothing.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
