"""Serves the page of a run that is going on, to this machine alone; the page follows it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from serbench.errors import SerbenchError

HOST = "127.0.0.1"
"""The machine's own address, which no other machine reaches."""


@dataclass
class Followed:
    """A page that is made anew when what it shows has changed.

    Attributes:
        made: makes the page.
        changed: gives a text that differs whenever the page would.
    """

    made: Callable[[], str]
    changed: Callable[[], str]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last: tuple[str, bytes] = ("", b"")

    def version(self) -> str:
        """A digest that differs whenever the page would; where the run cannot be read just then, that of the
        last page that was made.

        Raises:
            SerbenchError, OSError: the run cannot be read, and no page was made before.
        """
        try:
            return hashlib.sha256(self.changed().encode()).hexdigest()[:16]
        except (SerbenchError, OSError):
            if not self._last[0]:
                raise
            return self._last[0]

    def page(self) -> bytes:
        """The page as it is now; where the run cannot be read just then, the last page that was made.

        Raises:
            SerbenchError, OSError: the page cannot be made, and none was made before.
        """
        with self._lock:
            version = self.version()
            if version != self._last[0]:
                try:
                    self._last = (version, self.made().encode())
                except SerbenchError:
                    if not self._last[1]:
                        raise
            return self._last[1]


def server(followed: Followed, port: int) -> ThreadingHTTPServer:
    """A server of ``followed`` on this machine's own address; ``port`` 0 takes a free one.

    It answers only requests for this very address or ``localhost``, so that no page of another site can read
    it through another name that leads here (DNS rebinding).

    Raises:
        SerbenchError: the port is taken.
    """
    try:
        made = ThreadingHTTPServer((HOST, port), _handler(followed))
    except OSError as error:
        raise SerbenchError(
            f"port {port} of {HOST} is not available: {error.strerror}; choose another with --port"
        ) from error
    made.daemon_threads = True
    return made


def _handler(followed: Followed) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version = "serbench"
        sys_version = ""

        def do_GET(self) -> None:
            try:
                status, body, kind = self._answer()
            except (SerbenchError, OSError) as error:
                status, body = HTTPStatus.INTERNAL_SERVER_ERROR, f"{error}\n".encode()
                kind = "text/plain; charset=utf-8"
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def _answer(self) -> tuple[HTTPStatus, bytes, str]:
            """Answer a request: the status, the body and its type."""
            port = self.connection.getsockname()[1]
            if self.headers.get("Host", "") not in (f"{HOST}:{port}", f"localhost:{port}"):
                said = b"this server answers to its own address only\n"
                return HTTPStatus.MISDIRECTED_REQUEST, said, "text/plain"
            if self.path == "/":
                return HTTPStatus.OK, followed.page(), "text/html; charset=utf-8"
            if self.path == "/version":
                return HTTPStatus.OK, followed.version().encode(), "text/plain"
            return HTTPStatus.NOT_FOUND, b"there is / and nothing else\n", "text/plain"

        def log_message(self, format: str, *args: object) -> None:
            """Logs nothing: the terminal shows the address alone."""

    return Handler
