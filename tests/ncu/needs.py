"""What some of these tests need and a machine may lack."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

WHY = "NVIDIA's package ncu-report is not installed: pip install 'perftrack-gpu[ncu]'"
MISSING = find_spec("ncu_report") is None

reports = pytest.mark.skipif(MISSING, reason=WHY)


def skip_module_without_reports() -> None:
    """For modules that are about reports alone."""
    if MISSING:
        pytest.skip(WHY, allow_module_level=True)
