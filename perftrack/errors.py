"""Every error that perftrack raises on purpose.

PerftrackError                   exit 1; message says what, hint says what to do
├── UsageError                   exit 2; the arguments do not fit together
├── ConfigError                  pyproject.toml or perftrack.toml; lists every problem found
├── GitError                     not a repository, unknown revision, dirty tree, shallow clone
├── StoreError                   the DuckDB file
│   ├── StoreLockedError         another process holds the write lock
│   ├── StoreMissingError        there is no store yet
│   └── StoreVersionError        written by a newer perftrack, or not a perftrack store
├── SuiteError                   a benchmark file or declaration, with file and line
├── WorkerError                  a worker process that could not start or broke the protocol
│   └── BuildError               a commit whose build failed
├── MeasurementError             (also RuntimeError) a number that must not be recorded
├── DeviceError                  (also RuntimeError) the device is not there or failed
├── ClockLockError               (also RuntimeError) an operating point could not be established
├── InvalidValueError            (also ValueError) an argument of a public function
├── ProfileError                 a profiler's output that is none, is damaged, or could not be taken
└── PublishError                 the site could not be written
"""

from __future__ import annotations


class PerftrackError(Exception):
    """Base of all expected errors. `hint` names the option, command or file that fixes it."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(PerftrackError):
    """Arguments that do not fit together."""

    exit_code = 2


class ConfigError(PerftrackError):
    """A configuration file that cannot be used; every problem in it is in the message."""


class GitError(PerftrackError):
    """The repository cannot give what was asked."""


class StoreError(PerftrackError):
    """The store cannot be read or written."""


class StoreLockedError(StoreError):
    """Another process holds the store's write lock."""


class StoreMissingError(StoreError):
    """There is no store at the path."""


class StoreVersionError(StoreError):
    """The file is from a newer perftrack, or is not a perftrack store at all."""


class SuiteError(PerftrackError):
    """A benchmark file or declaration that cannot be used; names file and line."""


class WorkerError(PerftrackError):
    """A worker process that could not start, or answered outside the protocol."""


class BuildError(WorkerError):
    """A commit, by SHA, whose build failed."""

    def __init__(self, sha: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.sha = sha


class MeasurementError(PerftrackError, RuntimeError):
    """A measurement that must not be recorded as a number."""


class DeviceError(PerftrackError, RuntimeError):
    """A device that is not there, not supported, or failed."""


class ClockLockError(PerftrackError, RuntimeError):
    """A requested operating point (SM clock, power cap) could not be established."""


class InvalidValueError(PerftrackError, ValueError):
    """An argument of a public function outside its range."""


class PublishError(PerftrackError):
    """The site cannot be written."""


class ProfileError(PerftrackError):
    """A profiler's output that is not one, is damaged, or could not be taken; names the file and what to run."""
