"""
The hook under a proxy that calls it as LiteLLM's does. LiteLLM itself is not among the packages of the tests: what is played here was recorded from its
source of August 2026 (`proxy/utils.py`, `proxy/common_request_processing.py`, `integrations/custom_logger.py`).
"""

from __future__ import annotations

import asyncio
import sys
import types
import uuid
from typing import Any, Awaitable, Callable, Iterator

import httpx
import pytest

import weir
from conftest import Organization
from practice import Provider, Script


class ProxyException(Exception):
    """What the proxy turns into an answer: its status, and OpenAI's error."""

    def __init__(self, message: str, type: str, param: Any, code: Any = None, headers: Any = None, openai_code: Any = None, provider_specific_fields: Any = None) -> None:
        super().__init__(message)
        self.message, self.type, self.param, self.code = message, type, param, str(code)
        self.headers, self.openai_code, self.provider_specific_fields = headers or {}, openai_code, provider_specific_fields


@pytest.fixture
def hook_class(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    modules = {name: types.ModuleType(name) for name in ("litellm", "litellm.integrations", "litellm.integrations.custom_logger", "litellm.proxy", "litellm.proxy._types")}
    modules["litellm.integrations.custom_logger"].CustomLogger = type("CustomLogger", (), {"__init__": lambda self, **_: None})  # type: ignore[attr-defined]
    modules["litellm.proxy._types"].ProxyException = ProxyException  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "weir.litellm_hook", raising=False)
    from weir.litellm_hook import WeirHook

    yield WeirHook


class Proxy:
    """The way of a request through LiteLLM's proxy: hook, attempts with retries, and what is logged of each."""

    def __init__(self, hook: Any, provider: Provider) -> None:
        self.hook, self.provider = hook, provider

    async def request(self, body: dict[str, Any], *, attempts: int = 1, call_type: str = "acompletion", hangs_up: bool = False) -> dict[str, Any]:
        auth = types.SimpleNamespace(team_id="platform", end_user_id=None, user_id="ada")
        # The caller may choose the id of the call, and the same one again.
        data = {**body, "litellm_call_id": "chosen-by-the-caller", "metadata": {"requester": "x", **body.get("metadata", {})}}
        data = await self.hook.async_pre_call_hook(auth, None, data, call_type) or data
        kwargs = {"litellm_call_id": data["litellm_call_id"], "litellm_params": {"metadata": data["metadata"]}, "model": data["model"]}
        async with httpx.AsyncClient() as http:
            error: Exception | None = None
            for _ in range(attempts):
                try:
                    sent = {name: value for name, value in data.items() if name not in ("litellm_call_id", "metadata")}
                    answer = await http.post(f"{self.provider.url}/v1/chat/completions", json=sent)
                    answer.raise_for_status()
                    if hangs_up:
                        return {}
                    await self.hook.async_log_success_event(kwargs, answer.json(), None, None)
                    return dict(answer.json())
                except httpx.HTTPError as failure:
                    error = failure
                    await self.hook.async_log_failure_event({**kwargs, "exception": failure}, None, None, None)
        assert error is not None
        await self.hook.async_post_call_failure_hook(data, error, auth)
        raise error


