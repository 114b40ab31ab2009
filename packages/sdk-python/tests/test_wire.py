"""What is retried, and with what: by the code of an error, never by its status."""

from __future__ import annotations

import json
from typing import Any

import pytest

import weir
from weir._wire import NOT_SENT, Answer, Request, drive, exchange


def error(code: str, status: int, **details: Any) -> Answer:
    return Answer(status, {}, json.dumps({"error": {"code": code, "message": "No.", "details": details}}).encode())


GOOD = Answer(200, {}, b'{"ok": true}')


def played(*answers: Answer | None, within: float = 10.0) -> tuple[Any, list[Request], list[float]]:
    """Plays a conversation whose clock goes on by its pauses alone."""
    said, asked, pauses = list(answers), [], []
    now = 0.0

    def send(request: Request) -> Answer | None:
        asked.append(request)
        return said.pop(0)

    def sleep(seconds: float) -> None:
        nonlocal now
        pauses.append(seconds)
        now += seconds

    request = Request("POST", "/v1/runs", body={"model": "m"}, idempotency_key="key-1")
    try:
        result: Any = drive(exchange(request, within, lambda: now), send, sleep)
    except weir.WeirError as raised:
        result = raised
    return result, asked, pauses


@pytest.mark.parametrize(
    "answer",
    [
        None,
        NOT_SENT,
        error("service_unavailable", 503),
        error("idempotency_key_processing", 409),
        error("rate_limited", 429, retry_after_seconds=2),
        Answer(502, {}, b"<html>a proxy</html>"),
        Answer(200, {}, b"<html>a portal</html>"),
        Answer(503, {}, b'{"message": "a balancer"}'),
    ],
    ids=range(8),
)
def test_what_may_pass_is_repeated_with_the_same_key(answer: Answer | None) -> None:
    result, asked, pauses = played(answer, GOOD)
    assert result == {"ok": True}
    assert [request.idempotency_key for request in asked] == ["key-1", "key-1"]
    assert len(pauses) == 1


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("no_model_passes_eval", 503),
        ("concurrency_exceeded", 429),
        ("chain_budget_exceeded", 429),
        ("quota_exhausted", 429),
        ("budget_exceeded", 402),
        ("internal", 500),
        ("conflict", 409),
        ("a_code_of_tomorrow", 503),
    ],
)
def test_what_does_not_pass_is_asked_once_whatever_its_status(code: str, status: int) -> None:
    result, asked, _ = played(error(code, status))
    assert isinstance(result, weir.ApiError) and result.code == code
    assert len(asked) == 1
    assert (result.fault is None) == (code == "a_code_of_tomorrow")


def test_a_wait_that_is_told_is_kept_and_one_that_is_too_long_is_not_begun() -> None:
    assert played(error("rate_limited", 429, retry_after_seconds=3), GOOD)[2] == [3.0]
    result, asked, pauses = played(error("rate_limited", 429, retry_after_seconds=60))
    assert isinstance(result, weir.Refused) and (len(asked), pauses) == (1, [])


def test_an_outage_says_whether_weir_can_have_heard_of_the_call() -> None:
    never, *_ = played(*[NOT_SENT] * 50)
    perhaps, *_ = played(NOT_SENT, None, *[NOT_SENT] * 50)
    assert isinstance(never, weir.Unavailable) and not never.may_have_arrived
    assert isinstance(perhaps, weir.Unavailable) and perhaps.may_have_arrived
