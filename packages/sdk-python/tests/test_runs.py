"""A call from its hold to its end, against a real Weir."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import httpx
import pytest

import weir
from conftest import Organization

CALL: Any = {"model": "gpt-4o", "input_tokens": 2000, "max_output_tokens": 1000}
USAGE = {"prompt_tokens": 2000, "completion_tokens": 400, "total_tokens": 2400}


def eventually(holds: Any, within: float = 60) -> None:
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline, "the condition did not come to hold in time"
        time.sleep(0.05)


def status_error(status: int) -> httpx.HTTPStatusError:
    request = httpx.Request("POST", "http://provider/")
    return httpx.HTTPStatusError("no", request=request, response=httpx.Response(status, request=request))


def sdk_error(status: int, retries: int = 0) -> Exception:
    """An error as the SDKs of providers raise it, after so many repetitions of their own."""
    made = type("APIStatusError", (Exception,), {"__module__": "openai"})("no")
    made.status_code = status
    made.request = httpx.Request("POST", "http://provider/", headers={"x-stainless-retry-count": str(retries)})
    return made


def not_connected() -> Exception:
    made = type("APIConnectionError", (Exception,), {"__module__": "anthropic"})("no")
    made.__cause__ = httpx.ConnectError("no")
    return made


def test_a_call_costs_what_its_usage_says(client: weir.Client, org: Organization) -> None:
    with client.run(**CALL, workflow_id="triage") as run:
        assert run.max_output_tokens == 1000
        assert org.run(run.id)["reserved_usd"] == "0.015"
        run.usage(USAGE)
    ended = org.run(run.id)
    assert (ended["status"], ended["cost_usd"], ended["cost_basis"]) == ("succeeded", "0.009", "computed")
    assert ended["workflow_id"] == "triage"
    assert client.waiting == 0


def test_a_refused_call_is_told_once_and_holds_nothing(client: weir.Client, org: Organization) -> None:
    org.budget("0.02")
    with client.run(**CALL):
        with pytest.raises(weir.Refused) as refused:
            with client.run(**CALL):
                raise AssertionError("it ran")
        assert refused.value.code == "budget_exceeded"
        fault = refused.value.fault
        assert fault is not None and fault.code == "budget_exceeded"
        assert fault.details["limit_usd"] == "0.02"
        assert org.budgets()[0]["held_usd"] == "0.015"


@pytest.mark.parametrize("error", [*map(sdk_error, (400, 401, 404, 429, 503, 529)), not_connected()])
def test_a_call_that_the_provider_refused_costs_nothing(client: weir.Client, org: Organization, error: Exception) -> None:
    with pytest.raises(type(error)):
        with client.run(**CALL) as run:
            raise error
    ended = org.run(run.id)
    assert (ended["status"], ended["cost_usd"]) == ("failed", "0")


@pytest.mark.parametrize(
    "error",
    [
        sdk_error(500),
        # What the attempts before it cost, nobody knows.
        sdk_error(429, retries=1),
        # It may come from anything that the caller does after the answer, such as a tool.
        status_error(404),
        httpx.ConnectError("to a tool"),
        httpx.ReadTimeout("slow"),
        ValueError("ours"),
        weir.ApiError("conflict", "Another call.", {}, 409),
    ],
    ids=range(7),
)
def test_a_call_that_may_have_been_billed_is_never_free(client: weir.Client, org: Organization, error: Exception) -> None:
    with pytest.raises(type(error)):
        with client.run(**CALL) as run:
            raise error
    ended = org.run(run.id)
    assert (ended["status"], ended["cost_usd"], ended["cost_basis"]) == ("failed", "0.015", "estimated")


def test_an_error_after_the_answer_changes_nothing_of_its_cost(client: weir.Client, org: Organization) -> None:
    with pytest.raises(httpx.ConnectError):
        with client.run(**CALL) as run:
            run.usage(USAGE)
            raise httpx.ConnectError("to something else")
    assert org.run(run.id)["cost_usd"] == "0.009"


def test_an_answer_without_usage_costs_what_was_held(client: weir.Client, org: Organization) -> None:
    with client.run(**CALL) as run:
        run.usage({"text": "an answer"})
        run.release()
    assert org.run(run.id)["cost_usd"] == "0.015"


def test_a_released_call_costs_nothing(client: weir.Client, org: Organization) -> None:
    with client.run(**CALL) as run:
        run.release()
    assert (org.run(run.id)["status"], org.run(run.id)["cost_usd"]) == ("cancelled", "0")


def test_what_a_broken_answer_had_used_is_an_estimate(client: weir.Client, org: Organization) -> None:
    with pytest.raises(httpx.ReadError):
        with client.run(**CALL) as run:
            run.progress(input_tokens=2000, output_tokens=100)
            raise httpx.ReadError("cut")
    ended = org.run(run.id)
    assert (ended["cost_usd"], ended["cost_basis"]) == ("0.006", "estimated")


def test_a_name_that_was_used_runs_no_second_call(client: weir.Client) -> None:
    with client.run(**CALL, external_id="ticket-1") as run:
        run.usage(USAGE)
    with pytest.raises(weir.AlreadyEnded):
        with client.run(**CALL, external_id="ticket-1"):
            raise AssertionError("it ran twice")


def test_a_lease_is_extended_at_half_its_time(client: weir.Client, org: Organization) -> None:
    now, began = 0.0, time.monotonic()
    keeper = client._core.leases
    keeper._clock = lambda: began + now

    def goes_on_to(seconds: float) -> None:
        nonlocal now
        with keeper._wake:
            now = seconds
            keeper._wake.notify_all()

    with client.run(**CALL, lease_seconds=600) as run, client.run(**CALL, lease_seconds=400) as other:
        first, before = (org.run(one.id)["expires_at"] for one in (run, other))
        goes_on_to(290)
        # The other one has been extended, and this one's time has not come.
        eventually(lambda: org.run(other.id)["expires_at"] > before)
        assert org.run(run.id)["expires_at"] == first
        other.release()
        goes_on_to(310)
        eventually(lambda: org.run(run.id)["expires_at"] > first)
        second = org.run(run.id)["expires_at"]
        # The second extension comes when the first lease is about to end.
        goes_on_to(620)
        eventually(lambda: org.run(run.id)["expires_at"] > second)
        assert not run.cancelled
        run.usage(USAGE)
    assert org.run(run.id)["cost_basis"] == "computed"


def test_a_lost_lease_is_told_at_the_next_check(client: weir.Client, org: Organization) -> None:
    with pytest.raises(weir.LeaseLost):
        with client.run(**CALL, lease_seconds=2) as run:
            client.post(f"/runs/{run.id}/finish", {"status": "cancelled", "cost_usd": "0.001"})
            eventually(lambda: run.cancelled)
            run.check()
    assert org.run(run.id)["cost_usd"] == "0.001"


def test_a_lost_lease_cancels_the_task(org: Organization) -> None:
    async def main() -> tuple[str | None, bool]:
        is_over = False
        async with weir.AsyncClient(api_key=org.agent_key, base_url=org.server.base_url, spool=None) as client:
            with pytest.raises(weir.LeaseLost):
                async with client.run(**CALL, lease_seconds=2) as run:
                    await client.post(f"/runs/{run.id}/finish", {"status": "cancelled", "cost_usd": "0.001"})
                    await asyncio.sleep(60)
                    is_over = True
            return run.id, is_over

    run_id, is_over = asyncio.run(main())
    assert not is_over
    assert org.run(run_id)["cost_usd"] == "0.001"


def test_a_call_that_asks_to_goes_on_without_its_lease(client: weir.Client) -> None:
    with client.run(**CALL, lease_seconds=2, on_lease_lost="continue") as run:
        client.post(f"/runs/{run.id}/finish", {"status": "cancelled", "cost_usd": "0"})
        eventually(lambda: run.cancelled)
        run.check()


def test_a_cancelled_task_costs_what_was_held(org: Organization) -> None:
    async def main() -> str | None:
        async with weir.AsyncClient(api_key=org.agent_key, base_url=org.server.base_url, spool=None) as client:
            run = client.run(**CALL)

            async def call() -> None:
                async with run:
                    await asyncio.sleep(60)

            task = asyncio.create_task(call())
            while not hasattr(run, "_call"):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return run.id

    ended = org.run(asyncio.run(main()))
    assert (ended["status"], ended["cost_usd"], ended["cost_basis"]) == ("cancelled", "0.015", "estimated")


def test_calls_of_many_threads_share_a_client(client: weir.Client, org: Organization) -> None:
    ids: list[str | None] = []

    def work() -> None:
        for _ in range(5):
            with client.run(**CALL) as run:
                run.usage(USAGE)
            ids.append(run.id)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 40
    assert {one["cost_usd"] for one in org.runs()} == {"0.009"}


def test_a_list_is_read_page_after_page(client: weir.Client, org: Organization) -> None:
    for _ in range(5):
        with client.run(**CALL) as run:
            run.usage(USAGE)

    async def read() -> list[str]:
        async with weir.AsyncClient(api_key=org.owner_key, base_url=org.server.base_url, spool=None) as owner:
            return [one["id"] async for one in owner.pages("/runs", limit=2)]

    assert len(set(asyncio.run(read()))) == 5
    with weir.Client(api_key=org.owner_key, base_url=f"{org.server.base_url}/v1/", spool=None) as owner:
        assert len({one["id"] for one in owner.pages("/runs", limit=2)}) == 5
