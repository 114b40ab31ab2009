"""The client for code that runs in an event loop."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import TracebackType
from typing import Any, AsyncIterator, Literal, Mapping, Unpack

import httpx

from ._allowance import OnUnavailable
from ._core import NOT_CONNECTED, Core, OnLeaseLost, RunOptions, content_of, denied, request_of, settings_of
from ._keepers import deliver_now
from ._run import Call, RunBase, start_steps
from ._wire import NOT_SENT, Answer, Request, Steps, drive_async, exchange
from .errors import Unavailable

log = logging.getLogger("weir")


class AsyncClient:
    """A client of Weir for one event loop; close it, or use it in an `async with`, so that nothing is left to be told."""

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
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, settle_timeout, on_unavailable, on_lease_lost)
        self._settings = settings
        self._core = Core(settings, spool, spool_limit)
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None

    def run(self, **options: Unpack[RunOptions]) -> AsyncRun:
        """Holds the worst case of one call while an `async with` lasts, and settles what it used."""
        return AsyncRun(self, options)

    @property
    def waiting(self) -> int:
        """How many ends of calls are still to be told to Weir."""
        return self._core.spool.waiting

    async def request(
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
        return await self._drive(exchange(request_of(method, path, within, body, params, idempotency_key), within))

    async def get(self, path: str, **params: object) -> Any:
        return await self.request("GET", path, params=params)

    async def post(self, path: str, body: Mapping[str, Any] | None = None, *, idempotency_key: str | None = None) -> Any:
        return await self.request("POST", path, body=body, idempotency_key=idempotency_key)

    async def pages(self, path: str, **params: object) -> AsyncIterator[Any]:
        """Iterates over a list, page after page: `async for run in client.pages("/runs", workflow_id="triage")`."""
        cursor: object = params.pop("cursor", None)
        while True:
            page = await self.get(path, **params, cursor=cursor)
            for one in page["data"]:
                yield one
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    async def flush(self, within: float = 10.0) -> bool:
        """Tells Weir all ends of calls that wait; returns True where none is left."""
        return await asyncio.to_thread(self._core.ends.flush, within)

    async def close(self, within: float = 10.0) -> None:
        """Ends the client, after it has told what waits. What cannot be told stays in the spool."""
        await asyncio.to_thread(self._core.close, within)
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _drive(self, steps: Steps[Any]) -> Any:
        return await drive_async(steps, self._send, asyncio.sleep)

    async def _send(self, request: Request) -> Answer | None:
        try:
            response = await self._http.request(
                request.method,
                self._settings.url(request),
                content=content_of(request.body),
                params=request.params,
                headers=self._settings.headers(request),
                timeout=request.timeout,
            )
        except NOT_CONNECTED:
            return NOT_SENT
        except httpx.HTTPError:
            return None
        return Answer(response.status_code, response.headers, response.content)

    async def _start(self, options: RunOptions) -> Call:
        call, is_own_id, on_unavailable = self._core.begin(options)
        try:
            await self._drive(start_steps(call, self._settings.timeout))
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

    async def _end(self, call: Call, error: BaseException | None) -> None:
        entry = self._core.ending(call, error)
        try:
            is_taken = await self._drive(deliver_now(entry, self._core.spool, self._settings.settle_timeout))
        except BaseException:
            # A task that is cancelled meanwhile leaves the rest to the background.
            self._core.left(entry)
            raise
        if is_taken:
            self._core.ends.settled(entry)
        else:
            self._core.left(entry)


class AsyncRun(RunBase):
    """One call: `async with` holds its worst case, leaving settles it. Losing the lease cancels the task."""

    def __init__(self, client: AsyncClient, options: RunOptions) -> None:
        self._client = client
        self._options = options
        self._is_over = False
        self._task: asyncio.Task[Any] | None = None
        self._has_cancelled = False

    async def __aenter__(self) -> AsyncRun:
        return await self.begin(asyncio.current_task())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        lost = self._call.lost
        task, self._task = self._task, None
        if lost is not None and self._has_cancelled and task is not None:
            task.uncancel()
            await self.end(error or lost)
            if isinstance(error, asyncio.CancelledError):
                raise lost from error
            return False
        await self.end(error)
        return False

    async def begin(self, task: asyncio.Task[Any] | None = None) -> AsyncRun:
        """Holds the worst case of the call; for code that cannot use an `async with`. `task` is cancelled when the lease is lost."""
        if hasattr(self, "_call"):
            raise RuntimeError("a run is one call: make another one")
        super().__init__(await self._client._start(self._options))
        self._task = task
        loop = asyncio.get_running_loop()
        self._call.on_lost = lambda: _quietly(loop, self._cancel)
        if self._call.lost is not None:
            self._cancel()
        return self

    def _cancel(self) -> None:
        if self._task is not None and not self._has_cancelled and not self._is_over and self._call.on_lease_lost == "cancel":
            self._has_cancelled = True
            self._task.cancel()

    async def end(self, error: BaseException | None = None) -> None:
        """Settles the call, once; `error` is what it ended with."""
        if self._is_over:
            return
        self._is_over = True
        await self._client._end(self._call, error)


def _quietly(loop: asyncio.AbstractEventLoop, callback: Any) -> None:
    """Calls something in a loop that may have ended meanwhile."""
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        pass
