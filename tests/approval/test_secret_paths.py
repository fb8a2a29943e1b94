"""What a secret path holds is shown only to who asks for exactly that path."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import shutil
from pathlib import Path

import fake_ripgrep
import pytest
from file_calls import FileCalls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msgbook.approval import ApprovalRequest, Roots
from msgbook.approval.roots import SECRET_PATHS
from msgbook.request.context.files import FileSources
from msgbook.request.context.sources import SourceError

MARK = "the-token-in-it"
TOOLS = Path(__file__).parent.parent.parent / "docs" / "tools.md"

_SECRETS = [
    ".git/config", ".git/modules/m/config", "sub/.git/config.worktree", "bare.git/config", ".ssh/known",
    "sub/.aws/x/y", ".env", "sub/prod.env", "secrets.toml", "a/b/credentials.json", ".config/gh/hosts.yml",
    "jupyter/runtime/kernel.json", ".m2/settings.xml", "terraform.tfstate.backup", ".env/x",
]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project and a folder beside it, both with secrets of all kinds and links to them."""
    top = tmp_path_factory.mktemp("secrets").resolve()
    for folder in (top / "project", top / "beside"):
        for name in _SECRETS:
            if name.startswith("jupyter/") and folder.name != "project":
                continue
            path = folder / ("deep" if name == ".env/x" else "") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(MARK)
        (folder / "free.txt").write_text("nothing of interest")
        (folder / "link").symlink_to(folder / ".git")
        (folder / "around").symlink_to(folder)
    return top / "project"


@pytest.fixture(params=["python", "program", "ripgrep"])
def files(request, project, tmp_path_factory) -> FileCalls:
    program = None
    if request.param == "ripgrep":
        program = shutil.which("rg")
        if program is None:
            pytest.skip("no ripgrep here")
    if request.param == "program":
        program = fake_ripgrep.install(tmp_path_factory.mktemp("bin"))
    return FileCalls(project, [project / "jupyter"], ripgrep=program)


def secret_below(data: st.DataObject, project: Path) -> tuple[Path, Path]:
    """A secret file, and a folder above it that a call may name."""
    top = data.draw(st.sampled_from([project, project.parent / "beside"]))
    secrets = sorted(p for p in top.rglob("*") if p.is_file() and p.name != "free.txt")
    secret = data.draw(st.sampled_from(secrets))
    folders = [f for f in secret.parents if f.is_relative_to(project.parent)]
    return secret, data.draw(st.sampled_from(folders))


def spelling(data: st.DataObject, folder: Path, project: Path) -> str:
    """One of the ways in which a call can name a folder."""
    detour = data.draw(st.sampled_from(["", "around", "around/around", "free.txt/..", "deep/.."]))
    if folder.is_relative_to(project):
        below = folder.relative_to(project)
        return str(Path(detour, below)) if detour != "free.txt/.." else str(below)
    return data.draw(st.sampled_from([str(folder), f"../{folder.relative_to(project.parent)}"]))


