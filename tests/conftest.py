"""Settings that hold for all tests."""

from __future__ import annotations

import os

# What perftrack starts runs as it does for those who use it, and need not be compiled anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # a GPU machine may have no more than torch and pytest: tests/gpu needs neither
    pass
else:
    # Machines that run these are shared: how long an example takes says nothing about the code.
    settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("shared")
