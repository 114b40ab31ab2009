"""What is said to Weir and how an answer is understood: pure steps, which the clients drive over real connections."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Generator, Mapping, TypeAlias, TypeVar

from .errors import REFUSALS, ApiError, Refused, Unavailable

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """One request; `timeout` bounds the wait for its answer."""

    method: str
    path: str
    timeout: float = 10.0
    body: Mapping[str, Any] | None = None
    params: Mapping[str, str] | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True)
class Pause:
    seconds: float


NOT_SENT = Answer(0, {}, b"")
"""The answer to a request for which no connection was made."""

Steps: TypeAlias = Generator["Request | Pause", "Answer | None", T]
"""A conversation with Weir: it yields requests and pauses, and is sent answers; None where no answer came."""


@dataclass
class Backoff:
    """Pauses that double, each with a random part so that clients do not come back together."""

    next_seconds: float = 0.1
    longest: float = 5.0
    _random: Callable[[], float] = field(default=random.random)

    def pause(self) -> float:
        seconds = self.next_seconds * (0.5 + self._random())
        self.next_seconds = min(self.longest, self.next_seconds * 2)
        return seconds


def error_of(answer: Answer | None) -> ApiError | Unavailable | None:
    """Returns what an answer says went wrong. One without the error of Weir, as of a proxy in between, is an outage."""
    if answer is None:
        return Unavailable("Weir did not answer.")
    if answer is NOT_SENT:
        return Unavailable("Weir cannot be reached.", may_have_arrived=False)
    try:
        said = answer.json()
    except ValueError:
        return Unavailable(f"Something other than Weir answered {answer.status}.")
    if 200 <= answer.status < 300:
        return None
    error = said.get("error") if isinstance(said, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return Unavailable(f"Something other than Weir answered {answer.status}.")
    details = error.get("details")
    kind = Refused if error["code"] in REFUSALS else ApiError
    return kind(
        error["code"],
        str(error.get("message", error["code"])),
        details if isinstance(details, dict) else {},
        answer.status,
        answer.headers.get("x-svc-trace-id"),
        _seconds(answer.headers.get("retry-after")),
    )


def _seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isdecimal() else None


def retry_pause(error: ApiError | Unavailable, backoff: Backoff) -> float | None:
    """Returns how long to wait before the same request may succeed; None where a retry cannot help. Goes by the code alone."""
    if isinstance(error, Unavailable):
        return backoff.pause()
    if error.code == "rate_limited":
        told = error.details.get("retry_after_seconds", error.retry_after)
        return float(told) if isinstance(told, (int, float)) else backoff.pause()
    if error.code in ("service_unavailable", "idempotency_key_processing"):
        return max(error.retry_after or 0.0, backoff.pause())
    return None


def exchange(request: Request, within: float, clock: Callable[[], float] = time.monotonic) -> Steps[Any]:
    """Sends a request until it is answered for good, with the same key each time; returns the JSON of the answer."""
    deadline = clock() + within
    backoff = Backoff()
    may_have_arrived = False
    while True:
        left = max(0.05, deadline - clock())
        answer = yield Request(
            request.method,
            request.path,
            min(request.timeout, left),
            request.body,
            request.params,
            request.idempotency_key,
        )
        error = error_of(answer)
        if error is None:
            assert answer is not None
            return answer.json()
        may_have_arrived = may_have_arrived or not isinstance(error, Unavailable) or error.may_have_arrived
        pause = retry_pause(error, backoff)
        if pause is None:
            raise error
        if clock() + pause >= deadline:
            if isinstance(error, ApiError) and error.code == "rate_limited":
                raise error
            raise Unavailable(str(error), may_have_arrived) from error
        yield Pause(pause)


def drive(steps: Steps[T], send: Callable[[Request], Answer | None], sleep: Callable[[float], object]) -> T:
    """Holds a conversation in the calling thread."""
    reply: Answer | None = None
    try:
        while True:
            step = steps.send(reply)
            if isinstance(step, Pause):
                sleep(step.seconds)
                reply = None
            else:
                reply = send(step)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()


async def drive_async(
    steps: Steps[T],
    send: Callable[[Request], Awaitable[Answer | None]],
    sleep: Callable[[float], Awaitable[object]],
) -> T:
    """Holds a conversation in the calling task."""
    reply: Answer | None = None
    try:
        while True:
            step = steps.send(reply)
            if isinstance(step, Pause):
                await sleep(step.seconds)
                reply = None
            else:
                reply = await send(step)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()
