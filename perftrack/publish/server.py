"""Shows a built site to browsers of this machine: the files that a build wrote, and no others."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from perftrack.errors import PublishError
from perftrack.publish.marker import former_files

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".xml": "application/xml",
}
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@contextlib.contextmanager
def serving(site: Path, host: str, port: int) -> Iterator[str]:
    """Serve a site inside the block; yields its address. Port 0: any that is free. Raises PublishError.

    Answered are GET and HEAD of files that the site's marker lists. Where the host is a loopback address, a
    request must call it by a name of this machine: a page of another origin cannot read the site by giving its own
    name this address (DNS rebinding).
    """
    handler = partial(_Handler, site, is_loopback(host))
    try:
        server = _server(host, port, handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise PublishError(
            f"cannot listen on {host} port {port}: {reason}", "--port 0 takes any free port"
        ) from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


def _server(host: str, port: int, handler: partial[_Handler]) -> ThreadingHTTPServer:
    return (_Server6 if ":" in host else _Server)((host, port), handler)


def _asked_for(address: str) -> str | None:
    """The path in the site; None for what is no address."""
    try:
        return unquote(urlsplit(address).path).lstrip("/") or "index.html"
    except ValueError:
        return None


class _Handler(BaseHTTPRequestHandler):
    server_version = "perftrack"
    sys_version = ""
    timeout = 30  # s, for a client that says nothing

    def __init__(self, site: Path, local: bool, *rest: object) -> None:
        self._site = site
        self._local = local
        super().__init__(*rest)  # type: ignore[arg-type]

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the browser went on to another page, and waits for no answer
            super().handle()

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def _answer(self, *, body: bool) -> None:
        if self._local and not self._asked_by_name():
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        path = _asked_for(self.path)
        content = None if path is None else self._content(path)
        if path is None or content is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        self._head(HTTPStatus.OK, _TYPES.get(Path(path).suffix, "application/octet-stream"), len(content))
        if body:
            self.wfile.write(content)

    def _asked_by_name(self) -> bool:
        host = self.headers.get("Host", "")
        return (host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host) in _LOCAL_NAMES

    def _content(self, path: str) -> bytes | None:
        """Of a file that the last build wrote; None for anything else, wherever its path leads."""
        try:
            if path not in former_files(self._site):
                return None
            file = self._site / path
            if not file.resolve().is_relative_to(self._site.resolve()):
                return None
            return file.read_bytes()
        except (OSError, ValueError, PublishError):
            return None

    def _refuse(self, status: HTTPStatus) -> None:
        text = f"{status.value} {status.phrase}\n".encode()
        self._head(status, "text/plain; charset=utf-8", len(text))
        if self.command == "GET":
            self.wfile.write(text)

    def _head(self, status: HTTPStatus, kind: str, size: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        self.send_header("Cache-Control", "no-store")  # a build may write it anew at any time
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
