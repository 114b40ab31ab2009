"""How an end of a call is told to Weir, and what is made of its answer."""

from __future__ import annotations

import logging
from typing import Any, Mapping

from ._spool import Entry
from ._wire import Request, Steps, exchange
from .errors import ApiError, Unavailable

log = logging.getLogger("weir")

_FINAL = frozenset(("conflict", "not_found", "gone", "idempotency_key_conflict", "bad_request", "payload_too_large"))
"""Errors that repeating the same end never clears."""

_PLAIN = frozenset(("status", "external_id", "cost_usd", "input_tokens", "output_tokens", "estimated"))


def deliver(entry: Entry, within: float) -> Steps[bool]:
    """
    Tells Weir an end. Returns False where Weir will never take it, so that the run costs what was held; raises where it may be taken later.
    """
    try:
        yield from _told(entry, within)
        return True
    except ApiError as error:
        if error.code == "validation_failed":
            return (yield from _plainly(entry, within))
        if error.code not in _FINAL:
            raise
        log.error("weir: an end of a call was not taken, so it costs what was held: %s", error)
        return False


def _plainly(entry: Entry, within: float) -> Steps[bool]:
    """Tells the end without its details, one of which Weir has no price for or does not know."""
    plain = Entry(entry.name, entry.path, _plain_body(entry.body), f"{entry.idempotency_key}-plain", entry.allowance_nano)
    try:
        yield from _told(plain, within)
        log.error("weir: an end of a call was taken only without its details: %s", entry.body)
        return True
    except ApiError as error:
        if error.code not in _FINAL and error.code != "validation_failed":
            raise
        log.error("weir: an end of a call was not taken, so it costs what was held: %s", error)
        return False


def _plain_body(body: Mapping[str, Any]) -> dict[str, Any]:
    if "runs" in body:
        return {**body, "runs": [_plain_run(run) for run in body["runs"]]}
    # Without tokens the hold is charged: tokens alone would leave out what has a fee of its own.
    return {name: body[name] for name in ("status", "cost_usd") if name in body}


def _plain_run(run: Mapping[str, Any]) -> dict[str, Any]:
    kept = _PLAIN | {name for name in run if name.endswith("_id")} | {"model", "provider"}
    return {name: value for name, value in run.items() if name in kept}


def _told(entry: Entry, within: float) -> Steps[None]:
    if entry.path != "/v1/runs/bulk":
        yield from exchange(Request("POST", entry.path, within, entry.body, idempotency_key=entry.idempotency_key), within)
        return
    # What has been spent is a fact that no limit should refuse; that needs a scope, which not every key has.
    body = {**entry.body, "enforce": False}
    request = Request("POST", entry.path, within, body, idempotency_key=f"{entry.idempotency_key}-import")
    try:
        answer = yield from exchange(request, within)
    except ApiError as error:
        if error.code != "missing_scope":
            raise
        again = Request("POST", entry.path, within, entry.body, idempotency_key=entry.idempotency_key)
        answer = yield from exchange(again, within)
    _raise_result(answer)


def _raise_result(answer: Any) -> None:
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list) or not results:
        raise Unavailable("Something other than Weir answered.")
    error = results[0].get("error")
    if isinstance(error, dict):
        raise ApiError(str(error.get("code")), str(error.get("message")), error.get("details") or {}, 200)
