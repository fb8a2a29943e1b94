"""`msgbook run DIR --dask ADDRESS`: no file is lost and none is answered twice, even if a worker is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest
from command import settings
from scripted_server import Answer, delta, error, text
from typed import environment, type_in

from msgbook_format import read
from msgbook_format.turn import turn_of

_CLUSTER = """
import sys
if __name__ == "__main__":
    from distributed import LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""

PROMPTS = [f"p{file}-{number}" for file in (1, 2, 3, 4) for number in (1, 2)]


def prompt_of(request):
    content = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
    return content if isinstance(content, str) else content[0]["text"]


def echo(request):
    return text(f"answer to {prompt_of(request)}")


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """The workers' `msgbook.toml`."""
    return tmp_path_factory.mktemp("settings") / "msgbook.toml"


@pytest.fixture(scope="module")
def cluster(module_server, config, tmp_path_factory):
    """Process of a cluster with two workers, which starts slowly, and its address."""
    script = tmp_path_factory.mktemp("cluster") / "cluster.py"
    script.write_text(_CLUSTER)
    environ = settings(module_server, MSGBOOK_CONFIG=str(config), MSGBOOK_MODEL="")
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", str(script)],
        env={**os.environ, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield psutil.Process(process.pid), process.stdout.readline().strip()


@pytest.fixture
def server(module_server, config):
    config.write_text('model = "m"\n')
    module_server.reset()
    return module_server


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "chats"
    place.mkdir()
    for number in (1, 2, 3, 4):
        prompts = (f"p{number}-1", f"p{number}-2")
        (place / f"c{number}.msg.md").write_text(
            "\n".join(f"# %% [^{name}]\n\n{name}\n" for name in prompts), "utf-8"
        )
    return place


def workers_connected_to(server, cluster):
    port = int(server.url.split(":")[2].split("/")[0])
    return [
        child
        for child in cluster.children(recursive=True)
        if any(c.raddr and c.raddr.port == port for c in child.net_connections())
    ]


def started(folder, address, cwd=None):
    return subprocess.Popen(
        [sys.executable, "-m", "msgbook", "run", str(folder), "--dask", address],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answers(folder):
    found = {}
    for path in sorted(folder.glob("*.msg.md")):
        for cell in read(path)["cells"]:
            for turn in filter(None, map(turn_of, cell.get("outputs", ()))):
                words = "".join(b.get("text", "") for b in turn["blocks"] if b["type"] == "text")
                found[cell["id"]] = (turn["status"], words)
    return found


def test_if_a_worker_is_killed_another_answers_what_has_no_answer_and_nothing_else(
    server, folder, cluster
):
    held = Answer([delta(content="half")], hold=1)
    seen = Counter()

    def choose(request):
        name = prompt_of(request)
        seen[name] += 1
        return held if name == "p2-2" and seen[name] == 1 else echo(request)

    server.choose = choose
    processes, address = cluster
    process = started(folder, address)
    while len(answers(folder)) < len(PROMPTS) - 1:
        assert process.poll() is None
    # The other worker hangs up after it has saved its last answer.
    while len(busy := workers_connected_to(server, processes)) > 1:
        assert process.poll() is None
    busy[0].kill()
    out, err = process.communicate()

    assert process.returncode == 0, err
    assert answers(folder) == {name: ("done", f"answer to {name}") for name in PROMPTS}
    assert seen == Counter({**dict.fromkeys(PROMPTS, 1), "p2-2": 2})
    assert [line.split()[2] for line in out.splitlines()[1:-1]] == ["done"] * 4
    assert sorted(path.name for path in folder.iterdir()) == [f"c{n}.msg.md" for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "terminated"])
def test_an_interrupt_ends_the_turns_on_all_workers_and_keeps_what_has_arrived(
    server, folder, cluster, stop
):
    server.choose = lambda _request: Answer([delta(content="half")], hold=1)
    process = started(folder, cluster[1])
    while len(server.requests) < 2:
        assert process.poll() is None
    process.send_signal(stop)
    out, err = process.communicate()

    assert (process.returncode, "Traceback" in err) == (1, False), err
    assert not list(folder.glob(".msgbook-*"))
    assert {status for status, _ in answers(folder).values()} == {"interrupted"}
    assert len(server.requests) == len(answers(folder))
    assert "not run" in out


@pytest.mark.parametrize("address", ["no-scheme://x", "tls://127.0.0.1:1", "", "a web server"])
def test_a_scheduler_that_does_not_answer_is_wrong_usage(server, folder, address):
    if address == "a web server":
        address = server.url.removesuffix("/v1").replace("http:", "tcp:")
    process = started(folder, address)
    _, err = process.communicate()

    assert (process.returncode, "Traceback" in err) == (2, False)
    assert f"--dask {address}: no scheduler answers (" in err
    assert len(err.splitlines()) == 1
    assert (server.requests, answers(folder)) == ([], {})


@pytest.mark.skipif(
    not Path("/proc/self/cwd").exists(), reason="needs a path that differs by process"
)
def test_the_run_writes_the_files_of_workers_that_do_not_see_the_folder_and_replaces_no_change(
    server, folder, cluster, config
):
    """`/proc/self/cwd` is the folder for the run alone."""
    own = "\n# %% [^own]\n\nmy own\n"

    def choose(request):
        name = prompt_of(request)
        if name == "p1-1":
            with (folder / "c1.msg.md").open("a") as file:
                file.write(own)
        return error(401, "no") if name == "p2-1" else echo(request)

    server.choose = choose
    config.write_text('model = "first"\n')
    out, err = started("/proc/self/cwd", cluster[1], cwd=folder).communicate()
    assert [line.split()[2] for line in out.splitlines()[1:-1]] == [
        "unsaved",
        "failed",
        "done",
        "done",
    ]
    assert "msgbook run: /proc/self/cwd/c2.msg.md/p2-1: AuthenticationError" in err
    assert "/proc/self/cwd/c1.unsaved.msg.md" in err
    assert (folder / "c1.msg.md").read_text("utf-8").endswith(own)
    assert answers(folder) == {
        **{name: ("done", f"answer to {name}") for name in PROMPTS if name[:2] != "p2"},
        "p2-1": ("error", ""),
    }
    assert {request["model"] for request in server.requests} == {"first"}

    (folder / "c1.unsaved.msg.md").replace(folder / "c1.msg.md")
    server.reset()
    server.choose = echo
    config.write_text('model = "second"\n')
    started("/proc/self/cwd", cluster[1], cwd=folder).communicate()

    asked = [(request["model"], prompt_of(request)) for request in server.requests]
    assert asked == [("second", "p2-1"), ("second", "p2-2")]
    assert sorted(path.name for path in folder.iterdir()) == [f"c{n}.msg.md" for n in (1, 2, 3, 4)]


def test_the_command_of_the_manual_answers_on_the_cluster(fences, server, folder, cluster):
    (commands,) = fences
    server.choose = echo

    script = commands.script.replace("tcp://scheduler:8786", cluster[1])
    type_in(script, folder.parent, environment({}))

    assert answers(folder) == {name: ("done", f"answer to {name}") for name in PROMPTS}
