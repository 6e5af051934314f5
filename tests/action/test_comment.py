from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

SCRIPT = Path(__file__).parents[2] / ".github" / "actions" / "perftrack" / "comment.py"
MARKER = "<!-- perftrack -->"
BOT = {"login": "github-actions[bot]"}
RUN = {"head_branch": "feature/x&y", "head_sha": "a" * 40, "head_repository": {"owner": {"login": "someone"}}}


class GitHub:
    """The few answers of GitHub's API that are asked for."""

    def __init__(self) -> None:
        self.pulls = [{"number": 7, "head": {"sha": "a" * 40}}]
        self.comments: list[dict] = []
        self.wrote: list[tuple[str, str, dict]] = []
        self.queries: list[dict[str, list[str]]] = []
        self.fails = 0


@pytest.fixture
def github() -> Iterator[tuple[GitHub, str]]:
    state = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self, code: int, body: object) -> None:
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = parse_qs(url.query)
            state.queries.append(query)
            if state.fails:
                return self.answer(state.fails, {})
            items = state.pulls if url.path == "/repos/o/r/pulls" else state.comments
            page, size = int(query["page"][0]), int(query["per_page"][0])
            return self.answer(200, items[(page - 1) * size : page * size])

        def write(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.wrote.append((self.command, self.path, body))
            self.answer(200, {})

        do_POST = do_PATCH = write

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def comment(tmp_path: Path, address: str, text: str, run: dict | None = None) -> subprocess.CompletedProcess[str]:
    (tmp_path / "comment.md").write_text(text)
    (tmp_path / "event.json").write_text(json.dumps({"workflow_run": run or RUN}))
    told = {
        "GITHUB_TOKEN": "t",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_API_URL": address,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
    }
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "comment.md")],
        env=os.environ | told, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_first_gate_makes_a_comment(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    done = comment(tmp_path, address, f"{MARKER}\nslower")
    assert done.returncode == 0, done.stderr
    assert state.wrote == [("POST", "/repos/o/r/issues/7/comments", {"body": f"{MARKER}\nslower"})]
    assert state.queries[0]["head"] == ["someone:feature/x&y"]


def test_later_gates_update_it_on_whatever_page_it_is(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    state.comments = [{"id": n, "user": {"login": "x"}, "body": "talk"} for n in range(230)]
    state.comments.append({"id": 999, "user": BOT, "body": f"{MARKER}\nold"})
    comment(tmp_path, address, f"{MARKER}\nnew")
    assert state.wrote == [("PATCH", "/repos/o/r/issues/comments/999", {"body": f"{MARKER}\nnew"})]


def test_a_stranger_s_comment_with_the_marker_is_left_alone(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    state.comments = [{"id": 1, "user": {"login": "someone"}, "body": f"{MARKER}\nmine"}]
    comment(tmp_path, address, f"{MARKER}\nnew")
    assert [method for method, _, _ in state.wrote] == ["POST"]


def test_a_pull_request_that_moved_on_gets_no_comment(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    state.pulls[0]["head"]["sha"] = "b" * 40
    done = comment(tmp_path, address, f"{MARKER}\nold news")
    assert done.returncode == 0
    assert "no open pull request" in done.stdout
    assert not state.wrote


def test_a_text_that_is_not_perftrack_s_is_refused(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    done = comment(tmp_path, address, "buy this")
    assert done.returncode == 1
    assert "not a comment by perftrack" in done.stderr
    assert not state.wrote


def test_mentions_notify_nobody(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    comment(tmp_path, address, f"{MARKER}\n@everyone look")
    assert "@everyone" not in state.wrote[0][2]["body"]


def test_a_text_that_is_too_long_is_cut_and_says_so(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    comment(tmp_path, address, MARKER + "x" * 70_000)
    body = state.wrote[0][2]["body"]
    assert len(body) == 65_536
    assert "cut" in body[-80:]


def test_an_answer_that_is_an_error_is_told(github: tuple[GitHub, str], tmp_path: Path) -> None:
    state, address = github
    state.fails = 403
    done = comment(tmp_path, address, f"{MARKER}\n")
    assert done.returncode == 1
    assert "GitHub answered 403" in done.stderr
    assert "Traceback" not in done.stderr
