"""Honest timing: devices, telemetry, environment and the sampling protocol.

Everything a worker process needs imports the standard library only, so that workers run in a
project's own environment without perftrack's dependencies; torch and NVML are imported where used.
"""
