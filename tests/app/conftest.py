"""Real repositories, as the tests of vcs have them."""

from __future__ import annotations

from tests.vcs.conftest import apart, empty, linear

__all__ = ["apart", "empty", "linear"]
