"""Connections to providers on which each request is a run. They stand under the SDKs, so whatever an SDK sends, its own repetitions included, is metered."""

from __future__ import annotations

import sys
from typing import Any, AsyncGenerator, Generator, Mapping

from ._async_client import AsyncClient, AsyncRun
from ._client import Client, Run
from ._faults_of_calls import was_free
from ._metering import Asked, EventFilter, Meter, asked_of, refusal
from ._run import RunBase
from .errors import WeirError

_KEPT = 64 * 1_048_576


class ProviderRefused(Exception):
    """An answer of a provider that has no usage; its status says whether it can have been billed."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the provider answered {status}")
        self.status_code = status


class BrokenOff(Exception):
    """An answer that was not read, or did not come, to its end."""


def _library_of(http: Any) -> Any:
    """The module whose client it is: httpx, or the successor that some SDKs bring along."""
    for kind in type(http).__mro__:
        name = kind.__module__.partition(".")[0]
        if name.startswith("httpx"):
            return sys.modules[name]
    raise TypeError(f"{type(http).__name__} is no client of httpx")


def _without_labels(headers: Any) -> list[tuple[bytes, bytes]]:
    """Headers for the provider: none of Weir's, and no compression, because what is compressed could not be metered."""
    dropped = (b"accept-encoding", b"content-length", b"transfer-encoding")
    kept = [(name, value) for name, value in headers.raw if not name.lower().startswith(b"x-weir-") and name.lower() not in dropped]
    return [*kept, (b"accept-encoding", b"identity")]


def _answer_of(library: Any, error: WeirError, kind: str, request: Any) -> Any:
    status, headers, body = refusal(error, kind)
    return library.Response(status, headers=headers, content=body, request=request)


def _kind_of(path: str) -> str:
    return "messages" if "/messages" in path else "other"


def _is_stream(response: Any) -> bool:
    return str(response.headers.get("content-type", "")).startswith("text/event-stream")


def _release_if_free(run: RunBase, error: BaseException) -> None:
    """Here an error is about the one request that was sent, so its kind alone decides."""
    if was_free(error):
        run.release()


def _settled_by(meter: Meter, run: RunBase, status: int, is_over: bool) -> BaseException | None:
    """Tells the run what its answer has used; returns the error that it ends with."""
    if status >= 300:
        refused = ProviderRefused(status)
        _release_if_free(run, refused)
        return refused
    if meter.usage is not None and meter.is_complete:
        run.usage(**meter.usage)
        return None
    if is_over:
        run.usage({"usage": None})
        return None
    return BrokenOff("the answer was not read to its end")


class _Metered:
    """One answer on its way: bytes pass through, the meter sees them, and the run ends with them."""

    def __init__(self, asked: Asked, response: Any) -> None:
        self.meter = Meter(asked.kind)
        self.status = int(response.status_code)
        self.events = EventFilter(self.meter, asked.hides_usage) if _is_stream(response) else None
        self._kept = bytearray()

    def see(self, chunk: bytes) -> bytes:
        if self.events is not None:
            return self.events.feed(chunk)
        if len(self._kept) <= _KEPT:
            self._kept += chunk
        return chunk

    def end(self) -> bytes:
        if self.events is not None:
            return self.events.rest()
        self.meter.whole(bytes(self._kept))
        return b""


class MeteredTransport:
    """A transport of httpx that asks Weir before each request and tells it what the answer has used."""

    def __init__(self, weir: Client, inner: Any, defaults: Mapping[str, Any]) -> None:
        self._weir = weir
        self._inner = inner
        self._defaults = defaults
        self._library = _library_of(inner)

    def handle_request(self, request: Any) -> Any:
        path = request.url.path
        content = request.read()
        try:
            asked = asked_of(request.method, path, content, request.headers, self._defaults)
            if asked is None:
                return self._plain(request, content)
            run = self._weir.run(**asked.options).begin()
        except WeirError as error:
            return _answer_of(self._library, error, _kind_of(path), request)
        try:
            sent = self._send(request, asked.content or content)
        except BaseException as error:
            _release_if_free(run, error)
            run.end(error)
            raise
        return self._metered(asked, run, sent)

    def _send(self, request: Any, content: bytes) -> Any:
        headers = _without_labels(request.headers)
        made = self._library.Request(request.method, request.url, headers=headers, content=content, extensions=request.extensions)
        return self._inner.send(made, stream=True, auth=None)

    def _plain(self, request: Any, content: bytes) -> Any:
        sent = self._send(request, content)
        return self._response(sent, self._bytes(sent))

    def _bytes(self, sent: Any) -> Generator[bytes, None, None]:
        try:
            yield from sent.iter_raw()
        finally:
            sent.close()

    def _metered(self, asked: Asked, run: Run, sent: Any) -> Any:
        metered = _Metered(asked, sent)

        def chunks() -> Generator[bytes, None, None]:
            error: BaseException | None = None
            is_over = False
            try:
                for chunk in sent.iter_raw():
                    run.check()
                    if passed := metered.see(chunk):
                        yield passed
                if rest := metered.end():
                    yield rest
                is_over = True
            except BaseException as failure:
                error = failure
                raise
            finally:
                sent.close()
                outcome = _settled_by(metered.meter, run, metered.status, is_over)
                run.end(outcome if outcome is None or metered.status >= 300 else error or outcome)

        return self._response(sent, chunks(), lambda: run.end(BrokenOff("the answer was not read")))

    def _response(self, sent: Any, chunks: Generator[bytes, None, None], unread: Any = None) -> Any:
        library = self._library

        def close(_: object) -> None:
            chunks.close()
            sent.close()
            if unread is not None:
                unread()

        stream = type("Stream", (library.SyncByteStream,), {"__iter__": lambda _: chunks, "close": close})()
        return library.Response(sent.status_code, headers=sent.headers, stream=stream, extensions=sent.extensions)

    def __enter__(self) -> MeteredTransport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the client below open: it is the caller's."""


