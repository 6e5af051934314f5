"""`perftrack-epochs.toml`: the accepted changes of a project, committed with its code.

An array of tables, `[[epoch]]` with `bench`, `at` (a full SHA), `reason` and, where it is about one metric alone,
`metric`. Entries are added at the end and everything else in the file is kept as it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from perftrack.core.epoch import Epoch
from perftrack.core.text import flaw, name_flaw, quoted
from perftrack.errors import ConfigError

EPOCHS_FILE = "perftrack-epochs.toml"
MAX_REASON = 1000

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_KEYS = ("bench", "at", "reason", "metric")
_HEADER = """\
# Accepted changes of performance: from its commit on, an epoch's earlier measurements are no baseline.
# `perftrack accept` adds to it. Commit this file.
"""


def load_epochs(root: Path) -> tuple[Epoch, ...]:
    """The accepted changes of the project at `root`, in the file's order; none where there is no file.

    Raises ConfigError listing every problem.
    """
    path = root / EPOCHS_FILE
    text = _read(path)
    return () if text is None else _parse(text, path)


def add_epoch(root: Path, epoch: Epoch) -> Path:
    """Append an epoch to the file, which is made where there is none; the path of the file.

    Whatever else is in it stays byte for byte, and it is replaced at once or not at all. Raises ConfigError for
    an epoch that is there already, a file that cannot be read or written, and text that it cannot hold.
    """
    path = root / EPOCHS_FILE
    before = _read(path)
    known = () if before is None else _parse(before, path)
    for other in known:
        if (other.bench, other.sha, other.metric) == (epoch.bench, epoch.sha, epoch.metric):
            raise ConfigError(
                f"{path}: {epoch.bench} is accepted at {epoch.sha[:12]} already: {other.reason}",
                "Edit its reason in the file, or accept another commit.",
            )
    text = before if before is not None else _HEADER
    text += ("" if text.endswith("\n") or not text else "\n") + _entry(epoch)
    if _parse(text, path) != (*known, epoch):
        raise ConfigError(
            f"{path}: an entry cannot be added at its end", "Write the epochs as [[epoch]] tables, one for each."
        )
    _replace(path, text)
    return path


def _entry(epoch: Epoch) -> str:
    given = {"bench": epoch.bench, "at": epoch.sha, "metric": epoch.metric, "reason": epoch.reason}
    # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
    lines = [
        f"{k} = {json.dumps(v, ensure_ascii=False)}".replace("\x7f", "\\u007f") for k, v in given.items() if v
    ]
    return "\n[[epoch]]\n" + "\n".join(lines) + "\n"


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def _parse(text: str, path: Path) -> tuple[Epoch, ...]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    problems = [f"unknown key {key!r}; there is only [[epoch]]" for key in document if key != "epoch"]
    tables = document.get("epoch", [])
    if not isinstance(tables, list):
        problems.append("epoch must be an array of tables: [[epoch]]")
        tables = []
    epochs = []
    for position, table in enumerate(tables, 1):
        wrong = _problems(table)
        problems += [f"epoch {position}: {w}" for w in wrong]
        if not wrong:
            epochs.append(Epoch(table["bench"], table["at"], table["reason"], table.get("metric", "")))
    if problems:
        listed = "\n".join(f"  - {p}" for p in problems)
        raise ConfigError(
            f"{path}: {len(problems)} problem(s)\n{listed}", "perftrack accept writes whole entries."
        )
    return tuple(epochs)


def _problems(table: object) -> list[str]:
    if not isinstance(table, Mapping):
        return [f"must be a table, not {quoted(table)}"]
    found = [f"unknown key {key!r}; it has {', '.join(_KEYS)}" for key in table if key not in _KEYS]
    found += [f"needs `{key}`" for key in ("bench", "at", "reason") if key not in table]
    for key in ("bench", "metric"):
        if key in table and (wrong := name_flaw(table[key])):
            found.append(f"{key} {wrong}")
    at, reason = table.get("at", "0" * 40), table.get("reason", "-")
    if not isinstance(at, str) or not _SHA.fullmatch(at):
        found.append(f"at must be the full SHA of a commit, not {quoted(at)}")
    if wrong := reason_flaw(reason):
        found.append(wrong)
    return found


def reason_flaw(reason: object) -> str | None:
    """What makes a text no reason: it is shown on one line, and says something."""
    if not isinstance(reason, str) or not reason.strip() or len(reason) > MAX_REASON:
        return f"reason must have 1 to {MAX_REASON} characters"
    found = flaw(reason)
    return None if found is None else f"reason {found}"


def _replace(path: Path, text: str) -> None:
    """Write a file whole: whoever reads it meanwhile, or after a crash, sees the old text or the new."""
    target = path.resolve()  # a link stays a link
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except (OSError, UnicodeEncodeError) as error:
        raise ConfigError(f"{path}: cannot be written: {error}") from error


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
