"""What an exception says about a call of a provider: whether it can have been billed."""

from __future__ import annotations

from typing import Iterator

from .errors import WeirError

_REFUSED = frozenset((400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 503, 529))
"""Statuses by which a provider refuses to do any work; the gateway goes by the same ones."""

_NOT_SENT = frozenset(
    ("ConnectError", "ConnectTimeout", "PoolTimeout", "NewConnectionError", "ConnectTimeoutError", "NameResolutionError", "ClientConnectorError")
)
"""Exceptions of HTTP libraries that say that no connection was made."""


_PROVIDERS = ("openai", "anthropic", "google.genai", "mistralai", "cohere", "groq", "together", "litellm")
"""SDKs whose exceptions are about a call of a provider. One of an HTTP library may come from anything else that the caller does, such as a tool."""


def was_free_at_provider(error: BaseException) -> bool:
    """True where an SDK of a provider says that its call was not billed; for code of which nobody knows what else it does."""
    is_providers = any(f"{type(one).__module__}.".startswith(f"{name}.") for one in _chain(error) for name in _PROVIDERS)
    return is_providers and was_free(error)


def was_free(error: BaseException) -> bool:
    """
    True where the provider cannot have billed the call of which this is the error: it refused, or was never reached. An error of an SDK that had repeated the call says
    nothing of the attempts before, so it is not free.
    """
    for one in _chain(error):
        # What Weir says of another call says nothing of this one.
        if isinstance(one, WeirError) or _retries_of(one) > 0:
            return False
        status = _status_of(one)
        if status is not None:
            return status in _REFUSED
        if type(one).__name__ in _NOT_SENT or isinstance(one, ConnectionRefusedError):
            return True
    return False


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__


def _status_of(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code", "status"):
            status = getattr(holder, name, None)
            if isinstance(status, int) and 100 <= status < 600:
                return status
    return None


def _retries_of(error: BaseException) -> int:
    """How often OpenAI's and Anthropic's SDKs had sent the request before: they say it in a header."""
    try:
        headers = getattr(getattr(error, "request", None), "headers", None)
    except Exception:
        # httpx raises where an exception has no request.
        return 0
    count = headers.get("x-stainless-retry-count") if headers is not None else None
    return int(count) if isinstance(count, str) and count.isdecimal() else 0
