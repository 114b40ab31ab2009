"""
Weir behind a LiteLLM proxy, in one file: `callbacks: ["weir.litellm_hook.weir_hook"]` under `litellm_settings`.

Before each request the worst case is held, and a refusal is answered in OpenAI's form; success and failure settle it. It follows the proxy's
`CustomLogger` as of August 2026 (`async_pre_call_hook`, `async_log_success_event`, `async_log_failure_event`, `async_post_call_failure_hook`).
"""

from __future__ import annotations

import collections
import logging
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._async_client import AsyncClient
from ._faults_of_calls import was_free
from ._metering import input_bound
from ._run import Call, start_steps
from .errors import ApiError, WeirError
from .usage import added, usage_of

if TYPE_CHECKING:

    class CustomLogger:
        """LiteLLM's base of all hooks, as far as it is used here."""

else:
    from litellm.integrations.custom_logger import CustomLogger

log = logging.getLogger("weir")

_METERED = frozenset(
    ("completion", "acompletion", "text_completion", "atext_completion", "embeddings", "embedding", "aembedding", "responses", "aresponses", "anthropic_messages")
)
_FREE = frozenset(("call_mcp_tool", "list_mcp_tools", "moderation", "amoderation", "pass_through_endpoint_get"))
_MARK = "weir_call"
_MOST_PENDING = 100_000
_MAXIMA = ("max_completion_tokens", "max_output_tokens", "max_tokens")


@dataclass
class _Pending:
    """A request on its way through the proxy."""

    call: Call
    has_billed_attempt: bool = False


