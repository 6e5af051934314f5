"""Fetch the store from its branch, or save it there. Standard library and git only.

    store.py fetch BRANCH FILE      exit 0 with an empty start where the branch does not exist yet
    store.py save  BRANCH FILE

The branch is one commit without parents, replaced at every save, so that the repository does not grow with the
number of runs. It is replaced only if it is what was fetched: another job's results are never overwritten.
The working tree and the index are not touched. With TOKEN in the environment, pushes authenticate by it.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

NAME = "perftrack.duckdb"
REMOTE = "origin"
FETCHED = "refs/perftrack/fetched"
NO_SUCH_BRANCH = 2  # git ls-remote --exit-code
LARGEST = 100 * 2**20  # a file that GitHub refuses
AUTHOR = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "perftrack"), ("EMAIL", "perftrack@users.noreply.github.com"))
}


def git(*arguments: str, stdin: bytes | None = None, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        ["git", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **AUTHOR, **_login()},
    )
    if check and done.returncode:
        raise SystemExit(f"::error::git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done


def fetch(branch: str, file: Path) -> None:
    found = git("ls-remote", "--exit-code", REMOTE, f"refs/heads/{branch}", check=False)
    git("update-ref", "-d", FETCHED)
    if found.returncode == NO_SUCH_BRANCH:
        print(f"no branch {branch} yet: starting with an empty store")
        return
    if found.returncode:
        raise SystemExit(f"::error::git ls-remote: {found.stderr.decode(errors='replace').strip()}")
    git("fetch", "--no-tags", "--depth=1", REMOTE, f"+refs/heads/{branch}:{FETCHED}")
    partial = file.with_name(file.name + ".part")
    partial.write_bytes(git("cat-file", "blob", f"{FETCHED}:{NAME}").stdout)
    partial.replace(file)
    print(f"{file.stat().st_size / 1e6:.1f} MB from {branch}")


def save(branch: str, file: Path) -> None:
    size = file.stat().st_size
    if size >= LARGEST:
        raise SystemExit(
            f"::error::the store has {size / 2**20:.0f} MiB, GitHub takes less than 100: keep it elsewhere"
        )
    if size > 0.8 * LARGEST:
        print(f"::warning::the store has {size / 2**20:.0f} of the 100 MiB that GitHub takes")
    blob = git("hash-object", "-w", "--no-filters", str(file)).stdout.decode().strip()
    tree = git("mktree", stdin=f"100644 blob {blob}\t{NAME}\n".encode()).stdout.decode().strip()
    commit = git("commit-tree", tree, "-m", "Results").stdout.decode().strip()
    before = git("rev-parse", "--quiet", "--verify", FETCHED, check=False).stdout.decode().strip()
    target = f"refs/heads/{branch}"
    pushed = git("push", f"--force-with-lease={target}:{before}", REMOTE, f"{commit}:{target}", check=False)
    if pushed.returncode:
        why = pushed.stderr.decode(errors="replace").strip()
        raise SystemExit(f"::error::could not save the store to {branch}; run one job at a time. {why}")
    git("update-ref", FETCHED, commit)
    print(f"{size / 1e6:.1f} MB to {branch}")


def _login() -> dict[str, str]:
    """The token as a header for this git alone, as actions/checkout gives it: in no file, on no command line."""
    token = os.environ.get("TOKEN")
    if not token:
        return {}
    server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
    login = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {login}",
    }


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("fetch", "save"):
        raise SystemExit(__doc__)
    (fetch if sys.argv[1] == "fetch" else save)(sys.argv[2], Path(sys.argv[3]))
