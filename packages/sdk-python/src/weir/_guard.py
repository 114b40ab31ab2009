"""Functions whose every call is a run."""

from __future__ import annotations

import functools
import inspect
import threading
from typing import Any, Callable, TypeVar, cast

from ._async_client import AsyncClient
from ._client import Client
from ._core import RunOptions

F = TypeVar("F", bound=Callable[..., Any])

_lock = threading.Lock()
_default: Client | None = None


def default_client() -> Client:
    """The client of the environment, made once."""
    global _default
    with _lock:
        if _default is None:
            _default = Client()
        return _default


def guard(client: Client | AsyncClient | None = None, **options: Any) -> Callable[[F], F]:
    """
    Makes each call of a function a run: held before it, settled by the usage of the answer that it returns. An option may be a function of the
    arguments: `@weir.guard(model="gpt-4o", input_tokens=lambda prompt: len(prompt) // 3, max_output_tokens=500)`.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        def options_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> RunOptions:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            made = {name: _value(option, bound.arguments) for name, option in options.items()}
            return cast(RunOptions, made)

        if inspect.iscoroutinefunction(function):
            # Without a client each loop gets one of its own, which its own last call closes: none outlives its loop.
            @functools.wraps(function)
            async def guarded_async(*args: Any, **kwargs: Any) -> Any:
                if isinstance(client, Client):
                    raise TypeError("a coroutine needs an AsyncClient")
                made = client or AsyncClient()
                try:
                    async with made.run(**options_of(args, kwargs)) as run:
                        answer = await function(*args, **kwargs)
                        run.usage(answer)
                        return answer
                finally:
                    if client is None:
                        await made.close()

            return cast(F, guarded_async)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if isinstance(client, AsyncClient):
                raise TypeError("a function that is no coroutine needs a Client")
            with (client or default_client()).run(**options_of(args, kwargs)) as run:
                answer = function(*args, **kwargs)
                run.usage(answer)
                return answer

        return cast(F, guarded)

    return decorate


def _value(option: Any, arguments: dict[str, Any]) -> Any:
    """Returns an option; one that is a function gets the arguments that it names."""
    if not callable(option):
        return option
    wanted = inspect.signature(option).parameters
    return option(**{name: arguments[name] for name in wanted})


__all__ = ["default_client", "guard"]
