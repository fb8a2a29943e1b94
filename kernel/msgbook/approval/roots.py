"""The notebook's folder as root: reading below it needs no approval. A worker starts with this module.

Regular files whose real path lies inside the notebook's folder and does not look like a secret are
read without approval; an agent with `allowed_uris` reads only inside those. So are the results that
msgbook keeps in `.msgbook/blobs/`. Everything else needs approval, and so does every write.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from msgbook.errors import MsgbookError, ToolError
from msgbook.text import visible
from msgbook_format.links import real_path

_PROCESSES = Path("/proc")
"""Shows each process's arguments and environment, where keys may be (Linux)."""
_LEFT_OUT = "it is outside the folders that this agent may use"
_GUARDED = {".msgbook", ".git", ".agents", "agents.md"}
_BLOB = re.compile(r"[0-9a-f]{64}")
_PATH_LIMIT = 4096
"""PATH_MAX of Linux: no file has a longer path, so it need not be looked up."""
_URL = re.compile(r"file:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Roots:
    """The folders below which reading needs no approval.

    Args:
        folder: The notebook's folder: relative paths start there, and it is the root. Reading needs
            approval even there if it is or contains the home directory.
        private: Folders in which reading always needs approval: Jupyter's own.
        blobs: Folder of complete results, named by their digests. Reading them needs no approval.
        allowed: Real paths. If set, reading inside the folder needs approval outside of these.
    """

    def __init__(
        self,
        folder: Path,
        private: Iterable[Path] = (),
        blobs: Path | None = None,
        allowed: Sequence[Path] | None = None,
    ) -> None:
        self.folder = folder.resolve()
        self._too_wide = _home(self.folder).is_relative_to(self.folder)
        self._private = [_folded(path.resolve()) for path in (*private, _PROCESSES)]
        self._blobs = blobs
        self._allowed = None if allowed is None else tuple(allowed)

    def narrow_to(self, allowed: Sequence[Path] | None) -> Roots:
        """Return the same roots with other `allowed` paths."""
        narrowed = copy(self)
        narrowed._allowed = None if allowed is None else tuple(allowed)
        return narrowed

    def resolve(self, path: str) -> Path:
        """Return the real path of a tool's argument, with every link followed.

        Raises:
            ToolError: The text is not a path.
        """
        if not path or "\0" in path or _URL.match(path) or len(path) > _PATH_LIMIT:
            raise ToolError(
                f"{path[:200]!r} is not the path of a file. Give a path relative to the notebook."
            )
        try:
            return real_path(self.folder / path)
        except OSError as error:  # a loop of links
            words = error.strerror or str(error)
        except UnicodeEncodeError:
            words = "it contains half of a surrogate pair"
        raise ToolError(f"{path!r}: {words}.")

    def is_inside(self, real: Path) -> bool:
        """Return whether a real path is the notebook's folder or below it."""
        return real.is_relative_to(self.folder)

    def check_read(self, real: Path) -> ApprovalRequest | None:
        """Return the approval request for reading a real path; None if none is needed.

        A likely secret always asks, so that an approval to read other files does not cover it.
        """
        if self._is_blob(real):
            return None
        secret = self.is_secret(real)
        words = []
        if not self.is_inside(real):
            words.append("it is outside the notebook's folder")
        elif self._too_wide:
            words.append("the notebook's folder is or contains your home directory")
        elif not self._is_allowed(real):
            words.append(_LEFT_OUT)
        if secret:
            words.append("it may hold a secret")
        if not words:
            return None
        reason = f"{' and '.join(words)}: {visible(str(real))}"
        return ApprovalRequest(reason, always_asks=secret, path=str(real))

    def check_write(self, real: Path, effect: str, preview: str = "") -> ApprovalRequest:
        """Return the approval request for a write; every write needs one.

        It always asks for a path that controls msgbook, git or the shell, for a likely secret, and
        for a path outside the notebook's folder.

        Args:
            effect: "it changes", "it makes the folder".
            preview: Diff of the change.
        """
        controls = any(folded(part) in _GUARDED for part in real.parts)
        outside = self._too_wide or not self.is_inside(real)
        always_asks = controls or outside or self.check_read(real) is not None
        where = ""
        if not self.is_inside(real):
            where = ", outside the notebook's folder"
        elif not self._is_allowed(real):
            where = f", and {_LEFT_OUT}"
        reason = f"{effect} {visible(str(real))}{where}"
        return ApprovalRequest(reason, preview, always_asks, str(real))

    def is_searchable(self, folder: Path) -> bool:
        """Return whether a folder needs approval only because `allowed` names folders below it.

        Such a folder is searched without approval, but only the parts that are `is_in_reach`.
        """
        needed = self.check_read(folder)
        narrow = needed is not None and not needed.always_asks and not self._too_wide
        return narrow and self.is_in_reach(folder)

    def is_in_reach(self, real: Path) -> bool:
        """Return whether `allowed` includes a path or something below it."""
        holds = any(path.is_relative_to(real) for path in self._allowed or ())
        return self.is_inside(real) and (holds or self._is_allowed(real))

    def list_readable_paths(self) -> list[str]:
        """Return the paths below which reading needs no approval, relative to the notebook's folder.

        They are sorted, have slashes, and none is below another; `.` is the notebook's folder.
        """
        found: list[Path] = []
        if not self._too_wide:
            for path in sorted({self.folder} if self._allowed is None else {*self._allowed}):
                covered = any(path.is_relative_to(other) for other in found)
                if not covered and self.is_inside(path) and not self.is_secret(path):
                    found.append(path)
        return [path.relative_to(self.folder).as_posix() for path in found]

    def is_secret(self, real: Path) -> bool:
        """Return whether a file is likely to hold a secret, whatever path a call starts from.

        The parts of the notebook's own path do not count, since a person has chosen that folder.
        """
        parts = real.parts[len(self.folder.parts) if self.is_inside(real) else 1 :]
        return self._is_private(real) or looks_secret([folded(part) for part in parts])

    def format_path(self, real: Path) -> str:
        """Return a path as it is shown: relative to the notebook's folder if it is inside."""
        return str(real.relative_to(self.folder)) if self.is_inside(real) else str(real)

    def _is_allowed(self, real: Path) -> bool:
        return self._allowed is None or any(real.is_relative_to(path) for path in self._allowed)

    def _is_private(self, real: Path) -> bool:
        own = _folded(real)
        return any(own[: len(folder)] == folder for folder in self._private)

    def _is_blob(self, real: Path) -> bool:
        # If the blobs folder is a link, no real path lies below it, so nothing in it is a blob.
        return real.parent == self._blobs and _BLOB.fullmatch(real.name) is not None


def folded(name: str) -> str:
    """Return a name reduced so that names that a file system may take for the same are equal.

    Removes case, Unicode forms, invisible characters (HFS+ ignores them), and trailing dots, spaces
    and streams (Windows).
    """
    plain = unicodedata.normalize("NFKC", name)
    seen = "".join(c for c in plain if unicodedata.category(c) != "Cf").casefold()
    return seen.partition(":")[0].rstrip(". ") or seen


def _home(otherwise: Path) -> Path:
    """Return the home directory; `/` for a user who has none."""
    try:
        return Path.home().resolve()
    except RuntimeError:
        return Path(otherwise.anchor)


def _folded(path: Path) -> tuple[str, ...]:
    return tuple(folded(part) if part != path.anchor else os.fspath(part) for part in path.parts)


# Paths that are likely to hold a secret. docs/tools.md has the same table; a test compares them.


SECRET_PATHS = (
    # settings and tokens of programs
    ".env*", "*.env", ".netrc", "_netrc", ".authinfo*", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".mongo*rc.js",
    ".htpasswd", "htpasswd", ".git-credentials", ".gitconfig", ".hgrc", ".npmrc", ".yarnrc*", ".bunfig.toml", ".pypirc",
    "pip.{conf,ini}", ".condarc", ".Renviron", "nuget.config", ".s3cfg", ".passwd-s3fs", ".boto", "rclone.conf", ".dockercfg",
    ".databricks.cfg", ".terraformrc", "terraform.rc", ".vault-token", ".vault_pass*", ".sentryclirc", ".{curl,wget}rc",
    ".{msmtp,fetchmail,offlineimap,mbsync,mutt}rc", "wp-config.php", ".cdsapirc", "kaggle.json", ".claude.json", "auth.{json,toml}",
    "oauth_creds*.json", "token.{json,pickle}", "talosconfig", "*.publishsettings",
    # what was typed
    ".*history*", "fish_history", ".histfile", ".zhistory", ".lesshst", ".viminfo", "consolehost_history.txt",
    "history.sqlite", "nushell/history.{txt,sqlite3}",
    # named for what they hold
    "credentials*", ".*credentials*", "*[-_]credentials.{json,toml,yaml,yml,ini,txt,xml}", "client_secret*.json",
    "service{-,_,}account*.json", "gha-creds-*.json", "*.secrets",
    "{,*[-_.]}secret{,s}.{json,toml,yaml,yml,ini,txt,xml,cfg,conf,properties}",
    "{,*[-_.]}password{,s}.{json,toml,yaml,yml,ini,txt,csv}",
    "{,*[-_.]}{api,access,auth}{-,_,}{key,token}{,s}.{json,toml,yaml,yml,ini,txt}", "*.token", ".*[-_]token",
    "kubeconfig*", "*.kubeconfig", "*.tfstate*", "*.tfvars*",
    # keys and their stores
    "id_*", "*_{rsa,dsa,ecdsa,ed25519}", "ssh_host_*_key", "*.pem", "*.key", "*.p8", "*.p12", "*.pkcs12", "*.pfx", "*.ppk",
    "*.jks", "*.jceks", "*.bks", "*.keystore", "*.keytab", "*.kdb", "*.kdbx", "*.psafe3", "*.keychain", "*.keychain-db", "*.jwk",
    "*.ovpn", "*.agekey", "*private*.asc", "*secret*.asc", "wallet.dat", "*[-_.]wallet.json", "UTC--*",
    # of browsers
    "cookies", "cookies.{txt,sqlite*}", "login data*", "logins.json", "key{3,4}.db", "signons.sqlite", ".mozilla/",
    ".config/{google-chrome*,chromium,BraveSoftware,microsoft-edge*,opera*,vivaldi*}/", "Library/{Keychains,Cookies}/",
    # in their folders
    ".ssh/", ".aws/", ".azure/", ".oci/", ".gnupg/", ".docker/", ".kube/", ".helm/", ".talos/", ".password-store/", ".secrets/",
    ".terraform.d/", ".pulumi/", ".huggingface/", ".fly/", ".cloudflared/", ".ngrok2/", ".jfrog/", ".travis/", ".circleci/",
    ".snowsql/", ".snowflake/", ".dbt/", ".davfs2/", ".bundle/config", ".electrum/", ".ethereum/", ".bitcoin/", ".solana/",
    ".config/{gcloud,gh,glab-cli,hub,doctl,hcloud,scw,linode-cli,rclone,sops,op,git,configstore,containers,github-copilot,ngrok,helm,stripe,Bitwarden*}/",
    ".local/share/{keyrings,kwalletd}/", ".cache/huggingface/token", ".cache/git/", ".m2/settings*.xml",
    ".gradle/gradle.properties", ".subversion/auth/", ".msgbook/blobs/asked/", "{,*}.git/**/config*",
    "run/{secrets,credentials}/", "etc/{shadow,gshadow}{,-}", "etc/{wireguard,ssl/private,NetworkManager/system-connections}/",
)  # fmt: skip
"""Patterns of names. A `/` separates consecutive names, and at the end it means a folder. Case does not
count. A pattern for a file also covers everything in a folder of that name."""

_BRACES = re.compile(r"\{([^{}]*)\}")


def looks_secret(parts: Sequence[str]) -> bool:
    """Return whether a path is likely to lead to a secret.

    Args:
        parts: The names of the path, folded (`msgbook.approval.roots.folded`).
    """
    return any(map(_is_secret_name, parts)) or _places().search("/".join(parts)) is not None


@lru_cache(65_536)
def _is_secret_name(name: str) -> bool:
    return _names().fullmatch(name) is not None


@cache
def _names() -> re.Pattern[str]:
    return _expression(p for p in _all() if "/" not in p.rstrip("/"))


@cache
def _places() -> re.Pattern[str]:
    found = _expression(p for p in _all() if "/" in p.rstrip("/"))
    return re.compile(f"(?:^|/)(?:{found.pattern})(?:/|$)", re.DOTALL)


def _all() -> Iterator[str]:
    for pattern in SECRET_PATHS:
        yield from _alternatives(pattern.casefold())


def _alternatives(pattern: str) -> list[str]:
    braces = _BRACES.search(pattern)
    if braces is None:
        return [pattern]
    head, tail = pattern[: braces.start()], pattern[braces.end() :]
    return [found for word in braces[1].split(",") for found in _alternatives(head + word + tail)]


def _expression(patterns: Iterator[str]) -> re.Pattern[str]:
    return re.compile("|".join(_translated(p.rstrip("/")) for p in patterns), re.DOTALL)


def _translated(pattern: str) -> str:
    """Return a pattern as a regular expression; `[...]` stays as it is."""
    pieces = re.split(r"(\*\*/|\*|\[[^]]*\])", pattern)
    meanings = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
    return "".join(
        meanings.get(piece) or (piece if piece.startswith("[") else re.escape(piece))
        for piece in pieces
    )


# An approval request: what a tool call would do, and why it needs approval.


class ApprovalRequest(NamedTuple):
    """Request for the approval of one tool call.

    A named tuple, so that a worker of the file tools can send it as JSON and imports little.
    """

    reason: str
    """Completes "needs approval, since ..."; names the real path, or anything else that is touched."""
    preview: str = ""
    """Unified diff of the change; empty where the arguments say everything."""
    always_asks: bool = False
    """True if only a person can approve it, for this one call: no rule and no session does."""
    path: str = ""
    """The real path that is read or changed; a rule holds for it. Empty for other calls."""
    server: str = ""
    """Digest of the MCP server that is called; a saved rule holds for it. Empty for other calls."""


class ApprovalRequiredError(MsgbookError):
    """A call needs approval. Raised before the call has done anything."""

    def __init__(self, approval_request: ApprovalRequest) -> None:
        super().__init__(approval_request.reason)
        self.approval_request = approval_request
