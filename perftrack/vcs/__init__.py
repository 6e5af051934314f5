"""Git: the user's repository, read through plain commands. The only GitPython is in `command`."""

from __future__ import annotations

from perftrack.vcs.repository import Repository

__all__ = ["Repository"]
