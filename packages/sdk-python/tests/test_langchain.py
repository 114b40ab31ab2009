"""
The adapters under what LangChain calls. LangChain itself is not among the packages of the tests: what is played here was recorded from its versions 1.4.2
(`agents/middleware/types.py`) and 1.6.5 of its core (`callbacks/base.py`).
"""

from __future__ import annotations

import asyncio
import sys
import types
import uuid
from typing import Any, Iterator

import httpx
import pytest

import weir
from conftest import Organization

USAGE = {"input_tokens": 100, "output_tokens": 3, "total_tokens": 103}
REQUEST = types.SimpleNamespace(
    model=types.SimpleNamespace(model_name="gpt-4o", max_tokens=50),
    messages=[types.SimpleNamespace(content="Hello.")],
    system_message=None,
    tools=[],
    model_settings={},
)
RESPONSE = types.SimpleNamespace(result=[types.SimpleNamespace(content="the quick brown", usage_metadata=USAGE)])


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, attribute in (("langchain_core.callbacks", "BaseCallbackHandler"), ("langchain.agents.middleware", "AgentMiddleware")):
        parts = name.split(".")
        for i in range(len(parts)):
            monkeypatch.setitem(sys.modules, ".".join(parts[: i + 1]), types.ModuleType(".".join(parts[: i + 1])))
        setattr(sys.modules[name], attribute, type(attribute, (), {}))
    monkeypatch.delitem(sys.modules, "weir.langchain", raising=False)
    import weir.langchain

    yield weir.langchain


def test_an_agents_model_is_held_and_settled(adapters: Any, client: weir.Client, org: Organization) -> None:
    middleware = adapters.WeirMiddleware(client, workflow_id="agent")
    assert middleware.wrap_model_call(REQUEST, lambda _: RESPONSE) is RESPONSE
    (run,) = org.runs()
    assert (run["input_tokens"], run["output_tokens"], run["workflow_id"]) == (100, 3, "agent")


def test_an_agents_model_is_held_and_settled_in_a_loop(adapters: Any, org: Organization) -> None:
    async def main() -> None:
        async with weir.AsyncClient(api_key=org.agent_key, base_url=org.server.base_url, spool=None) as client:

            async def handler(_: Any) -> Any:
                return RESPONSE

            assert await adapters.WeirMiddleware(async_client=client).awrap_model_call(REQUEST, handler) is RESPONSE

    asyncio.run(main())
    assert org.runs()[0]["cost_basis"] == "computed"


def test_a_refused_model_is_not_called(adapters: Any, client: weir.Client, org: Organization) -> None:
    org.budget("0")
    callback = adapters.WeirCallback(client)
    params = {"model": "gpt-4o", "max_tokens": 50}
    with pytest.raises(weir.Refused):
        adapters.WeirMiddleware(client).wrap_model_call(REQUEST, lambda _: pytest.fail("it was called"))
    with pytest.raises(weir.Refused):
        callback.on_chat_model_start({}, [[types.SimpleNamespace(content="Hello.")]], run_id=uuid.uuid4(), invocation_params=params)
    assert callback.raise_error


def test_a_model_with_the_callback_is_settled_or_ended_by_its_error(adapters: Any, client: weir.Client, org: Organization) -> None:
    callback = adapters.WeirCallback(client)
    params = {"model": "gpt-4o", "max_tokens": 50}
    first, second = uuid.uuid4(), uuid.uuid4()
    callback.on_chat_model_start({}, [[types.SimpleNamespace(content="Hello.")]], run_id=first, invocation_params=params)
    callback.on_llm_start({}, ["Hello."], run_id=second, invocation_params=params)
    callback.on_llm_end(types.SimpleNamespace(generations=[[types.SimpleNamespace(message=RESPONSE.result[0])]], llm_output=None), run_id=first)
    callback.on_llm_error(httpx.ReadTimeout("slow"), run_id=second)
    runs = {run["cost_basis"]: run for run in org.runs()}
    assert runs["computed"]["output_tokens"] == 3
    assert runs["estimated"]["cost_usd"] == runs["estimated"]["reserved_usd"]
