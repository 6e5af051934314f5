"""Doctor: whether this machine is fit to measure, asked where measuring would happen."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from perftrack.app.project import Project
from perftrack.core.checkup import Finding, fail, ok, warn
from perftrack.core.fingerprint import EnvironmentFingerprint  # noqa: F401
from perftrack.errors import ClockLockError, GitError, PerftrackError, StoreError, StoreLockedError, UsageError, WorkerError
from perftrack.store import Store
from perftrack.suite.messages import Request
from perftrack.suite.pool import Setup, WorkerDied, WorkerProcess
from perftrack.timing.clocks import pending_restore, restore_pending
