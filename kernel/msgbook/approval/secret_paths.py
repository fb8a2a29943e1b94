"""Paths that are likely to hold a secret. docs/tools.md has the same table; a test compares them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

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
