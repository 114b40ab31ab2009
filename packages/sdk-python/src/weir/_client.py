"""The client for code that waits."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Iterator, Literal, Mapping, Unpack

import httpx

from ._allowance import OnUnavailable
from ._core import Core, OnLeaseLost, RunOptions, denied, request_of, send_with, settings_of
from ._keepers import deliver_now
from ._run import Call, RunBase, start_steps
from ._wire import Answer, Request, Steps, drive, exchange
from .errors import LeaseLost, Unavailable

log = logging.getLogger("weir")


class Client:
    """A client of Weir. It may be shared by threads; close it, or use it in a `with`, so that nothing is left to be told."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        settle_timeout: float = 5.0,
        on_unavailable: OnUnavailable = "deny",
        on_lease_lost: OnLeaseLost = "cancel",
        spool: str | Path | None = "default",
        spool_limit: int = 10_000,
        http_client: httpx.Client | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, settle_timeout, on_unavailable, on_lease_lost)
        self._settings = settings
        self._core = Core(settings, spool, spool_limit)
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None

    def run(self, **options: Unpack[RunOptions]) -> Run:
        """Holds the worst case of one call while a `with` lasts, and settles what it used: `with client.run(model=…) as run:`."""
        return Run(self, options)

    @property
    def waiting(self) -> int:
        """How many ends of calls are still to be told to Weir."""
        return self._core.spool.waiting

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Sends any request of the API, such as `GET /orgs/{id}/budgets`; returns the JSON of its answer."""
        within = timeout if timeout is not None else self._settings.timeout
        return self._drive(exchange(request_of(method, path, within, body, params, idempotency_key), within))

    def get(self, path: str, **params: object) -> Any:
        return self.request("GET", path, params=params)

    def post(self, path: str, body: Mapping[str, Any] | None = None, *, idempotency_key: str | None = None) -> Any:
        return self.request("POST", path, body=body, idempotency_key=idempotency_key)

    def pages(self, path: str, **params: object) -> Iterator[Any]:
        """Iterates over a list, page after page: `for run in client.pages("/runs", workflow_id="triage")`."""
        cursor: object = params.pop("cursor", None)
        while True:
            page = self.get(path, **params, cursor=cursor)
            yield from page["data"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def flush(self, within: float = 10.0) -> bool:
        """Tells Weir all ends of calls that wait; returns True where none is left."""
        return self._core.ends.flush(within)

    def close(self, within: float = 10.0) -> None:
        """Ends the client, after it has told what waits. What cannot be told stays in the spool."""
        self._core.close(within)
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drive(self, steps: Steps[Any]) -> Any:
        return drive(steps, self._send, time.sleep)

    def _send(self, request: Request) -> Answer | None:
        return send_with(self._http, self._settings, request)

    def _start(self, options: RunOptions) -> Call:
        call, is_own_id, on_unavailable = self._core.begin(options)
        try:
            self._drive(start_steps(call, self._settings.timeout))
        except Unavailable as error:
            if self._core.let_through(call, on_unavailable):
                log.warning("weir: a call runs without a decision: %s", error)
                return call
            self._core.not_started(call, error, is_own_id)
            raise denied(error, on_unavailable) from error
        except BaseException as error:
            self._core.not_started(call, error, is_own_id)
            raise
        self._core.started(call)
        return call

    def _end(self, call: Call, error: BaseException | None) -> None:
        entry = self._core.ending(call, error)
        try:
            is_taken = self._drive(deliver_now(entry, self._core.spool, self._settings.settle_timeout))
        except BaseException:
            self._core.left(entry)
            raise
        if is_taken:
            self._core.ends.settled(entry)
        else:
            self._core.left(entry)


class Run(RunBase):
    """One call: `with` holds its worst case, leaving settles it."""

    def __init__(self, client: Client, options: RunOptions) -> None:
        self._client = client
        self._options = options
        self._is_over = False

    def __enter__(self) -> Run:
        return self.begin()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Literal[False]:
        self.end(error)
        return False

    def begin(self) -> Run:
        """Holds the worst case of the call; for code that cannot use a `with`. See to it that `end` follows."""
        if hasattr(self, "_call"):
            raise RuntimeError("a run is one call: make another one")
        super().__init__(self._client._start(self._options))
        return self

    def end(self, error: BaseException | None = None) -> None:
        """Settles the call, once; `error` is what it ended with."""
        with self._call.lock:
            if self._is_over:
                return
            self._is_over = True
        self._client._end(self._call, error)


__all__ = ["Client", "LeaseLost", "Run"]
