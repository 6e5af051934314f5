"""Links to commits on the forge that hosts the project, made from a Git remote's address.

Only http(s) and ssh remotes give a link. Credentials in a remote never reach a page, and whatever is no
plain host and path (a `javascript:` address, a local folder) gives none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

_SCP = re.compile(r"(?:[\w.+-]+@)?(?P<host>[\w.-]+\.[\w-]+|localhost):(?!//)(?P<path>[^\s:]+)", re.ASCII)
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Forge:
    """`home` is the project's page; `commit_prefix` followed by a SHA is a commit's page."""

    home: str
    commit_prefix: str

    def commit(self, sha: str) -> str | None:
        return self.commit_prefix + sha if _SHA.fullmatch(sha) else None


def forge_of(remote_url: str | None) -> Forge | None:
    """The forge behind a remote, or None where the remote has no page of its own."""
    if not remote_url:
        return None
    remote = remote_url.strip()
    if "://" in remote:
        place = _from_url(remote)
    else:
        match = _SCP.fullmatch(remote)
        place = (match["host"].lower(), match["path"]) if match else None
    if place is None:
        return None
    host, path = place
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if not parts:
        return None
    parts[-1] = parts[-1].removesuffix(".git") or parts[-1]
    scheme = "http" if remote.lower().startswith("http://") else "https"
    home = f"{scheme}://{host}/" + "/".join(quote(part, safe="~") for part in parts)
    return Forge(home, f"{home}/{_commit_part(host)}/")


def _from_url(remote: str) -> tuple[str, str] | None:
    try:
        url = urlsplit(remote)
        port = url.port
    except ValueError:
        return None
    host = (url.hostname or "").lower()
    if url.scheme not in ("http", "https", "ssh", "git+ssh") or not _HOST.fullmatch(host):
        return None
    keeps_port = url.scheme.startswith("http") and port is not None
    return (f"{host}:{port}" if keeps_port else host), _unquoted_path(url)


def _unquoted_path(url: SplitResult) -> str:
    from urllib.parse import unquote

    return unquote(url.path)


def _commit_part(host: str) -> str:
    if "gitlab" in host:
        return "-/commit"
    if "bitbucket" in host:
        return "commits"
    return "commit"
