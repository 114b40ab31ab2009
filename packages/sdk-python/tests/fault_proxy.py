"""A proxy before Weir that is slow, loses answers after Weir has committed, or answers 503 in their place."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class FaultProxy:
    """Forwards requests; `mode` is `pass`, `slow`, `lose` or `unavailable`, of which the last two happen to `share` of the answers."""

    def __init__(self, target: str, seed: int) -> None:
        self.mode = "pass"
        self.share: float = 0.5
        self.faults: dict[str, int] = {"slow": 0, "lose": 0, "unavailable": 0}
        self._random = random.Random(seed)
        address = urlsplit(target)
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def _forward(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                mode = proxy._fault()
                if mode == "slow":
                    time.sleep(0.5)
                connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
                try:
                    headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
                    connection.request(self.command, self.path, body or None, headers)
                    answer = connection.getresponse()
                    status, content = answer.status, answer.read()
                    kept = [(n, v) for n, v in answer.getheaders() if n.lower() not in ("transfer-encoding", "connection", "content-length", "keep-alive")]
                except (OSError, http.client.HTTPException):
                    self.close_connection = True
                    return
                finally:
                    connection.close()
                if mode == "lose":
                    self.close_connection = True
                    return
                if mode == "unavailable":
                    status, kept = 503, [("content-type", "application/json")]
                    content = json.dumps({"error": {"code": "service_unavailable", "message": "A fault.", "details": {}}}).encode()
                self.send_response_only(status)
                for name, value in kept:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = _forward

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A caller that was killed has hung up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _fault(self) -> str:
        mode = self.mode
        if mode == "pass" or (mode != "slow" and self._random.random() >= self.share):
            return "pass"
        self.faults[mode] += 1
        return mode

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
