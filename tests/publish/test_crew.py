"""Jobs for other processes: the same results wherever they are done, and done here where nobody else does them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from perftrack.publish.crew import Crew


@pytest.fixture
def crew() -> Iterator[Crew]:
    with closing(Crew(1)) as made:
        yield made


def wait_for(job: object) -> None:
    end = time.monotonic() + 60
    while not job.done and time.monotonic() < end:  # type: ignore[attr-defined]
        time.sleep(0.01)


def test_a_job_is_done_by_another_process(crew: Crew) -> None:
    job = crew.submit(os.getpid)
    wait_for(job)
    assert job.result() != os.getpid()


def test_what_a_worker_computes_with_uses_one_thread(crew: Crew) -> None:
    job = crew.submit(os.getenv, "OPENBLAS_NUM_THREADS")
    wait_for(job)
    assert job.result() == "1"


def test_without_workers_whoever_asks_does_the_job() -> None:
    job = Crew(0).submit(os.getpid)
    assert not job.done
    assert job.result() == os.getpid()


def test_a_job_that_nobody_has_begun_is_done_here(crew: Crew) -> None:
    crew.submit(time.sleep, 0.3)
    jobs = [crew.submit(os.getpid) for _ in range(20)]
    assert jobs[-1].result() == os.getpid()


def test_a_job_of_a_killed_worker_is_done_here(crew: Crew) -> None:
    first = crew.submit(os.getpid)
    wait_for(first)
    os.kill(first.result(), signal.SIGKILL)
    assert crew.submit(len, "four").result() == 4
    assert crew.submit(len, "four").result() == 4


def test_an_interrupt_does_not_reach_a_worker_that_is_starting(crew: Crew) -> None:
    job = crew.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ())
    wait_for(job)
    assert signal.SIGINT in job.result()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_workers_end_with_a_process_that_is_killed() -> None:
    code = """
        import os, time
        from perftrack.publish.crew import Crew

        job = Crew(1).submit(os.getpid)
        while not job.done:
            time.sleep(0.01)
        print("there", flush=True)
        time.sleep(60)
    """
    starter = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE)
    assert starter.stdout is not None
    assert starter.stdout.readline() == b"there\n"
    starter.kill()
    # What it printed to ends where all are gone that could write there.
    assert starter.communicate(timeout=30) == (b"", None)


def test_an_interrupt_is_not_for_the_workers(crew: Crew) -> None:
    first = crew.submit(os.getpid)
    wait_for(first)
    os.kill(first.result(), signal.SIGINT)
    second = crew.submit(os.getpid)
    wait_for(second)
    assert second.result() == first.result()


def test_what_a_job_raises_reaches_who_asks(crew: Crew) -> None:
    job = crew.submit(int, "four")
    wait_for(job)
    with pytest.raises(ValueError, match="four"):
        job.result()
