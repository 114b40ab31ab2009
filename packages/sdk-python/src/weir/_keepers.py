"""Threads that keep leases alive and tell Weir what could not be told at once. They run beside an event loop as well: a loop that is busy loses no lease."""

from __future__ import annotations

import heapq
import itertools
import logging
import os
import threading
import time
import uuid
from typing import Callable

from ._allowance import Allowance
from ._delivery import deliver
from ._run import Call
from ._spool import Entry, Spool
from ._wire import Answer, Backoff, Request, Steps, drive, exchange
from .errors import ApiError, Unavailable, WeirError

log = logging.getLogger("weir")

Send = Callable[[Request], "Answer | None"]


class _Thread:
    """A thread that begins with the first work, again in a process that was forked, and ends with its client."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._is_closed = False

    def ensure(self) -> None:
        with self._wake:
            if self._pid != os.getpid() or self._thread is None or not self._thread.is_alive():
                self._pid = os.getpid()
                self._thread = threading.Thread(target=self.run, name=self._name, daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def close(self) -> None:
        with self._wake:
            self._is_closed = True
            self._wake.notify_all()
        thread = self._thread
        if thread is not None and self._pid == os.getpid() and thread is not threading.current_thread():
            thread.join(timeout=10)

    def run(self) -> None:
        raise NotImplementedError


class LeaseKeeper(_Thread):
    """Extends the leases of running calls at half their time."""

    def __init__(self, send: Send, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("weir-leases")
        self._send = send
        self._clock = clock
        self._due: list[tuple[float, int, Call]] = []
        self._kept: set[int] = set()
        self._numbers = itertools.count()

    def keep(self, call: Call) -> None:
        with self._wake:
            self._kept.add(id(call))
            self._schedule(call, call.lease_deadline - call.lease_seconds / 2)
        self.ensure()

    def drop(self, call: Call) -> None:
        with self._wake:
            self._kept.discard(id(call))

    def _schedule(self, call: Call, at: float) -> None:
        heapq.heappush(self._due, (at, next(self._numbers), call))

    def run(self) -> None:
        while True:
            with self._wake:
                while not self._is_closed and (not self._due or self._due[0][0] > self._clock()):
                    # One whose call has ended leaves with its turn; without any the thread sleeps.
                    self._wake.wait(max(0.0, self._due[0][0] - self._clock()) if self._due else None)
                if self._is_closed:
                    return
                _, _, call = heapq.heappop(self._due)
                is_kept = id(call) in self._kept
            if is_kept:
                self._extend(call)

    def _extend(self, call: Call) -> None:
        """Extends one lease; a fault that may pass is tried again until the lease ends."""
        assert call.started is not None
        asked_at = self._clock()
        left = call.lease_deadline - asked_at
        if left <= 0:
            call.lose("it could not be extended in time")
            return
        within = min(5.0, max(0.2, left / 4))
        path = f"/v1/runs/{call.started['id']}/extend"
        body = {"lease_seconds": call.lease_seconds}
        request = Request("POST", path, within, body, idempotency_key=f"extend-{uuid.uuid4().hex}")
        try:
            drive(exchange(request, within, self._clock), self._send, time.sleep)
        except (Unavailable, ApiError) as error:
            if isinstance(error, ApiError) and error.code not in ("rate_limited", "service_unavailable", "internal"):
                if id(call) in self._kept:
                    call.lose(str(error))
                return
            with self._wake:
                self._schedule(call, min(call.lease_deadline, self._clock() + min(1.0, call.lease_seconds / 10)))
            return
        call.lease_deadline = asked_at + call.lease_seconds
        with self._wake:
            self._schedule(call, call.lease_deadline - call.lease_seconds / 2)


class SpoolKeeper(_Thread):
    """Tells Weir, in the background, the ends of calls that could not be told at once."""

    def __init__(self, spool: Spool, send: Send) -> None:
        super().__init__("weir-spool")
        self._spool = spool
        self._send = send
        self._allowances: dict[str, Allowance] = {}
        self._delivering = threading.Lock()
        self.kept_back = 0
        """Ends that Weir did not take at their last attempt."""

    def own(self, entry: Entry, allowance: Allowance) -> None:
        """Notes whose allowance is free again once the entry is recorded."""
        self._allowances[entry.name] = allowance

    def settled(self, entry: Entry) -> None:
        self._spool.done(entry)
        allowance = self._allowances.pop(entry.name, None)
        if allowance is not None:
            allowance.give_back(entry.allowance_nano)

    def run(self) -> None:
        backoff = Backoff(next_seconds=0.2, longest=15.0)
        while True:
            self._spool.adopt()
            is_clean = self._round(5.0)
            if is_clean:
                backoff = Backoff(next_seconds=0.2, longest=15.0)
            with self._wake:
                if self._is_closed:
                    return
                # Files of processes that have just ended are looked for now and then.
                self._wake.wait(10.0 if is_clean else backoff.pause())

    def flush(self, within: float) -> bool:
        """Tells all that waits; returns True where nothing is left of this process."""
        deadline = time.monotonic() + within
        backoff = Backoff(next_seconds=0.05, longest=1.0)
        while not self._round(max(0.05, deadline - time.monotonic())):
            pause = backoff.pause()
            if time.monotonic() + pause >= deadline:
                return False
            time.sleep(pause)
        return True

    def _round(self, within: float) -> bool:
        with self._delivering:
            due = self._spool.due()
            kept = 0
            for entry in due:
                try:
                    drive(deliver(entry, min(within, 5.0)), self._send, time.sleep)
                    self.settled(entry)
                except Unavailable:
                    self.kept_back = len(due)
                    return False
                except WeirError as error:
                    kept += 1
                    log.warning("weir: an end of a call waits: %s", error)
            self.kept_back = kept
            return kept == 0


def deliver_now(entry: Entry, spool: Spool, within: float) -> Steps[bool]:
    """Tells an end that has been written down; returns False where it is left to the keeper."""
    try:
        yield from deliver(entry, within)
        return True
    except WeirError as error:
        log.warning("weir: an end of a call is kept to be told later: %s", error)
        spool.leave(entry)
        return False
