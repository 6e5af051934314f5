"""Worker processes seen from the coordinator: start, ask, read what they print, kill."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import subprocess
import time
from pathlib import Path

import msgspec

from perftrack.errors import WorkerError
from perftrack.suite.boot import BOOT, OPTIONS
from perftrack.suite.kin import MARK, descendants, end_kin
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Reply, Request, encode

OUTPUT_KEPT = 16 * 1024
REPLY_LIMIT = 256 * 2**20
START_TIMEOUT_S = 120.0
STOP_GRACE_S = 5.0


class WorkerDied(Exception):  # noqa: N818 - an event, handled where it happens
    """The worker ended in the middle of a request. `how` says by what."""

    def __init__(self, how: str, output: str) -> None:
        super().__init__(how)
        self.how = how
        self.output = output


class WorkerTimedOut(WorkerDied):
    """The worker did not answer in time and was killed."""


class WorkerProcess:
    """One fresh interpreter. Use as a context manager: it is killed with all its children at the end."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process: subprocess.Popen[bytes] | None = None
        self._mark = secrets.token_hex(16)
        self._requests = -1
        self._replies = -1
        self._output = -1
        self._printed = bytearray()
        self._pending = bytearray()
        self._selector: selectors.BaseSelector | None = None

    def __enter__(self) -> WorkerProcess:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop(STOP_GRACE_S if kind is None else 0.0)

    def start(self) -> None:
        """Start and wait until it is ready. Raises WorkerError where it cannot start."""
        request_read, self._requests = os.pipe()
        self._replies, reply_write = os.pipe()
        self._output, output_write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [self._setup.python, *OPTIONS, BOOT, str(request_read), str(reply_write)],
                cwd=self._setup.base,
                env={**os.environ, **self._setup.environment, MARK: self._mark},
                stdin=subprocess.DEVNULL,
                stdout=output_write,
                stderr=output_write,
                pass_fds=(request_read, reply_write),
                start_new_session=True,  # a kill reaches everything that the benchmark started
            )
        except OSError as error:
            self._close()
            raise WorkerError(
                f"cannot start {self._setup.python!r} in {self._setup.base}: {error.strerror}",
                "Set `python` in [tool.perftrack], or --python, to an interpreter of version 3.11 or newer.",
            ) from error
        finally:
            for fd in (request_read, reply_write, output_write):
                os.close(fd)
        self._prefer_for_oom_kill()
        self._selector = selectors.DefaultSelector()
        for fd in (self._replies, self._output):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ)
        try:
            self._write(self._setup.encode())
            reply = self._receive(START_TIMEOUT_S)
        except WorkerDied as error:
            self.stop()
            printed = error.output[-2000:].rstrip()
            raise WorkerError(
                f"the worker ({self._setup.python}) {error.how} before it was ready:\n{printed}",
                "It needs Python 3.11 or newer; set `python` in [tool.perftrack] or --python.",
            ) from error
        if reply.ready is None:
            self.stop()
            raise WorkerError("the worker answered out of turn")

    def _prefer_for_oom_kill(self) -> None:
        """A benchmark that takes all memory should lose its own process, not the coordinator."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000", encoding="ascii")

    def ask(self, request: Request, timeout_s: float) -> Reply:
        """The worker's answer. Raises WorkerDied or WorkerTimedOut; the worker is then gone."""
        self._printed.clear()
        self._write(encode(request))
        return self._receive(timeout_s)

    @property
    def output(self) -> str:
        """The end of what was printed since the last request."""
        return bytes(self._printed[-OUTPUT_KEPT:]).decode(errors="replace")

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _write(self, data: bytes) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._requests, view) :]
        except OSError as error:
            self._died(error)

    def _receive(self, timeout_s: float) -> Reply:
        assert self._selector is not None
        deadline = time.monotonic() + timeout_s
        while True:
            if b"\n" in self._pending:
                line, _, rest = bytes(self._pending).partition(b"\n")
                self._pending = bytearray(rest)
                self._drain_output()
                return self._decode(line)
            left = deadline - time.monotonic()
            if left <= 0:
                output = self.output
                self.stop(grace_s=0.0)
                raise WorkerTimedOut(f"gave no answer within {timeout_s:g} s and was killed", output)
            # Asked before reading, so that its last words are read. The pipe's end tells less: a daemon of the
            # benchmark's holds it open.
            ended = not self.alive
            for key, _ in self._selector.select(0.0 if ended else min(left, 1.0)):
                if key.fd == self._output:
                    self._drain_output()
                elif not self._read_reply():
                    self._died(None)
            if ended and b"\n" not in self._pending:
                self._died(None)

    def _decode(self, line: bytes) -> Reply:
        try:
            return msgspec.json.decode(line, type=Reply)
        except (msgspec.DecodeError, ValueError) as error:
            output = self.output
            self.stop(grace_s=0.0)
            raise WorkerDied(f"broke the protocol: {error}", output) from error

    def _read_reply(self) -> bool:
        """Take what is there; False at the end of the stream."""
        try:
            chunk = os.read(self._replies, 1 << 20)
        except BlockingIOError:
            return True
        self._pending += chunk
        return bool(chunk) and len(self._pending) <= REPLY_LIMIT

    def _drain_output(self) -> None:
        assert self._selector is not None
        # Bounded: a benchmark that prints without end must not keep us here past its timeout.
        for _ in range(64):
            try:
                chunk = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return
            if not chunk:
                with contextlib.suppress(KeyError):
                    self._selector.unregister(self._output)
                return
            self._printed += chunk
            if len(self._printed) > 4 * OUTPUT_KEPT:
                del self._printed[:-OUTPUT_KEPT]

    def _died(self, cause: Exception | None) -> None:
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_GRACE_S)
        self._drain_output()
        code, output = self._process.poll(), self.output
        self.stop(grace_s=0.0)
        raise WorkerDied(_how_it_ended(code), output) from cause

    def kill(self) -> None:
        """From another thread: what is being asked ends as WorkerDied there. `stop` cleans up."""
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """Ask it to exit, wait `grace_s`, then kill it and everything it started. Safe to call twice."""
        process = self._process
        if process is None:
            return
        kin = descendants(process.pid)
        try:
            if grace_s > 0 and process.poll() is None:
                with contextlib.suppress(OSError):
                    os.write(self._requests, encode(Request()))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(grace_s)
        finally:  # also when a second Ctrl-C ends the wait
            self._process = None
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            end_kin(self._mark, kin)
            self._close()

    def _close(self) -> None:
        if self._selector is not None:
            self._selector.close()
            self._selector = None
        for fd in (self._requests, self._replies, self._output):
            if fd >= 0:
                os.close(fd)
        self._requests = self._replies = self._output = -1


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "closed its connection"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        extra = " (out of memory?)" if name == "SIGKILL" else ""
        return f"was killed by {name}{extra}"
    return f"exited with code {code}"
