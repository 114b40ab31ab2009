"""Exceptions of this package, and the errors of the API behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Mapping, get_args

from .faults import FAULTS, ErrorCode

if TYPE_CHECKING:
    from .faults import Fault

__all__ = ["AlreadyEnded", "ApiError", "LeaseLost", "Refused", "SpoolFull", "Unavailable", "WeirError"]


class WeirError(Exception):
    """The base of all exceptions of this package."""


class ApiError(WeirError):
    """An error that Weir answered. Switch on `code`, or match `fault`."""

    def __init__(
        self,
        code: str,
        message: str,
        details: Mapping[str, Any],
        status: int,
        trace_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details
        self.status = status
        self.trace_id = trace_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled by their `args`, which are not the arguments of this one.
        return type(self), (self.code, self.message, dict(self.details), self.status, self.trace_id, self.retry_after)

    @property
    def fault(self) -> Fault | None:
        """The error as one of a union that `code` tells apart; None for a code that this version does not know."""
        known = FAULTS.get(self.code)
        return known(self.message, self.details) if known else None


class Refused(ApiError):
    """A decision against the call: nothing was held, and the provider must not be asked."""


class Unavailable(WeirError):
    """No decision within the time: Weir cannot be reached, or says that it cannot decide."""

    def __init__(self, message: str, may_have_arrived: bool = True) -> None:
        super().__init__(message)
        self.may_have_arrived = may_have_arrived
        """False where no connection was made, so that Weir has done nothing."""


class LeaseLost(WeirError):
    """The reservation of a running call does not stand any more, so the call should stop."""


class SpoolFull(WeirError):
    """As many ends of calls wait to be told to Weir as may wait: no further call begins."""


class AlreadyEnded(WeirError):
    """The run with this `external_id` has ended: its call was made before."""


REFUSALS: Final[frozenset[ErrorCode]] = frozenset(
    (
        "budget_exceeded",
        "chain_budget_exceeded",
        "concurrency_exceeded",
        "content_safety_blocked",
        "credits_exhausted",
        "frozen",
        "no_model_passes_eval",
        "plan_limit_exceeded",
        "policy_approval_required",
        "policy_blocked",
        "quota_exhausted",
        "rate_limited",
        "residency_violation",
        "spend_cap_exceeded",
    )
)
"""Codes by which a limit or a rule says no to a call."""

CODES: Final[frozenset[str]] = frozenset(get_args(ErrorCode))
