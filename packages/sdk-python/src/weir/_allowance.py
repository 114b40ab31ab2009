"""Calls without a decision: as many as the caller has explicitly allowed, all counted, and recorded afterwards."""

from __future__ import annotations

import threading
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeAlias

NANO = 1_000_000_000


def nano_of(usd: str | Decimal | int) -> int:
    """Returns an amount in billionths of a dollar. A float is no amount: it cannot say `$0.10`."""
    if isinstance(usd, float):
        raise TypeError("an amount is a string such as '0.05', not a float")
    try:
        amount = Decimal(usd) * NANO
    except InvalidOperation as error:
        raise ValueError(f"{usd!r} is no amount in dollars") from error
    if not amount.is_finite() or amount < 0 or amount != amount.to_integral_value():
        raise ValueError(f"{usd!r} is no amount in dollars")
    return int(amount)


def usd_of(nano: int) -> str:
    """Returns an amount as Weir writes it."""
    return f"{Decimal(nano) / NANO:f}"


class Allowance:
    """
    A bound on what calls may cost while Weir cannot decide. A call takes up its `estimated_cost_usd`, or else `per_call_usd`, until Weir has
    recorded it. The bound holds for this process.
    """

    def __init__(self, usd: str | Decimal, per_call_usd: str | Decimal) -> None:
        self._most = nano_of(usd)
        self._per_call = nano_of(per_call_usd)
        if self._per_call == 0:
            raise ValueError("a call that takes up nothing is not bounded: per_call_usd must be above 0")
        self._lock = threading.Lock()
        self._taken = 0
        self.calls = 0
        """Calls that went without a decision."""
        self.denied = 0
        """Calls for which there was no room."""

    @property
    def taken_usd(self) -> str:
        """What calls take up that Weir has not recorded yet."""
        return usd_of(self._taken)

    def take(self, estimated_cost_usd: str | None) -> int | None:
        """Takes up room for one call; None where there is none."""
        amount = max(1, nano_of(estimated_cost_usd)) if estimated_cost_usd is not None else self._per_call
        with self._lock:
            if self._taken + amount > self._most:
                self.denied += 1
                return None
            self._taken += amount
            self.calls += 1
            return amount

    def give_back(self, nano: int) -> None:
        with self._lock:
            self._taken -= nano


def allow_up_to(usd: str | Decimal, *, per_call_usd: str | Decimal) -> Allowance:
    """Lets calls run without a decision while Weir is away, until they have taken up so much."""
    return Allowance(usd, per_call_usd)


OnUnavailable: TypeAlias = "Literal['deny'] | Allowance"
