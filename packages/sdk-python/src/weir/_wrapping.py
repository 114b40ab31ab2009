"""What the SDKs of OpenAI and Anthropic have in common: a client of httpx, and a copy of themselves with another one."""

from __future__ import annotations

from typing import Any

from ._async_client import AsyncClient
from ._client import Client
from ._guard import default_client
from ._transport import _library_of, metered


def wrapped(client: Any, weir: Client | AsyncClient | None, options: dict[str, Any]) -> Any:
    inner = getattr(client, "_client", None)
    if inner is None or not callable(getattr(client, "copy", None)):
        raise TypeError(f"{type(client).__name__} is no client that can be wrapped")
    is_async = isinstance(inner, _library_of(inner).AsyncClient)
    made = weir or (AsyncClient() if is_async else default_client())
    return client.copy(http_client=metered(inner, made, **options))