BODY = {"model": "gpt-4o", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello."}]}


def played(hook_class: Any, org: Organization, provider: Provider, play: Callable[[Proxy], Awaitable[None]], **options: Any) -> None:
    provider.entries.clear()

    async def main() -> None:
        async with weir.AsyncClient(api_key=org.agent_key, base_url=org.server.base_url, spool=None) as client:
            await play(Proxy(hook_class(client, **options), provider))

    try:
        asyncio.run(main())
    finally:
        provider.script, provider.decide = Script(), None


def test_a_request_through_the_proxy_is_settled(hook_class: Any, org: Organization, provider: Provider) -> None:
    async def play(proxy: Proxy) -> None:
        await proxy.request({**BODY, "user": "acme"})

    played(hook_class, org, provider, play)
    (run,) = org.runs()
    assert (run["input_tokens"], run["output_tokens"], run["cost_basis"]) == (100, 3, "computed")
    assert (run["department_id"], run["customer_id"], run["user_id"]) == ("platform", "acme", "ada")


def test_a_refusal_is_openais_error_and_reaches_no_provider(hook_class: Any, org: Organization, provider: Provider) -> None:
    org.budget("0")

    async def play(proxy: Proxy) -> None:
        with pytest.raises(ProxyException) as refused:
            await proxy.request(BODY)
        assert (refused.value.code, refused.value.openai_code) == ("402", "budget_exceeded")
        assert refused.value.message.startswith("Weir: ")
        assert refused.value.headers == {"x-should-retry": "false"}
        assert refused.value.provider_specific_fields["weir"]["limit_usd"] == "0"

    played(hook_class, org, provider, play)
    assert provider.entries == []


@pytest.mark.parametrize(("status", "cost"), [(429, "0"), (500, "held")])
def test_a_request_that_failed_is_free_only_if_no_attempt_can_have_been_billed(hook_class: Any, org: Organization, provider: Provider, status: int, cost: str) -> None:
    provider.script = Script(status=status)

    async def play(proxy: Proxy) -> None:
        with pytest.raises(httpx.HTTPStatusError):
            await proxy.request(BODY, attempts=2)

    played(hook_class, org, provider, play)
    (run,) = org.runs()
    assert run["cost_usd"] == (run["reserved_usd"] if cost == "held" else cost)


def test_a_last_attempt_that_was_refused_does_not_make_those_before_it_free(hook_class: Any, org: Organization, provider: Provider) -> None:
    async def play(proxy: Proxy) -> None:
        error = type("RateLimitError", (Exception,), {"__module__": "litellm.exceptions", "status_code": 429})("no")
        auth = types.SimpleNamespace(team_id=None, end_user_id=None, user_id=None)
        data = await proxy.hook.async_pre_call_hook(auth, None, dict(BODY), "acompletion")
        kwargs = {"litellm_params": {"metadata": data["metadata"]}}
        await proxy.hook.async_log_failure_event({**kwargs, "exception": httpx.ReadTimeout("slow")}, None, None, None)
        await proxy.hook.async_log_failure_event({**kwargs, "exception": error}, None, None, None)
        await proxy.hook.async_post_call_failure_hook(data, error, auth)

    played(hook_class, org, provider, play)
    (run,) = org.runs()
    assert run["cost_usd"] == run["reserved_usd"]


def test_an_attempt_before_the_one_that_succeeded_is_booked_too(hook_class: Any, org: Organization, provider: Provider) -> None:
    scripts = iter([Script(status=500), Script()])
    provider.decide = lambda _: next(scripts)

    async def play(proxy: Proxy) -> None:
        await proxy.request(BODY, attempts=2)

    played(hook_class, org, provider, play)
    first, second = sorted(org.runs(), key=lambda run: len(run["external_id"]))
    assert (first["output_tokens"], first["cost_basis"]) == (3, "computed")
    assert second["cost_usd"] == first["reserved_usd"]


def test_callers_that_choose_the_id_of_their_call_end_nobody_elses(hook_class: Any, org: Organization, provider: Provider) -> None:
    async def play(proxy: Proxy) -> None:
        forged = {"metadata": {"weir_call": uuid.uuid4().hex}}
        await asyncio.gather(*(proxy.request({**BODY, **forged}) for _ in range(5)))

    played(hook_class, org, provider, play)
    assert [(run["status"], run["cost_basis"]) for run in org.runs()] == [("succeeded", "computed")] * 5


def test_a_client_that_hangs_up_pays_what_was_held(hook_class: Any, org: Organization, provider: Provider) -> None:
    async def play(proxy: Proxy) -> None:
        await proxy.request(BODY, hangs_up=True)
        while org.runs()[0]["status"] == "running":
            await asyncio.sleep(0.2)

    played(hook_class, org, provider, play, lease_seconds=1)
    (run,) = org.runs()
    assert (run["status"], run["cost_usd"]) == ("expired", run["reserved_usd"])


def test_what_is_not_metered_is_refused_unless_it_is_allowed(hook_class: Any, org: Organization, provider: Provider) -> None:
    async def play(proxy: Proxy) -> None:
        with pytest.raises(ProxyException) as refused:
            await proxy.request(BODY, call_type="image_generation")
        assert refused.value.code == "400"

    played(hook_class, org, provider, play)
    assert provider.entries == []
