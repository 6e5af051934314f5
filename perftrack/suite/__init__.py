"""Benchmarks: how they are written, found and run in worker processes."""
