"""Limits on what agents spend, in their own code: reserve before a model call, settle what it used."""

from ._allowance import Allowance, allow_up_to
from ._async_client import AsyncClient, AsyncRun
from ._client import Client, Run
from ._core import RunOptions
from ._guard import guard
from ._metering import labels
from ._transport import metered
from .errors import AlreadyEnded, ApiError, LeaseLost, Refused, SpoolFull, Unavailable, WeirError
from .faults import ErrorCode, Fault
from .usage import usage_of

__all__ = [
    "Allowance",
    "AlreadyEnded",
    "ApiError",
    "AsyncClient",
    "AsyncRun",
    "Client",
    "ErrorCode",
    "Fault",
    "LeaseLost",
    "Refused",
    "Run",
    "RunOptions",
    "SpoolFull",
    "Unavailable",
    "WeirError",
    "allow_up_to",
    "guard",
    "labels",
    "metered",
    "usage_of",
]
