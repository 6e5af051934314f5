"""Post or update one comment on the pull request that a finished gate measured. Standard library only.

    comment.py FILE

FILE comes from a run that may have executed a stranger's code, so nothing in it is believed: the pull request is
found from the event that GitHub sent, and its head must still be the commit that was measured. The text is cut to
what GitHub takes, and mentions in it notify nobody. The comment is known by its first line, and only one that this
token's own account wrote is replaced.

Environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_EVENT_PATH (of a workflow_run), GITHUB_API_URL.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARKER = "<!-- perftrack -->"
LONGEST = 65_536  # characters of a comment on GitHub
CUT = "\n\n… cut: the whole answer is in the summary of the run.\n"
AUTHOR = "github-actions[bot]"
PAGE = 100


def api(method: str, path: str, body: object = None) -> Any:
    root = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = urllib.request.Request(
        f"{root}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        asked = path.partition("?")[0]
        raise SystemExit(f"::error::GitHub answered {error.code} to {method} {asked}") from error
    except urllib.error.URLError as error:
        raise SystemExit(f"::error::GitHub was not reached: {error.reason}") from error


def pages(path: str) -> Iterator[Any]:
    number = 1
    while True:
        items = api("GET", f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={number}")
        yield from items
        if len(items) < PAGE:
            return
        number += 1


def pull_request(run: dict[str, Any]) -> int | None:
    """The open pull request whose head is the commit that the run measured; the event names none for a fork's."""
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    found = pages(f"pulls?state=open&head={urllib.parse.quote(head, safe='')}")
    return next((int(p["number"]) for p in found if p["head"]["sha"] == run["head_sha"]), None)


def text_of(file: Path) -> str:
    raw = file.read_bytes()[: 8 * LONGEST].decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    if not raw.startswith(MARKER):
        raise SystemExit(f"::error::{file.name} is not a comment by perftrack: its first line is not {MARKER}")
    quiet = raw.replace("@", "@\N{ZERO WIDTH SPACE}")
    return quiet if len(quiet) <= LONGEST else quiet[: LONGEST - len(CUT)] + CUT


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    body = {"body": text_of(Path(arguments[0]))}
    run = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text())["workflow_run"]
    number = pull_request(run)
    if number is None:
        print(f"no open pull request has {run['head_sha'][:12]} as its head: nothing to comment on")
        return
    ours = (
        c
        for c in pages(f"issues/{number}/comments")
        if c["user"]["login"] == AUTHOR and c["body"].startswith(MARKER)
    )
    before = next(ours, None)
    if before is None:
        api("POST", f"issues/{number}/comments", body)
        print(f"commented on #{number}")
    else:
        api("PATCH", f"issues/comments/{before['id']}", body)
        print(f"updated the comment on #{number}")


if __name__ == "__main__":
    main(sys.argv[1:])
