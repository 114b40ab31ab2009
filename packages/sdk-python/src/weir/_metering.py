"""What a request to a provider asks for, and what its answer has used: read from the bytes, without changing what a caller sees."""

from __future__ import annotations

import contextlib
import contextvars
import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from .errors import ApiError, SpoolFull, Unavailable, WeirError
from .usage import usage_of

_METERED = {
    "/chat/completions": "chat",
    "/completions": "chat",
    "/embeddings": "embeddings",
    "/responses": "responses",
    "/messages": "messages",
}
_GEMINI = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent|embedContent)$")
_FREE = re.compile(r"/(messages/count_tokens|responses/input_tokens|models/[^/]+:countTokens|responses/[^/]+/cancel)$")
_MAXIMA = ("max_completion_tokens", "max_output_tokens", "max_tokens")
IMAGE_TOKENS = 2_000
"""What is held for a picture in a request; what it used in the end is what the provider says."""

_LABELS: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar("weir_labels", default={})
_HEADER_LABELS = {
    "x-weir-customer": "customer_id",
    "x-weir-user": "user_id",
    "x-weir-workflow": "workflow_id",
    "x-weir-deployment": "deployment_id",
    "x-weir-department": "department_id",
    "x-weir-chain": "chain_id",
    "x-weir-parent": "parent_run_id",
    "x-weir-action": "action",
}


@contextlib.contextmanager
def labels(**fields: Any) -> Iterator[None]:
    """Adds fields such as `customer_id` or `chain_id` to all runs that wrapped clients begin within a `with`."""
    token = _LABELS.set({**_LABELS.get(), **fields})
    try:
        yield
    finally:
        _LABELS.reset(token)


class NotMetered(WeirError):
    """A request of which nobody could say what it costs."""


@dataclass
class Asked:
    """A request as far as it decides what the call can cost."""

    kind: str
    options: dict[str, Any]
    content: bytes | None = None
    """The body to send instead, where the stream is asked to say what it used."""
    hides_usage: bool = False
    """True where the caller did not ask for the usage that its stream says."""


def asked_of(method: str, path: str, content: bytes, headers: Mapping[str, str], defaults: Mapping[str, Any]) -> Asked | None:
    """Reads a request; None for one that costs nothing. Raises `NotMetered` for one whose cost nobody could tell."""
    if method in ("GET", "DELETE", "HEAD", "OPTIONS") or _FREE.search(path):
        return None
    kind = next((kind for end, kind in _METERED.items() if path.endswith(end)), None)
    gemini = _GEMINI.search(path)
    if kind is None and gemini is None:
        raise NotMetered(f"{method} {path} is not metered, so it is not sent. Use a client that is not wrapped for it.")
    try:
        body = json.loads(content)
    except ValueError as error:
        raise NotMetered(f"The body of {path} is no JSON.") from error
    if not isinstance(body, dict):
        raise NotMetered(f"The body of {path} is no object.")
    said = {label: headers[name] for name, label in _HEADER_LABELS.items() if name in headers}
    options: dict[str, Any] = {**defaults, **_LABELS.get(), **said, "input_tokens": input_bound(body)}
    if gemini is not None:
        return Asked("gemini", {**options, "model": gemini[1], **_gemini_output(body, gemini[2])})
    assert kind is not None
    options["model"] = str(body.get("model", ""))
    if body.get("service_tier") in ("priority", "flex"):
        options["service_tier"] = body["service_tier"]
    if kind == "responses" and body.get("background") is True:
        raise NotMetered("A response in the background ends when nobody measures it: it is not sent.")
    output = 0 if kind == "embeddings" else _output(body)
    if output is not None:
        options["max_output_tokens"] = output
    return _asking(kind, options, body)


def _asking(kind: str, options: dict[str, Any], body: dict[str, Any]) -> Asked:
    stream = body.get("stream_options") or {}
    if kind != "chat" or body.get("stream") is not True or stream.get("include_usage") is True:
        return Asked(kind, options)
    asking = {**body, "stream_options": {**stream, "include_usage": True}}
    return Asked(kind, options, json.dumps(asking, ensure_ascii=False).encode(), True)


def _output(body: Mapping[str, Any]) -> int | None:
    named = [body[name] for name in _MAXIMA if isinstance(body.get(name), int)]
    # Each of the answers that are asked for may be as long as the maximum.
    choices = max((body[name] for name in ("n", "best_of") if isinstance(body.get(name), int)), default=1)
    return min(named) * max(1, choices) if named else None


def _gemini_output(body: Mapping[str, Any], operation: str) -> dict[str, int]:
    if operation == "embedContent":
        return {"max_output_tokens": 0}
    config = body.get("generationConfig") or {}
    most = config.get("maxOutputTokens", config.get("max_output_tokens"))
    thinking = (config.get("thinkingConfig") or {}).get("thinkingBudget")
    # What is thought may be billed beside the maximum; without a number for either, the longest answer of the model is held.
    if not isinstance(most, int) or not isinstance(thinking, int) or thinking < 0:
        return {}
    return {"max_output_tokens": (most + thinking) * max(1, config.get("candidateCount") or 1)}


