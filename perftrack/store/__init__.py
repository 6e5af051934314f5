"""The store: one DuckDB file that keeps every run. The only SQL and the only `import duckdb`."""

from __future__ import annotations

from perftrack.store.database import Store
from perftrack.store.texts import canonical_params

__all__ = ["Store", "canonical_params"]
