"""`msgbook run DIR --dask ADDRESS`: no file is lost and none is answered twice, even if a worker is killed."""

from __future__ import annotations

from concurrent.futures import Future

from msgbook.extras.many.cluster import receive
from msgbook.extras.many.job import Job


def test_if_the_scheduler_is_gone_the_file_says_so(tmp_path):
    # What a client's future is when its connection is lost.
    future = Future()
    future.cancel()
    job = Job(tmp_path / "chat.msg.md")

    result = receive(future, job, b"")

    assert result.status == "failed"
    assert result.notices == [(str(job.path), "no worker did it: CancelledError: ")]
