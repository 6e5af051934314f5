"""The local server: the site's files, and nothing else of the machine."""

import http.client
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perftrack.errors import PublishError
from perftrack.publish.server import is_loopback, serving
from perftrack.publish.write import open_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    with open_site(tmp_path / "site") as writer:
        writer.add("index.html", b"<h1>front</h1>")
        writer.add("data/a b.js", b"data")
        writer.add("linked.js", b"own")
        writer.publish()
    (tmp_path / "site" / "foreign.txt").write_text("not of the site")
    return tmp_path / "site"


@pytest.fixture
def port(site: Path) -> Iterator[int]:
    with serving(site, "127.0.0.1", 0) as address:
        yield int(address.rstrip("/").rpartition(":")[2])


def ask(port: int, path: str, *, method: str = "GET", host: str | None = None) -> tuple[int, str, bytes]:
    """Status, content type and body; the path goes out as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", f"127.0.0.1:{port}" if host is None else host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type", ""), answer.read()
    finally:
        connection.close()


def test_the_front_page_is_at_the_root(port: int) -> None:
    assert ask(port, "/") == (200, "text/html; charset=utf-8", b"<h1>front</h1>")


def test_files_have_types_and_names_may_be_quoted(port: int) -> None:
    assert ask(port, "/data/a%20b.js?x#y") == (200, "text/javascript; charset=utf-8", b"data")


def test_what_is_no_address_is_not_found(port: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(port, "http://[")[0] == 404
    assert capfd.readouterr().err == ""


def test_a_browser_that_leaves_before_the_answer_is_no_error(
    site: Path, port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    (site / "linked.js").write_bytes(b"long" * 2_000_000)
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /linked.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.recv(1)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not an end
    time.sleep(0.2)
    assert ask(port, "/")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_head_has_no_body(port: int) -> None:
    assert ask(port, "/index.html", method="HEAD") == (200, "text/html; charset=utf-8", b"")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/data/../../secret.txt",
        "//etc/passwd",
        "/..%5csecret.txt",
        "/%00",
        "/data/",
        "/data",
        "/.perftrack-site",
        "/foreign.txt",
        "/nothing.html",
        "/%ff",
    ],
)
def test_nothing_but_files_of_the_site_is_given_out(port: int, path: str) -> None:
    status, _, body = ask(port, path)
    assert status == 404
    assert b"secret" not in body


def test_a_link_out_of_the_site_is_not_followed(site: Path, port: int) -> None:
    (site / "linked.js").unlink()
    (site / "linked.js").symlink_to(site.parent / "secret.txt")
    assert ask(port, "/linked.js")[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_written(port: int, method: str) -> None:
    assert ask(port, "/index.html", method=method)[0] == 501


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example"])
def test_another_name_for_this_machine_is_refused(port: int, host: str) -> None:
    assert ask(port, "/", host=host)[0] == 403


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1", "[::1]:8000", "[::1]"])
def test_its_own_names_are_not(port: int, host: str) -> None:
    assert ask(port, "/", host=host)[0] == 200


def test_a_port_that_is_taken_is_told(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with (
            pytest.raises(PublishError, match="cannot listen") as caught,
            serving(site, "127.0.0.1", taken.getsockname()[1]),
        ):
            pass
    assert "--port 0" in (caught.value.hint or "")


def test_a_host_that_is_none_is_told(site: Path) -> None:
    with pytest.raises(PublishError, match="cannot listen"), serving(site, "no such host", 0):
        pass


def test_loopback_addresses_are_known() -> None:
    assert [is_loopback(h) for h in ("127.0.0.1", "127.8.8.8", "::1", "localhost")] == [True] * 4
    assert [is_loopback(h) for h in ("0.0.0.0", "192.168.1.2", "::", "example.org")] == [False] * 4
