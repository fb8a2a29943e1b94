"""A Jupyter server with our extension, over either kind of contents manager."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from processes import stop

SYNC = "jupyter_server.services.contents.largefilemanager.LargeFileManager"


class RefusedError(Exception):
    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class Server:
    """HTTP requests to the contents of a server, the folder that it serves, and Jupyter's runtime folder."""

    Refused = RefusedError

    def __init__(self, root, url, token, runtime):
        self.root, self.url, self._token = root, url, token
        self.runtime = runtime

    def read(self, name):
        return (self.root / name).read_bytes()

    def write(self, name, data):
        (self.root / name).write_bytes(data.encode() if isinstance(data, str) else data)

    def get(self, name, **query):
        return self._ask("GET", f"{name}?{urllib.parse.urlencode(query)}", None)

    def put(self, name, model):
        return self._ask("PUT", name, model)

    def post(self, name, model):
        return self._ask("POST", name, model)

    def patch(self, name, model):
        return self._ask("PATCH", name, model)

    def delete(self, name):
        return self._ask("DELETE", name, None)

    def exporters(self):
        """What nbconvert offers, as a page asks that shows a notebook."""
        return json.loads(self.send("GET", "api/nbconvert", None))

    def export(self, path):
        """A page that nbconvert makes; `path` is `EXPORTER/FILE`."""
        return self.send("GET", f"nbconvert/{path}", None).decode()

    def _ask(self, method, name, model):
        body = self.send(method, f"api/contents/{name}", model)
        return json.loads(body) if body else None

    def send(self, method, path, model=None):
        data = None if model is None else json.dumps(model).encode()
        headers = {"Authorization": f"token {self._token}", "Content-Type": "application/json"}
        url = f"{self.url}{path}"
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            with error:
                body = error.read()
            raise RefusedError(error.code, _message(body)) from None


def _message(body):
    """The words of a refusal; those about hidden files are no JSON."""
    return json.loads(body)["message"] if body.startswith(b"{") else body.decode()


@contextmanager
def started(root, runtime, options, cwd=None):
    """A running server; its URL is known when it says that it has bound its port."""
    package = Path(__file__).parents[2]
    path = os.pathsep.join([str(package / "jupytext_format"), str(package / "kernel")])
    folders = {f"JUPYTER_{name}_DIR": str(runtime / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    token = secrets.token_hex(16)
    command = [
        # As the script `jupyter` starts it, whose first place to import from is its own folder.
        sys.executable, "-P", "-m", "jupyter_server", "--no-browser", "--ip=127.0.0.1", "--port=0",
        f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={token}", "--allow-root",
        "--ServerApp.jpserver_extensions=msgbook_format.server=True", *options,
    ]  # fmt: skip
    environment = {**os.environ, **folders, "PYTHONPATH": path, "HOME": str(runtime)}
    with subprocess.Popen(
        command,
        env=environment,
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        try:
            url = _url(process.stderr)
            _await_port(process, int(url.rpartition(":")[2].strip("/")))
            drain.start()
            yield Server(root, url, token, folders["JUPYTER_RUNTIME_DIR"])
        finally:
            stop(process)
            if drain.ident is not None:
                drain.join(timeout=300)


def _url(log):
    """The address that the server says."""
    lines = []
    for line in log:
        lines.append(line)
        found = re.search(r"http://127\.0\.0\.1:[0-9]+/", line)
        if found:
            return found[0]
    raise AssertionError("the server did not start:\n" + "".join(lines))


def _await_port(process, port):
    """Return when the port is bound: the server says its address just before that."""
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        os.sched_yield()
