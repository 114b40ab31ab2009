"""Runs around the calls of LangChain's models: a middleware for agents, a callback for models. Written for LangChain 1."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Awaitable, Callable
from uuid import UUID

from ._async_client import AsyncClient
from ._client import Client, Run
from ._guard import default_client
from ._metering import input_bound

if TYPE_CHECKING:

    class BaseCallbackHandler:
        """LangChain's base of all callbacks, as far as it is used here."""

    class AgentMiddleware:
        """LangChain's base of all middleware, as far as it is used here."""

else:
    from langchain_core.callbacks import BaseCallbackHandler

    try:
        from langchain.agents.middleware import AgentMiddleware
    except ImportError:
        AgentMiddleware = object


def _model_of(model: Any, settings: dict[str, Any]) -> str:
    named = settings.get("model") or getattr(model, "model_name", None) or getattr(model, "model", None)
    return str(named or "").removeprefix("models/")


def _content_of(messages: Any) -> Any:
    """The parts of messages that a provider is sent, whatever kind of messages they are."""
    if isinstance(messages, (list, tuple)):
        return [_content_of(one) for one in messages]
    content = getattr(messages, "content", messages)
    calls = getattr(messages, "tool_calls", None)
    return [content, calls] if calls else content


def _output_of(model: Any, settings: dict[str, Any]) -> int | None:
    for holder in (settings.get, lambda name: getattr(model, name, None)):
        for name in ("max_tokens", "max_output_tokens", "max_completion_tokens"):
            most = holder(name)
            if isinstance(most, int):
                return most
    return None


def _usage_of_messages(messages: Any) -> dict[str, Any] | None:
    for message in reversed(list(messages)):
        usage = getattr(message, "usage_metadata", None)
        if usage:
            # Only LangChain's own words have details, and only those tell how its counts are meant.
            return {"input_token_details": {}, **usage}
    return None


class WeirMiddleware(AgentMiddleware):
    """Makes each call of an agent's model a run; `options` belong to every run."""

    def __init__(self, client: Client | None = None, async_client: AsyncClient | None = None, **options: Any) -> None:
        super().__init__()
        self._client = client
        self._async_client = async_client
        self._options = options

    def _asked(self, request: Any) -> dict[str, Any]:
        system = getattr(request, "system_message", None)
        schemas = [getattr(tool, "args", None) or (tool if isinstance(tool, dict) else {}) for tool in request.tools or ()]
        descriptions = [getattr(tool, "description", "") for tool in request.tools or ()]
        sent = [_content_of(system), _content_of(request.messages), schemas, descriptions]
        made: dict[str, Any] = {
            "model": _model_of(request.model, request.model_settings),
            "input_tokens": input_bound(sent),
            "max_output_tokens": _output_of(request.model, request.model_settings),
        }
        return {name: value for name, value in {**made, **self._options}.items() if value is not None}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        with (self._client or default_client()).run(**self._asked(request)) as run:
            response = handler(request)
            run.usage({"usage": _usage_of_messages(getattr(response, "result", [response]))})
            return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        client = self._async_client or AsyncClient()
        try:
            async with client.run(**self._asked(request)) as run:
                response = await handler(request)
                run.usage({"usage": _usage_of_messages(getattr(response, "result", [response]))})
                return response
        finally:
            if self._async_client is None:
                await client.close()


class WeirCallback(BaseCallbackHandler):
    """Makes each call of a model a run: `ChatOpenAI(…, callbacks=[WeirCallback()])`. A refusal stops the call before it is sent."""

    # LangChain swallows what callbacks raise unless they say this.
    raise_error = True

    def __init__(self, client: Client | None = None, **options: Any) -> None:
        super().__init__()
        self._client = client
        self._options = options
        self._runs: dict[UUID, Run] = {}
        self._lock = threading.Lock()

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._start(_content_of(messages), run_id, kwargs)

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._start(prompts, run_id, kwargs)

    def _start(self, content: Any, run_id: UUID, kwargs: dict[str, Any]) -> None:
        said = kwargs.get("invocation_params") or {}
        made: dict[str, Any] = {
            "model": _model_of(None, {"model": said.get("model") or said.get("model_name")}),
            "input_tokens": input_bound([content, said.get("tools")]),
            "max_output_tokens": _output_of(None, said),
        }
        options = {name: value for name, value in {**made, **self._options}.items() if value is not None}
        run = (self._client or default_client()).run(**options).begin()
        with self._lock:
            self._runs[run_id] = run

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        run = self._taken(run_id)
        if run is None:
            return
        messages = [getattr(one, "message", None) for list_ in response.generations for one in list_]
        usage = _usage_of_messages(messages) or (response.llm_output or {}).get("token_usage")
        run.usage({"usage": usage})
        run.end()

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self._taken(run_id)
        if run is not None:
            run.end(error)

    def _taken(self, run_id: UUID) -> Run | None:
        with self._lock:
            return self._runs.pop(run_id, None)


__all__ = ["WeirCallback", "WeirMiddleware"]
