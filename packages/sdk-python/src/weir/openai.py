"""OpenAI's SDK with a run around each call: `client = weir.openai.wrap(openai.OpenAI())`."""

from __future__ import annotations

from typing import Any, TypeVar, Unpack

from ._async_client import AsyncClient
from ._client import Client
from ._core import RunOptions
from ._wrapping import wrapped

T = TypeVar("T")


def wrap(client: T, weir: Client | AsyncClient | None = None, **options: Unpack[RunOptions]) -> T:
    """
    Returns a client of the same kind, synchronous or not, whose calls are held before they are sent and settled by what they used, streams too.
    A refusal is the SDK's own error for a status, such as 402, after one request. `options` belong to every run.
    """
    made: Any = wrapped(client, weir, dict(options))
    return made  # type: ignore[no-any-return]


__all__ = ["wrap"]
