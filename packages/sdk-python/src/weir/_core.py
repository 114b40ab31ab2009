"""What both clients share: the settings, the connections of the background, and the ends of calls."""

from __future__ import annotations

import atexit
import json
import os
import uuid
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Mapping, NotRequired

import httpx

from ._allowance import Allowance, OnUnavailable
from ._keepers import LeaseKeeper, SpoolKeeper
from ._run import Call, abandoned, is_outcome_unknown, new_call, settlement_of
from ._spool import Entry, Spool, default_folder
from ._wire import NOT_SENT, Answer, Request
from .errors import Unavailable
from .types import StartInput

OnLeaseLost = Literal["cancel", "continue"]
NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Exceptions that say that a request was not sent."""

CHANGES = frozenset(("POST", "PUT", "PATCH", "DELETE"))


class RunOptions(StartInput):
    """What a run may ask for: the fields of `POST /v1/runs`, and what becomes of it when Weir is away."""

    on_unavailable: NotRequired[OnUnavailable]
    on_lease_lost: NotRequired[OnLeaseLost]


@dataclass(frozen=True)
class Settings:
    api_key: str
    base_url: str
    timeout: float
    settle_timeout: float
    on_unavailable: OnUnavailable
    on_lease_lost: OnLeaseLost

    def headers(self, request: Request) -> dict[str, str]:
        headers = {"authorization": f"Bearer {self.api_key}", "accept": "application/json"}
        if request.body is not None:
            headers["content-type"] = "application/json"
        if request.idempotency_key is not None:
            headers["idempotency-key"] = request.idempotency_key
        return headers

    def url(self, request: Request) -> str:
        return self.base_url + request.path


def settings_of(
    api_key: str | None,
    base_url: str | None,
    timeout: float,
    settle_timeout: float,
    on_unavailable: OnUnavailable,
    on_lease_lost: OnLeaseLost,
) -> Settings:
    """Reads the settings; the environment says what is not given."""
    key = api_key or os.environ.get("WEIR_API_KEY")
    url = base_url or os.environ.get("WEIR_BASE_URL")
    if not key:
        raise ValueError("Weir needs an API key: pass api_key, or set WEIR_API_KEY")
    if not url:
        raise ValueError("Weir needs an address: pass base_url, or set WEIR_BASE_URL")
    if on_unavailable != "deny" and not isinstance(on_unavailable, Allowance):
        raise ValueError("on_unavailable is 'deny' or weir.allow_up_to(…)")
    # The address may be given with the path that stands before every route.
    address = url.rstrip("/").removesuffix("/v1")
    return Settings(key, address, timeout, settle_timeout, on_unavailable, on_lease_lost)


def content_of(body: Mapping[str, Any] | None) -> bytes | None:
    return None if body is None else json.dumps(body, separators=(",", ":")).encode()


def send_with(http: httpx.Client, settings: Settings, request: Request) -> Answer | None:
    """Sends one request; None where no answer came."""
    try:
        response = http.request(
            request.method,
            settings.url(request),
            content=content_of(request.body),
            params=request.params,
            headers=settings.headers(request),
            timeout=request.timeout,
        )
    except NOT_CONNECTED:
        return NOT_SENT
    except httpx.HTTPError:
        return None
    return Answer(response.status_code, response.headers, response.content)


def request_of(
    method: str,
    path: str,
    timeout: float,
    body: Mapping[str, Any] | None,
    params: Mapping[str, object] | None,
    idempotency_key: str | None,
) -> Request:
    """Makes a request; one that changes something always has a key, so that repeating it is safe."""
    key = idempotency_key or (f"py-{uuid.uuid4().hex}" if method in CHANGES else None)
    said = {name: _text(value) for name, value in (params or {}).items() if value is not None}
    return Request(method, path if path.startswith("/v1/") else f"/v1{path}", min(timeout, 30.0), body, said or None, key)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Core:
    """The part of a client that works in the background, beside whatever the caller does."""

    def __init__(self, settings: Settings, spool: str | Path | None | Literal["default"], spool_limit: int) -> None:
        self.settings = settings
        folder = default_folder() if spool == "default" else Path(spool) if spool is not None else None
        self.spool = Spool(folder, settings.base_url, settings.api_key, spool_limit)
        self._http = httpx.Client()
        self.leases = LeaseKeeper(self.send)
        self.ends = SpoolKeeper(self.spool, self.send)
        self._is_closed = False
        _close_at_exit(self)
        if self.spool.folder is not None:
            # What an earlier process has left is told without waiting for the first trouble of this one.
            self.ends.ensure()

    def send(self, request: Request) -> Answer | None:
        return send_with(self._http, self.settings, request)

    def begin(self, options: RunOptions) -> tuple[Call, bool, OnUnavailable]:
        """Takes on a call: from here on its end has room."""
        if options.get("dry_run"):
            raise ValueError("a dry run starts nothing: post it to /runs instead")
        asked: dict[str, Any] = dict(options)
        on_unavailable: OnUnavailable = asked.pop("on_unavailable", self.settings.on_unavailable)
        call, is_own_id = new_call(asked, asked.pop("on_lease_lost", self.settings.on_lease_lost))
        call.asked.pop("on_lease_lost", None)
        self.spool.begin()
        return call, is_own_id, on_unavailable

    def started(self, call: Call) -> None:
        self.leases.keep(call)

    def let_through(self, call: Call, on_unavailable: OnUnavailable) -> bool:
        """Lets a call run without a decision where the caller has allowed that and there is room."""
        if not isinstance(on_unavailable, Allowance):
            return False
        taken = on_unavailable.take(call.asked.get("estimated_cost_usd"))
        if taken is None:
            return False
        call.allowance, call.allowance_nano = on_unavailable, taken
        return True

    def not_started(self, call: Call, error: BaseException, is_own_id: bool) -> None:
        """Sees to it that a call which did not begin holds nothing."""
        # Whoever names the call may send it again under its name: that start is the same run, which no earlier one may end.
        if is_own_id or not is_outcome_unknown(error):
            self.spool.give_up()
            return
        self.keep(abandoned(call))

    def ending(self, call: Call, error: BaseException | None) -> Entry:
        """Writes down how a call ended, before anybody is told."""
        self.leases.drop(call)
        entry = settlement_of(call, error)
        if call.allowance is not None:
            self.ends.own(entry, call.allowance)
        self.spool.put(entry)
        return entry

    def keep(self, entry: Entry) -> None:
        """Leaves an end to the background from the beginning."""
        self.spool.put(entry)
        self.left(entry)

    def left(self, entry: Entry) -> None:
        self.spool.leave(entry)
        self.ends.ensure()

    def close(self, within: float) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self.leases.close()
        self.ends.flush(within)
        self.ends.close()
        self._http.close()


def _close_at_exit(core: Core) -> None:
    reference = weakref.ref(core)

    def close() -> None:
        alive = reference()
        if alive is not None:
            alive.close(2.0)

    atexit.register(close)


def denied(error: Unavailable, on_unavailable: OnUnavailable) -> Unavailable:
    """Says why a call was not let through although Weir is away."""
    if isinstance(on_unavailable, Allowance):
        message = f"{error} What may run without it is used up: ${on_unavailable.taken_usd}."
        return Unavailable(message, error.may_have_arrived)
    return error
