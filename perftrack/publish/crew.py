"""Processes that work beside this one: they take jobs, and leave those that they have not begun to who asks."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
Made = TypeVar("Made")


def work_alone() -> None:
    """In a worker, before NumPy is loaded: there is a process for each processor, so none needs threads.

    An interrupt is for the process that started it, which ends it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    atexit.register(os._exit, 0)  # to take all modules apart takes as long as some jobs, and is waited for
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker would wait for jobs for good where the process that gives them out was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started inside hear no interrupt, even before `work_alone`; this one hears it later."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Job(Generic[Made]):
    """What a function that a module holds makes of its arguments, here or elsewhere: begun once."""

    def __init__(self, function: Callable[..., Made], arguments: tuple[object, ...]) -> None:
        self._function, self._arguments = function, arguments
        self._begun, self._beginning = False, Lock()
        self._future: Future[Made] | None = None

    @property
    def done(self) -> bool:
        return self._future is not None and self._future.done()

    def begin(self, pool: ProcessPoolExecutor) -> Future[Made] | None:
        """Hand it to a worker; None where it was begun. Raises BrokenProcessPool where the workers are gone."""
        with self._beginning:
            if self._begun:
                return None
            with _deaf():
                self._future = pool.submit(self._function, *self._arguments)
                self._begun = True
            return self._future

    def result(self) -> Made:
        """Made here where no worker has begun it, or where the workers are gone."""
        with self._beginning:
            self._begun = True
        if self._future is not None:
            try:
                return self._future.result()
            except (BrokenProcessPool, CancelledError):
                pass  # no worker could be started, or one was killed
        return self._function(*self._arguments)


class Crew:
    """So many processes, started with the first job or before; of none every job is done by who asks for it.

    The pool is given no more than it is about to begin. To cancel what it was given is not safe while it finds
    out that a worker was killed: up to Python 3.11 its thread then dies of an InvalidStateError, and answers are
    waited for without end.
    """

    def __init__(self, count: int) -> None:
        self.count = max(count, 0)
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: deque[Job[Any]] = deque()
        self._leaving: Thread | None = None
        self._busy, self._lock = 0, Lock()

    def submit(self, function: Callable[..., Made], *arguments: object) -> Job[Made]:
        """The function and its arguments go to another process, and what it returns comes back: by pickle."""
        job = Job(function, arguments)
        if self.count:
            if self._pool is None:
                context = get_context("spawn")
                self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=work_alone)
            self._waiting.append(job)
            self._hand_out(self._pool)
        return job

    def start(self, get_ready: Callable[[], None]) -> None:
        """Start the processes, each with what most jobs need at hand, before there are any jobs."""
        for _ in range(self.count):
            self.submit(get_ready)

    def release(self) -> None:
        """Let the workers go, and do not wait for them: to end takes them a while."""
        self._stop()
        if self._pool is not None:
            self._leaving = Thread(target=self._pool.shutdown, kwargs={"wait": True, "cancel_futures": True})
            self._leaving.start()
        self._pool = None

    def close(self) -> None:
        """End the workers once they have done what they are at."""
        self.release()
        if self._leaving is not None:
            self._leaving.join()

    def _hand_out(self, pool: ProcessPoolExecutor) -> None:
        while (job := self._next()) is not None:
            try:
                future = job.begin(pool)
            except RuntimeError:  # the workers are gone; a BrokenProcessPool is one, too
                self._stop()
                return
            if future is None:
                self._ended()
            else:
                future.add_done_callback(partial(self._after, pool))

    def _next(self) -> Job[Any] | None:
        """The next job, while a worker is free or about to be: one job more than there are workers."""
        with self._lock:
            if not self._waiting or self._busy > self.count:
                return None
            self._busy += 1
            return self._waiting.popleft()

    def _after(self, pool: ProcessPoolExecutor, future: Future[Any]) -> None:
        """In a thread of the pool, which holds its lock where it has found itself broken."""
        self._ended()
        if future.cancelled() or isinstance(future.exception(), BrokenProcessPool):
            self._stop()
        else:
            self._hand_out(pool)

    def _ended(self) -> None:
        with self._lock:
            self._busy -= 1

    def _stop(self) -> None:
        """What waits is left to who asks for it."""
        with self._lock:
            self.count = 0
            self._waiting.clear()
