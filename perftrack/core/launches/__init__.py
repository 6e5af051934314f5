"""Profiles of kernel launches: which belong together, how two differ, and what explains a difference."""
