"""Proof that a delivery comes from Weir. Verify the bytes that arrived, before any parsing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Mapping, cast

from .errors import WeirError
from .types import Event

__all__ = ["NotGenuine", "TOLERANCE_SECONDS", "event_of", "is_genuine"]

TOLERANCE_SECONDS = 300


class NotGenuine(WeirError):
    """A delivery that none of the secrets has signed, or an old one."""


def event_of(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    organization_secret: str | None = None,
    now: float | None = None,
) -> Event:
    """Returns the event of a delivery; raises `NotGenuine` unless it is signed. `organization_secret` allows version 1, which is deprecated."""
    if not is_genuine(body, headers, secret, organization_secret=organization_secret, now=now):
        raise NotGenuine("The delivery is not signed with this secret, or it is too old.")
    return cast(Event, json.loads(body))


def is_genuine(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    organization_secret: str | None = None,
    now: float | None = None,
) -> bool:
    """True for a delivery that is signed by version 2 or Standard Webhooks with the subscription's secret, or by version 1 with the organization's."""
    raw = body.encode() if isinstance(body, str) else body
    said = {name.lower(): value for name, value in headers.items()}
    moment = time.time() if now is None else now
    signature = said.get("x-svc-signature")
    if signature is not None and signature.startswith("v1="):
        # Without a time nothing tells an old delivery from a new one: only who asks for version 1 gets it.
        return organization_secret is not None and _matches(signature[3:], _hex(organization_secret, raw))
    if signature is not None:
        return _is_version_2(raw, signature, secret, moment)
    return _is_standard(raw, said, secret, moment)


def _is_version_2(raw: bytes, header: str, secret: str, now: float) -> bool:
    parts = [part.partition("=")[::2] for part in header.split(",")]
    stamp = next((value for name, value in parts if name == "t"), "")
    if not _is_recent(stamp, now):
        return False
    expected = _hex(secret, stamp.encode() + b"." + raw)
    return any([_matches(value, expected) for name, value in parts if name == "v1"])


def _is_standard(raw: bytes, headers: Mapping[str, str], secret: str, now: float) -> bool:
    name, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not name or not _is_recent(stamp, now):
        return False
    signed = f"{name}.{stamp}.".encode() + raw
    expected = base64.b64encode(hmac.new(_standard_key(secret), signed, hashlib.sha256).digest()).decode()
    given = [part.partition(",")[::2] for part in headers.get("webhook-signature", "").split()]
    return any([_matches(value, expected) for version, value in given if version == "v1"])


def _standard_key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        return secret.encode()


def _is_recent(stamp: str, now: float) -> bool:
    # `isdecimal` alone would take digits of other scripts.
    return stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12 and abs(now - int(stamp)) <= TOLERANCE_SECONDS


def _hex(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _matches(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
