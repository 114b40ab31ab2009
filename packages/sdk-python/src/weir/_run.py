"""The life of one call: what it asks for, what is known of it, and how it ends. Nothing here waits or sends."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

from ._allowance import Allowance, usd_of
from ._faults_of_calls import was_free_at_provider
from ._spool import Entry, entry_name
from ._wire import Request, Steps, exchange
from .errors import AlreadyEnded, ApiError, LeaseLost, Unavailable
from .types import StartedRun
from .usage import added, usage_of

log = logging.getLogger("weir")

DEFAULT_LEASE_SECONDS = 600

_RECORDED_LABELS = (
    "model",
    "provider",
    "workflow_id",
    "deployment_id",
    "department_id",
    "customer_id",
    "user_id",
    "operation",
    "action",
    "chain_id",
    "parent_run_id",
    "tags",
    "metadata",
)
"""Fields of a start that a run which is recorded without one has too."""


@dataclass
class Call:
    """A call as far as it is known: what was asked, what was held, what was used."""

    asked: dict[str, Any]
    on_lease_lost: str = "cancel"
    started: StartedRun | None = None
    allowance: Allowance | None = None
    allowance_nano: int = 0
    lease_deadline: float = 0.0
    lost: LeaseLost | None = None
    used: dict[str, Any] | None = None
    partial: dict[str, Any] | None = None
    is_unknown: bool = False
    is_released: bool = False
    cost_usd: str | None = None
    model: str | None = None
    value_usd: str | None = None
    on_lost: Callable[[], None] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def external_id(self) -> str:
        return str(self.asked["external_id"])

    @property
    def lease_seconds(self) -> int:
        return int(self.asked.get("lease_seconds", DEFAULT_LEASE_SECONDS))

    def lose(self, why: str) -> None:
        """Notes that the reservation does not stand any more, and tells whoever runs the call."""
        with self.lock:
            if self.lost is not None:
                return
            self.lost = LeaseLost(why)
        log.warning("weir: the lease of run %s is lost: %s", self.started["id"] if self.started else "?", why)
        if self.on_lost is not None and self.on_lease_lost == "cancel":
            self.on_lost()


def new_call(options: Mapping[str, Any], on_lease_lost: str) -> tuple[Call, bool]:
    """Makes a call of what was asked; the second value is true where its id is the caller's own."""
    asked = {name: value for name, value in options.items() if value is not None}
    is_own = "external_id" in asked
    asked.setdefault("external_id", f"py-{uuid.uuid4().hex}")
    return Call(asked, on_lease_lost), is_own


def start_steps(call: Call, within: float, clock: Callable[[], float] = time.monotonic) -> Steps[None]:
    """Asks for a decision. Raises what refused it, or `Unavailable`."""
    request = Request("POST", "/v1/runs", within, call.asked, idempotency_key=f"start-{uuid.uuid4().hex}")
    asked_at = clock()
    started = yield from exchange(request, within, clock)
    call.started = started
    # Counted from before the request was sent, so never later than Weir counts.
    call.lease_deadline = asked_at + call.lease_seconds
    if started.get("status") != "running":
        raise AlreadyEnded(f"The run {started.get('id')} of {call.external_id} has ended already: {started.get('status')}.")


def is_outcome_unknown(error: BaseException) -> bool:
    """True where a start may have held something although it failed: no answer, a crash within Weir, or the caller's own interruption."""
    if isinstance(error, ApiError):
        return error.code in ("internal", "service_unavailable", "idempotency_key_processing")
    if isinstance(error, Unavailable):
        return error.may_have_arrived
    return not isinstance(error, AlreadyEnded)


def abandoned(call: Call) -> Entry:
    """The end, at no cost, of a call that was given up before it was known whether it had started."""
    return _recorded(call, {"status": "cancelled", "cost_usd": "0"}, 0)


def ending_of(call: Call, error: BaseException | None) -> dict[str, Any]:
    """
    Decides how a call ends. What it used is charged whatever happened afterwards. Without usage it is free only where it was released, or the
    provider cannot have billed it; else it costs what was held, because a call that was not measured was not free.
    """
    status = "succeeded" if error is None else "failed" if isinstance(error, Exception) and not _is_cancelled(error) else "cancelled"
    ending: dict[str, Any] = {"status": status}
    if call.model is not None:
        ending["model"] = call.model
    if call.value_usd is not None:
        ending["value_usd"] = call.value_usd
    if call.cost_usd is not None:
        return {**ending, "cost_usd": call.cost_usd}
    if call.used is not None and not call.is_unknown:
        return {**ending, **call.used}
    if call.used is None and call.partial is None and not call.is_unknown:
        if call.is_released:
            return {**ending, "status": "cancelled" if error is None else status, "cost_usd": "0"}
        if error is not None and was_free_at_provider(error):
            return {**ending, "cost_usd": "0"}
    if call.partial is not None and call.used is None:
        return {**ending, **call.partial, "estimated": True}
    return ending


