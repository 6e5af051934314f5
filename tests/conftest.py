"""Settings that hold for all tests."""

from __future__ import annotations

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # a GPU machine may have no more than torch and pytest: tests/gpu needs neither
    pass
else:
    # Machines that run these are shared: how long an example takes says nothing about the code.
    settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("shared")