@given(data=st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_searching_from_a_folder_above_shows_nothing_of_a_secret(files, project, data):
    secret, folder = secret_below(data, project)
    path = spelling(data, folder, project)
    tool, arguments = data.draw(
        st.sampled_from(
            [
                ("grep", {"pattern": "token"}),
                ("grep", {"pattern": ".", "glob": secret.name, "context": 3}),
                ("grep", {"pattern": "-", "glob": str(secret.relative_to(folder))}),
                ("glob", {"pattern": "**/*"}),
                ("read", {}),
            ]
        )
    )

    reply = files.reply(tool, path=path, **arguments)
    if "approval_request" in reply:
        reply = files.reply(tool, reply["approval_request"], path=path, **arguments)

    assert MARK not in json.dumps(reply)
    assert "content" in reply


@given(data=st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_secret_that_is_named_itself_asks_each_time_and_is_then_read(files, project, data):
    secret, folder = secret_below(data, project)
    path = str(Path(spelling(data, folder, project), secret.relative_to(folder)))
    tool, arguments = data.draw(st.sampled_from([("grep", {"pattern": "token"}), ("read", {})]))

    needed = files.approval_request(tool, path=path, **arguments)

    assert needed.always_asks
    assert str(secret) in needed.reason
    assert MARK in files.reply(tool, needed, path=path, **arguments)["content"]


@given(data=st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_reference_to_a_folder_or_a_pattern_brings_nothing_of_a_secret(project, data):
    asked = []

    async def allow(real: Path, needed: ApprovalRequest) -> bool:
        asked.append(real)
        return True

    sources = FileSources(Roots(project, [project / "jupyter"]), allow)
    secret, folder = secret_below(data, project)

    async def brought() -> str:
        path = spelling(data, folder, project)
        pattern = data.draw(
            st.sampled_from(["**", "*", "**/*", ".git/*", "*/config", f"**/{secret.name}"])
        )
        try:
            found = await sources.glob(pattern)
            texts = [(await sources.read(name, None, nested=False)).text for name in found.paths]
        except SourceError:
            texts = []
        texts.append((await sources.read(path, None, nested=False)).text)
        return "".join(texts)

    assert MARK not in asyncio.run(brought())
    assert not [real for real in asked if real.is_file()]


@pytest.mark.parametrize(
    "name", ["prod.env", "secrets.toml", "secrets.yaml", "credentials.json", "credentials", "my-secrets.yml",
             "service-account-prod.json", "service_account.json", "x.kdbx", "x.jks", "x.keystore",
             "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.tfvars.json", ".vault-token",
             ".azure/msal_token_cache.json", ".config/gcloud/credentials.db", ".config/gh/hosts.yml",
             ".terraformrc", ".cargo/credentials.toml", ".m2/settings.xml", "kubeconfig", "x.ppk", "private.asc",
             "Credentials.JSON", "PROD.env", "kaggle.json", "client_secret_42.apps.json", ".bash_history"],
)  # fmt: skip
def test_what_is_plainly_secret_is_asked_about(tmp_path, name):
    assert FileCalls(tmp_path).approval_request("read", path=name).always_asks


@pytest.mark.parametrize(
    "name", ["environment.yml", "env.py", "secretary.txt", "tokenizer.json", "keys.py", "config.toml",
             "src/secrets_test.go", "settings.xml", "hosts.yml", "main.tf", "notes.asc", "keyboard.md",
             "monkey", "donkey.txt", "history.md", "config/x", "gitconfig.md"],
)  # fmt: skip
def test_a_file_that_only_resembles_a_secret_needs_no_approval(tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("free")

    assert FileCalls(tmp_path).run("read", path=name) == "free"


def examples(pattern: str) -> list[str]:
    """Return paths that a pattern of the table stands for."""
    pieces = re.split(r"\{([^{}]*)\}", pattern)
    choices = [piece.split(",") if i % 2 else [piece] for i, piece in enumerate(pieces)]
    paths = []
    for words in itertools.product(*choices):
        path = "".join(words).replace("[-_.]", "-").replace("[-_]", "_")
        path = path.replace("**", "x").replace("*", "x")
        paths.append(path + "x" if path.endswith("/") else path)
    return paths


def test_each_entry_of_the_table_asks_by_the_names_that_it_stands_for(tmp_path):
    names = [name for pattern in SECRET_PATHS for name in examples(pattern)]

    assert len(names) > 60
    assert [
        n for n in names if not FileCalls(tmp_path).approval_request("read", path=n).always_asks
    ] == []


def test_the_documentation_has_the_table():
    page = TOOLS.read_text("utf-8")
    section = page.partition("## What may hold a secret\n")[2].partition("\n## ")[0]

    table = section.partition("| --- | --- |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([^`]+)`", table)) == set(SECRET_PATHS)
