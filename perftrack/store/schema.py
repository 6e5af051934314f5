"""The schema's version and the numbered migrations that lead to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack._version import __version__
from perftrack.errors import StoreVersionError
from perftrack.store import queries

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FILE_NAME = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema, from the file `NNNN_name.sql`."""

    version: int
    name: str
    sql: str


@cache
def migrations() -> tuple[Migration, ...]:
    """All steps, oldest first, numbered from 1 without gaps."""
    found = []
    for item in resources.files("perftrack.store").joinpath("migrations").iterdir():
        if match := _FILE_NAME.fullmatch(item.name):
            found.append(Migration(int(match[1]), match[2], item.read_text(encoding="utf-8")))
    found.sort(key=lambda m: m.version)
    assert [m.version for m in found] == list(range(1, len(found) + 1)), "migrations are not numbered 1, 2, …"
    return tuple(found)


def stored_version(connection: DuckDBPyConnection, path: Path) -> int:
    """Version of an open file. Raises StoreVersionError where it is no perftrack store."""
    if not connection.execute(queries.HAS_SCHEMA_TABLE).fetchall():
        raise StoreVersionError(
            f"{path} is a DuckDB file, but not a perftrack store",
            "Name another file with --store or PERFTRACK_STORE.",
        )
    ((version,),) = connection.execute(queries.SCHEMA_VERSION).fetchall()
    return int(version or 0)


def check_readable(connection: DuckDBPyConnection, path: Path) -> None:
    """Raises StoreVersionError unless this perftrack's readers fit the file's schema exactly."""
    version, current = stored_version(connection, path), len(migrations())
    if version > current:
        raise _newer(path, version, current)
    if version < current:
        raise StoreVersionError(
            f"{path} has schema version {version}; this perftrack reads version {current}",
            "The next perftrack record upgrades it in place; an older perftrack cannot read it then.",
        )


def migrate(connection: DuckDBPyConnection, path: Path) -> None:
    """Bring an open perftrack store up to date, inside the caller's transaction."""
    version, current = stored_version(connection, path), len(migrations())
    if version > current:
        raise _newer(path, version, current)
    apply(connection, after=version)


def apply(connection: DuckDBPyConnection, *, after: int) -> None:
    """Run the migrations numbered above `after`, inside the caller's transaction."""
    for step in migrations()[after:]:
        connection.execute(step.sql)
        connection.execute(queries.INSERT_MIGRATION, [step.version, step.name, __version__])


def _newer(path: Path, version: int, current: int) -> StoreVersionError:
    return StoreVersionError(
        f"{path} was written by a newer perftrack: schema version {version}, this one knows {current}",
        "Upgrade with: pip install --upgrade perftrack-gpu",
    )