class WeirHook(CustomLogger):
    """
    A hook of the LiteLLM proxy. Its lease is that of the longest call, and is not extended: when a client hangs up, LiteLLM calls no hook, and the
    run is charged what was held once the lease ends.
    """

    def __init__(self, client: AsyncClient | None = None, *, lease_seconds: int | None = None, unmetered: str | None = None) -> None:
        super().__init__()
        self._given = client
        self._made: AsyncClient | None = None
        self._lease_seconds = lease_seconds or int(os.environ.get("WEIR_LITELLM_LEASE_SECONDS", "900"))
        self._allows_unmetered = (unmetered or os.environ.get("WEIR_LITELLM_UNMETERED", "refuse")) == "allow"
        self._pending: collections.OrderedDict[str, _Pending] = collections.OrderedDict()

    @property
    def _weir(self) -> AsyncClient:
        if self._given is not None:
            return self._given
        # Made with the first request, in the loop of the proxy.
        if self._made is None:
            self._made = AsyncClient()
        return self._made

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str) -> dict[str, Any]:
        """Holds the worst case of a request, or refuses it."""
        if call_type in _FREE:
            return data
        if call_type not in _METERED:
            if self._allows_unmetered:
                return data
            raise _refusal(400, f"Weir: {call_type} is not metered, so it is not sent.", "not_metered", {})
        core = self._weir._core
        options = _options_of(data, call_type, user_api_key_dict, self._lease_seconds)
        try:
            call, is_own_id, on_unavailable = core.begin(options)  # type: ignore[arg-type]
        except WeirError as error:
            raise _refusal(503, f"Weir: {error}", "spool_full", {}) from error
        try:
            await self._weir._drive(start_steps(call, core.settings.timeout))
        except ApiError as error:
            core.not_started(call, error, is_own_id)
            status = {409: 400, 410: 401, 422: 400}.get(error.status, error.status)
            raise _refusal(status, f"Weir: {error.message}", error.code, dict(error.details)) from error
        except WeirError as error:
            if not core.let_through(call, on_unavailable):
                core.not_started(call, error, is_own_id)
                raise _refusal(503, f"Weir: {error}", "service_unavailable", {}) from error
        except BaseException as error:
            core.not_started(call, error, is_own_id)
            raise
        self._remember(data, call)
        return data

    def _remember(self, data: dict[str, Any], call: Call) -> None:
        # The proxy's own id of a call may be chosen by its caller, so it tells nobody's run.
        mark = uuid.uuid4().hex
        self._pending[mark] = _Pending(call)
        # Where both are there, the first is the caller's own and would go to the provider.
        name = "litellm_metadata" if "litellm_metadata" in data else "metadata"
        said = data.get(name)
        data[name] = {**(said if isinstance(said, dict) else {}), _MARK: mark}
        while len(self._pending) > _MOST_PENDING:
            # Left by clients that hung up: their leases have ended long since.
            _, old = self._pending.popitem(last=False)
            self._weir._core.spool.give_up()
            log.warning("weir: run %s was not ended by LiteLLM", old.call.external_id)

    def _mark_of(self, kwargs: dict[str, Any]) -> str:
        """Finds the mark of a request: in its metadata, which LiteLLM keeps in several places. One that a caller made up is none."""
        inner = kwargs.get("litellm_params")
        for holder in (kwargs, inner if isinstance(inner, dict) else {}):
            for name in ("litellm_metadata", "metadata"):
                said = holder.get(name)
                mark = said.get(_MARK) if isinstance(said, dict) else None
                if isinstance(mark, str) and mark in self._pending:
                    return mark
        return ""

    async def async_log_success_event(self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Settles a request by what its answer has used."""
        pending = self._pending.pop(self._mark_of(kwargs), None)
        if pending is None:
            return
        if kwargs.get("cache_hit") is True:
            pending.call.is_released = True
            return await self._end(pending, None)
        _read(pending.call, response_obj, kwargs)
        if pending.has_billed_attempt:
            self._keep_attempt(pending)
        await self._end(pending, None)

    async def async_log_failure_event(self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Notes an attempt that failed; LiteLLM may make others for the same request."""
        pending = self._pending.get(self._mark_of(kwargs))
        error = kwargs.get("exception")
        if pending is not None and not (isinstance(error, BaseException) and _was_free(error)):
            pending.has_billed_attempt = True

    async def async_post_call_failure_hook(
        self, request_data: dict[str, Any], original_exception: Exception, user_api_key_dict: Any, traceback_str: str | None = None
    ) -> None:
        """Settles a request that failed for good: free only where no attempt can have been billed."""
        pending = self._pending.pop(self._mark_of(request_data), None)
        if pending is None:
            return
        partial = request_data.get("combined_usage_object")
        if partial is not None:
            _read(pending.call, {"usage": partial}, request_data)
        elif pending.has_billed_attempt:
            # Whatever the last attempt was refused with, one before it may have been billed.
            pending.call.is_unknown = True
        elif _was_free(original_exception):
            pending.call.is_released = True
        await self._end(pending, original_exception)

    async def _end(self, pending: _Pending, error: BaseException | None) -> None:
        await self._weir._end(pending.call, error)

    def _keep_attempt(self, pending: _Pending) -> None:
        """Records an attempt before the one that succeeded: it may have been billed too, and nobody knows how much."""
        core = self._weir._core
        reserved = pending.call.started["reserved_usd"] if pending.call.started else None
        first = Call({**pending.call.asked, "external_id": f"{pending.call.external_id}-attempt"})
        first.cost_usd = reserved or "0"
        core.spool.begin()
        core.left(core.ending(first, RuntimeError("an attempt of the proxy failed")))


def _was_free(error: BaseException) -> bool:
    # A request that never left the proxy: another hook refused it.
    return was_free(error) or type(error).__name__ in ("HTTPException", "ProxyException", "ProxyRateLimitError")


def _read(call: Call, response: Any, kwargs: dict[str, Any]) -> None:
    usage = usage_of(response)
    if usage is None:
        call.is_unknown = True
        return
    call.used = added(call.used, usage)


def _options_of(data: dict[str, Any], call_type: str, auth: Any, lease_seconds: int) -> dict[str, Any]:
    """What is asked of Weir: the request, with LiteLLM's team as the department, its end user as the customer and its user as the user."""
    asked = {name: data[name] for name in ("messages", "input", "prompt", "tools", "system", "instructions", "response_format") if name in data}
    named = [data[name] for name in _MAXIMA if isinstance(data.get(name), int)]
    choices = data.get("n") if isinstance(data.get("n"), int) else 1
    output = 0 if "embedding" in call_type else min(named) * max(1, choices or 1) if named else None
    options = {
        "model": _priced_model(str(data.get("model", ""))),
        "input_tokens": input_bound(asked),
        "max_output_tokens": output,
        "department_id": getattr(auth, "team_id", None),
        "customer_id": getattr(auth, "end_user_id", None) or data.get("user"),
        "user_id": getattr(auth, "user_id", None),
        "operation": "litellm",
        "lease_seconds": lease_seconds,
        "service_tier": data["service_tier"] if data.get("service_tier") in ("priority", "flex") else None,
    }
    return {name: value for name, value in options.items() if value not in (None, "")}


def _priced_model(name: str) -> str:
    """The model behind a name of the proxy's configuration: prices go by models, not by what a proxy calls them."""
    try:
        from litellm.proxy.proxy_server import llm_router

        (first, *_) = llm_router.get_model_list(model_name=name)
        return str(first["litellm_params"]["model"])
    except Exception:
        # Without a router, or where it has no such name, the name is that of a model.
        return name


def _refusal(status: int, message: str, code: str, details: dict[str, Any]) -> Exception:
    """An error in the form that OpenAI's clients read, which the proxy passes on with its status."""
    from litellm.proxy._types import ProxyException

    made: Exception = ProxyException(
        message=message,
        type="weir_refused",
        param=None,
        code=status,
        openai_code=code,
        headers={"x-should-retry": "false"},
        provider_specific_fields={"weir": {"code": code, **details}},
    )
    return made


weir_hook = WeirHook()
