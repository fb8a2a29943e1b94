"""The certificates that the environment lets a client trust."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.errors import ConfigError
from msgbook.text import one_line, visible

if TYPE_CHECKING:
    import ssl


FILE, FOLDER, KEY_LOG = "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"

NOT_READ = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables of other programs for the same thing."""

_EXPECTED = "Expected a file with certificates in PEM form"
_HASHED = re.compile(r"[0-9a-f]{8}\.\d+", re.IGNORECASE)
"""A certificate's name in a folder, which `openssl rehash` gives it."""


def tls_context(http: Any, environ: Mapping[str, str]) -> ssl.SSLContext:
    """Return the context for encrypted connections.

    Args:
        http: The HTTP library, which reads the variables of the process itself.

    Raises:
        NetworkProblem: A variable names no certificates.
    """
    ignore_unusable_key_log()
    check_folder(environ)
    try:
        context: ssl.SSLContext = http.create_ssl_context()
    except Exception as error:  # each library and each system raises others
        raise _problem(error, environ) from None
    return context


def ignore_unusable_key_log(environ: MutableMapping[str, str] | None = None) -> None:
    """Unset `SSLKEYLOGFILE` if it names a file that cannot be written.

    Python's `ssl` then makes no context at all, and aiohttp, which the openai package imports where it is
    installed, makes one during its import: nobody could talk to any server, for a variable that only records.
    """
    env = os.environ if environ is None else environ
    if env.get(KEY_LOG) and _key_log_problem(env[KEY_LOG]):
        del env[KEY_LOG]


def plain_context() -> ssl.SSLContext:
    """Return a context that trusts nobody, for a client that has nothing to encrypt."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def check_certificates(environ: Mapping[str, str], name: str) -> None:
    """Raise `NetworkProblem` if one of the three variables cannot be used.

    Args:
        name: The variable.
    """
    if name == FOLDER:
        check_folder({FOLDER: environ.get(FOLDER, "")})
        return
    value = environ.get(name)
    if not value:
        return
    if name == KEY_LOG:
        if why := _key_log_problem(value):
            raise _bad(KEY_LOG, value, f"{why}, so it is ignored", f"Unset or correct {KEY_LOG}.")
        return
    try:
        plain_context().load_verify_locations(cafile=value)
    except (OSError, ValueError) as error:
        raise _problem(error, {name: value}) from None


def check_folder(environ: Mapping[str, str]) -> None:
    """Raise `NetworkProblem` if the folder of certificates has none, which OpenSSL says only in a connection."""
    value = environ.get(FOLDER)
    if not value or environ.get(FILE):
        return
    try:
        names = [name for folder in value.split(os.pathsep) for name in _listed(folder)]
    except OSError as error:
        raise _bad(FOLDER, value, error.strerror or type(error).__name__, _of_folder()) from None
    if not any(map(_HASHED.fullmatch, names)):
        words = "it has no certificate under the name that OpenSSL looks for"
        raise _bad(FOLDER, value, words, f"Run `openssl rehash` on it, or {_of_folder().lower()}")


def describe_trust(environ: Mapping[str, str]) -> str:
    """Return what to do about a server whose certificate is not trusted."""
    for name in (FILE, FOLDER):
        if environ.get(name):
            return (
                f"{name} ({_shown(environ[name])}) says which certificates are trusted, and the server's is "
                f"not signed by one of them. Add the one that signed it, or unset {name}."
            )
    other = next((name for name in NOT_READ if environ.get(name)), "")
    not_read = f" {other} is set, but not read here." if other else ""
    return (
        f"If your network or the server has a certificate authority of its own, set {FILE} to a file with its "
        f"certificate before you start Jupyter or the command.{not_read}"
    )


def _key_log_problem(value: str) -> str:
    """Return why no keys can be recorded in a file; empty if they can. The file is made, as it would be later."""
    try:
        plain_context().keylog_filename = value
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or type(error).__name__
    return ""


def _listed(folder: str) -> list[str]:
    return [path.name for path in Path(folder).iterdir()] if folder else []


def _problem(error: Exception, environ: Mapping[str, str]) -> NetworkProblem:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if value := environ.get(FILE):
        return _bad(FILE, value, why, f"{_EXPECTED}; correct or unset {FILE}.")
    if value := environ.get(FOLDER):
        return _bad(FOLDER, value, why, _of_folder())
    words = f"The certificates of this system cannot be read: {_shown(why)}."
    return NetworkProblem(FILE, words, f"Set {FILE}: e{_EXPECTED[1:]}.")


def _of_folder() -> str:
    return f"Correct or unset {FOLDER}."


def _bad(name: str, value: str, why: str, advice: str) -> NetworkProblem:
    return NetworkProblem(name, f"{name} ({_shown(value)}) cannot be used: {_shown(why)}.", advice)


def _shown(value: str) -> str:
    return visible(one_line(value, 200)) or "''"


# A variable of the environment with which no connection can be made.


class NetworkProblem(ConfigError):  # noqa: N818 - a problem that the user can solve
    """A variable with which no connection can be made.

    Args:
        variable: Its name; empty if it is the system that sets the value.
        words: What is wrong, with the value as it may be shown.
        advice: What to do.
    """

    def __init__(self, variable: str, words: str, advice: str) -> None:
        super().__init__(f"{words} {advice}")
        self.variable = variable
        self.words = words
        self.advice = advice