def input_bound(body: object) -> int:
    """Bounds the tokens of a request from above: no token is less than a byte of text; what is a picture or a sound in base64 is counted apart."""
    if isinstance(body, str):
        if len(body) > 512 and (body.startswith("data:") or re.fullmatch(r"[A-Za-z0-9+/=_-]+", body)):
            return IMAGE_TOKENS
        return len(body.encode())
    if isinstance(body, dict):
        return sum(input_bound(key) + input_bound(value) for key, value in body.items()) + 4
    if isinstance(body, list):
        return sum(map(input_bound, body)) + 4
    return 4


@dataclass
class Meter:
    """A reader of one answer."""

    kind: str
    usage: dict[str, Any] | None = None
    is_complete: bool = False
    _message: dict[str, Any] = field(default_factory=dict)

    def whole(self, body: bytes) -> None:
        try:
            said = json.loads(body)
        except ValueError:
            return
        # A stream of Gemini may come as one array.
        for one in said if isinstance(said, list) else [said]:
            self.usage = usage_of(one) or self.usage
        self.is_complete = True

    def event(self, data: bytes) -> bool:
        """Reads the data of one event; returns True for one that is there for its usage only."""
        if data == b"[DONE]":
            self.is_complete = True
            return False
        if b'"usage' not in data and b'"service_tier"' not in data and b'"message_stop"' not in data:
            return False
        try:
            said = json.loads(data)
        except ValueError:
            return False
        if not isinstance(said, dict):
            return False
        if self.kind == "messages":
            self._read_message(said)
        elif self.kind == "responses":
            self._read_response(said)
        else:
            self.usage = usage_of(said) or self.usage
            finished = [one for one in said.get("candidates") or () if isinstance(one, dict) and one.get("finishReason")]
            self.is_complete = self.is_complete or (self.kind == "gemini" and bool(finished))
        return said.get("choices") == [] and isinstance(said.get("usage"), dict)

    def _read_response(self, said: dict[str, Any]) -> None:
        if said.get("type") in ("response.completed", "response.incomplete", "response.failed"):
            self.usage = usage_of(said.get("response")) or self.usage
            self.is_complete = True

    def _read_message(self, said: dict[str, Any]) -> None:
        if said.get("type") == "message_stop":
            self.is_complete = True
        message = said.get("message")
        usage = said.get("usage") or (message.get("usage") if isinstance(message, dict) else None)
        if isinstance(usage, dict):
            # The later one replaces what the first said.
            self._message.update({name: value for name, value in usage.items() if value is not None})
            self.usage = usage_of(self._message)


class EventFilter:
    """Cuts a stream into events, shows them to the meter, and keeps back the one that the caller did not ask for."""

    def __init__(self, meter: Meter, hides_usage: bool) -> None:
        self._meter = meter
        self._hides = hides_usage
        self._rest = b""

    def feed(self, chunk: bytes) -> bytes:
        self._rest += chunk
        passed = bytearray()
        while (cut := _end_of_event(self._rest)) is not None:
            event, self._rest = self._rest[:cut], self._rest[cut:]
            if not (self._see(event) and self._hides):
                passed += event
        if self._hides:
            return bytes(passed)
        # Nothing is kept back, so nothing waits for the end of its event.
        return chunk

    def rest(self) -> bytes:
        last, self._rest = self._rest, b""
        is_ours = bool(last.strip()) and self._see(last)
        return last if self._hides and not is_ours else b""

    def _see(self, event: bytes) -> bool:
        lines = event.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        data = b"\n".join(line[5:].strip() for line in lines if line.startswith(b"data:"))
        return bool(data) and self._meter.event(data)


def _end_of_event(data: bytes) -> int | None:
    ends = [at + len(mark) for mark in (b"\n\n", b"\r\n\r\n", b"\r\r") if (at := data.find(mark)) >= 0]
    return min(ends) if ends else None


def refusal(error: WeirError, kind: str) -> tuple[int, dict[str, str], bytes]:
    """Returns the answer that a provider would give: a client of it shows it once and does not repeat it."""
    status = 503
    if isinstance(error, ApiError):
        # A status that the SDKs would repeat on their own would not make one request of one refusal.
        status = {409: 400, 410: 401, 422: 400}.get(error.status, error.status)
    elif isinstance(error, NotMetered):
        status = 400
    code = error.code if isinstance(error, ApiError) else {Unavailable: "service_unavailable", SpoolFull: "spool_full"}.get(type(error), "not_metered")
    message = f"Weir: {error.message if isinstance(error, ApiError) else error}"
    details: dict[str, Any] = {"code": code, **(dict(error.details) if isinstance(error, ApiError) else {})}
    said: dict[str, Any] = {"message": message, "type": "weir_refused", "code": code, "param": None, "weir": details}
    body: dict[str, Any] = {"type": "error", "error": said} if kind == "messages" else {"error": said}
    headers = {"content-type": "application/json", "x-should-retry": "false"}
    return status, headers, json.dumps(body).encode()