def _is_cancelled(error: BaseException) -> bool:
    return isinstance(error, (asyncio.CancelledError, LeaseLost))


def settlement_of(call: Call, error: BaseException | None) -> Entry:
    """The end of a call, as it is told to Weir until Weir has taken it."""
    ending = ending_of(call, error)
    if call.started is None:
        has_measure = any(name in ending for name in ("cost_usd", "input_tokens", "output_tokens"))
        if not has_measure:
            # Nothing was held: it costs what it took up of the allowance.
            ending = {**ending, "cost_usd": usd_of(call.allowance_nano), "estimated": True}
        return _recorded(call, ending, call.allowance_nano)
    run_id = call.started["id"]
    digest = hashlib.sha256(json.dumps(ending, sort_keys=True).encode()).hexdigest()[:16]
    return Entry(entry_name(), f"/v1/runs/{run_id}/finish", ending, f"finish-{run_id}-{digest}")


def _recorded(call: Call, ending: dict[str, Any], allowance_nano: int) -> Entry:
    """The end of a call whose run is not known: it ends the run that was started under its id, or is recorded as one."""
    labels = {name: call.asked[name] for name in _RECORDED_LABELS if name in call.asked}
    run = {**labels, "external_id": call.external_id, **ending}
    body = {"mode": "partial", "runs": [run]}
    return Entry(entry_name(), "/v1/runs/bulk", body, f"record-{uuid.uuid4().hex}", allowance_nano)


class RunBase:
    """What a caller has in hand while its call runs."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def id(self) -> str | None:
        """The id of the run; None for a call that was let through without a decision."""
        return self._call.started["id"] if self._call.started else None

    @property
    def external_id(self) -> str:
        return self._call.external_id

    @property
    def started(self) -> StartedRun | None:
        """The run as Weir has started it."""
        return self._call.started

    @property
    def model(self) -> str | None:
        """The model to call: the one that was asked for, or that a route has chosen."""
        return self._call.started["model"] if self._call.started else self._call.asked.get("model")

    @property
    def max_output_tokens(self) -> int | None:
        """The most output that was granted: send no higher maximum to the provider."""
        if self._call.started is not None and "max_output_tokens" in self._call.started:
            return self._call.started["max_output_tokens"]
        return self._call.asked.get("max_output_tokens")

    @property
    def cancelled(self) -> bool:
        """True once the lease is lost: stop the call."""
        return self._call.lost is not None

    def check(self) -> None:
        """Raises `LeaseLost` once the lease is lost."""
        if self._call.lost is not None and self._call.on_lease_lost == "cancel":
            raise self._call.lost

    def usage(
        self,
        usage: object = None,
        /,
        *,
        model: str | None = None,
        cost_usd: str | None = None,
        value_usd: str | None = None,
        **words: Any,
    ) -> None:
        """
        Takes what the call used: the provider's `usage` object as it is, its whole answer, or the words of Weir, such as `input_tokens=100`.
        A second one is added to the first. Name `model` where another one ran.
        """
        call = self._call
        call.model = model or call.model
        call.cost_usd = cost_usd or call.cost_usd
        call.value_usd = value_usd or call.value_usd
        said = {name: value for name, value in words.items() if value is not None}
        if usage is not None or not (said or cost_usd or value_usd or model):
            read = usage_of(usage)
            if read is None:
                # The call was billed, so an exception here would only add a second trouble.
                log.warning("weir: an answer did not say what it used: the run costs what was held for it")
                call.is_unknown = True
                return
            said = {**read, **said}
        if said:
            call.used = added(call.used, said)

    def progress(self, usage: object = None, /, **words: Any) -> None:
        """Takes what a call that is under way has used in all so far: charged, as an estimate, only if it never says the whole."""
        read = usage_of(usage) if usage is not None else {}
        said = {**(read or {}), **words}
        if said:
            self._call.partial = said

    def release(self) -> None:
        """Says that the provider was not asked, so that the call costs nothing."""
        self._call.is_released = True