class AsyncMeteredTransport:
    """The same for an event loop."""

    def __init__(self, weir: AsyncClient, inner: Any, defaults: Mapping[str, Any]) -> None:
        self._weir = weir
        self._inner = inner
        self._defaults = defaults
        self._library = _library_of(inner)

    async def handle_async_request(self, request: Any) -> Any:
        path = request.url.path
        content = await request.aread()
        try:
            asked = asked_of(request.method, path, content, request.headers, self._defaults)
            if asked is None:
                return await self._plain(request, content)
            run = await self._weir.run(**asked.options).begin()
        except WeirError as error:
            return _answer_of(self._library, error, _kind_of(path), request)
        try:
            sent = await self._send(request, asked.content or content)
        except BaseException as error:
            _release_if_free(run, error)
            await run.end(error)
            raise
        return self._metered(asked, run, sent)

    async def _send(self, request: Any, content: bytes) -> Any:
        headers = _without_labels(request.headers)
        made = self._library.Request(request.method, request.url, headers=headers, content=content, extensions=request.extensions)
        return await self._inner.send(made, stream=True, auth=None)

    async def _plain(self, request: Any, content: bytes) -> Any:
        sent = await self._send(request, content)
        return self._response(sent, self._bytes(sent))

    async def _bytes(self, sent: Any) -> AsyncGenerator[bytes, None]:
        try:
            async for chunk in sent.aiter_raw():
                yield chunk
        finally:
            await sent.aclose()

    def _metered(self, asked: Asked, run: AsyncRun, sent: Any) -> Any:
        metered = _Metered(asked, sent)

        async def chunks() -> AsyncGenerator[bytes, None]:
            error: BaseException | None = None
            is_over = False
            try:
                async for chunk in sent.aiter_raw():
                    run.check()
                    if passed := metered.see(chunk):
                        yield passed
                if rest := metered.end():
                    yield rest
                is_over = True
            except BaseException as failure:
                error = failure
                raise
            finally:
                await sent.aclose()
                outcome = _settled_by(metered.meter, run, metered.status, is_over)
                await run.end(outcome if outcome is None or metered.status >= 300 else error or outcome)

        async def unread() -> None:
            await run.end(BrokenOff("the answer was not read"))

        return self._response(sent, chunks(), unread)

    def _response(self, sent: Any, chunks: AsyncGenerator[bytes, None], unread: Any = None) -> Any:
        library = self._library

        async def close(_: object) -> None:
            await chunks.aclose()
            await sent.aclose()
            if unread is not None:
                await unread()

        stream = type("Stream", (library.AsyncByteStream,), {"__aiter__": lambda _: chunks, "aclose": close})()
        return library.Response(sent.status_code, headers=sent.headers, stream=stream, extensions=sent.extensions)

    async def __aenter__(self) -> AsyncMeteredTransport:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Leaves the client below open: it is the caller's."""


def metered(inner: Any, weir: Client | AsyncClient, **options: Any) -> Any:
    """Returns a client of httpx on which each call of a model is a run: for an SDK that takes one, such as LangChain's `http_client=`."""
    library = _library_of(inner)
    if isinstance(inner, library.AsyncClient):
        if not isinstance(weir, AsyncClient):
            raise TypeError("an asynchronous client needs a weir.AsyncClient")
        return library.AsyncClient(transport=AsyncMeteredTransport(weir, inner, options), timeout=inner.timeout)
    if not isinstance(weir, Client):
        raise TypeError("a synchronous client needs a weir.Client")
    return library.Client(transport=MeteredTransport(weir, inner, options), timeout=inner.timeout)


__all__ = ["BrokenOff", "ProviderRefused", "metered"]
