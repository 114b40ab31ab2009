"""A provider for practice: a real HTTP server that answers as OpenAI, Anthropic and Gemini do, and keeps books of what it would bill."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator


@dataclass
class Entry:
    """A call as the provider saw it, and what it bills for it."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    input: int = 0
    output: int = 0
    state: str = "running"


@dataclass
class Script:
    """How the next calls are answered: a status, a break after so many pieces, a pause before the answer."""

    status: int = 200
    break_after: int | None = None
    first_seconds: float = 0.0
    piece_seconds: float = 0.0
    pieces: int = 3
    input: int = 100
    silent: bool = False


@dataclass
class Provider:
    entries: list[Entry] = field(default_factory=list)
    script: Script = field(default_factory=Script)
    decide: Callable[[dict[str, Any]], Script] | None = None

    def __enter__(self) -> Provider:
        provider = self

        class Handler(_Handler):
            books = provider

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def settled(self, entry: Entry) -> None:
        """Waits until the provider knows how a call ended."""
        deadline = time.monotonic() + 20
        while entry.state == "running" and time.monotonic() < deadline:
            time.sleep(0.01)


class _Handler(BaseHTTPRequestHandler):
    books: Provider
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body: dict[str, Any] = json.loads(raw) if raw else {}
        entry = Entry(self.path, body, {name.lower(): value for name, value in self.headers.items()})
        self.books.entries.append(entry)
        script = self.books.decide(body) if self.books.decide is not None else self.books.script
        try:
            self._answer(entry, script)
        except OSError:
            entry.state = "gone"
            self.close_connection = True

    def _answer(self, entry: Entry, script: Script) -> None:
        if script.first_seconds:
            time.sleep(script.first_seconds)
        if script.status != 200:
            entry.state = "refused" if script.status < 500 or script.status in (503, 529) else "failed"
            return self._json(script.status, _error(entry.path, script.status))
        entry.input = script.input
        if script.break_after == 0:
            entry.state = "broken"
            self.close_connection = True
            return
        if entry.body.get("stream") or "streamGenerateContent" in entry.path:
            return self._stream(entry, script)
        entry.output = script.pieces
        entry.state = "complete"
        self._json(200, _whole(entry, script))

    def _stream(self, entry: Entry, script: Script) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(_events(entry, script)):
            if script.break_after is not None and number >= script.break_after:
                entry.state = "broken"
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
            if script.piece_seconds:
                time.sleep(script.piece_seconds)
        self.wfile.write(b"0\r\n\r\n")
        entry.state = "complete"

    def _json(self, status: int, body: dict[str, Any]) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _error(path: str, status: int) -> dict[str, Any]:
    if "/messages" in path:
        return {"type": "error", "error": {"type": "api_error", "message": f"practice {status}"}}
    return {"error": {"message": f"practice {status}", "type": "practice", "code": None, "param": None}}


WORDS = ("the ", "quick ", "brown ", "fox ")


def _words(count: int) -> list[str]:
    return [WORDS[i % len(WORDS)] for i in range(count)]


def _chat_usage(entry: Entry) -> dict[str, Any]:
    return {"prompt_tokens": entry.input, "completion_tokens": entry.output, "total_tokens": entry.input + entry.output}


def _usage(entry: Entry) -> dict[str, Any]:
    return {"input_tokens": entry.input, "output_tokens": entry.output}


def _responses_usage(entry: Entry) -> dict[str, Any]:
    return {
        **_usage(entry),
        "total_tokens": entry.input + entry.output,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }


def _gemini_usage(entry: Entry) -> dict[str, Any]:
    total = entry.input + entry.output
    return {"promptTokenCount": entry.input, "candidatesTokenCount": entry.output, "totalTokenCount": total}


def _response(entry: Entry, text: str, status: str = "completed") -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": entry.body["model"], "output": [message],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": _responses_usage(entry),
    }  # fmt: skip


def _whole(entry: Entry, script: Script) -> dict[str, Any]:
    text = "".join(_words(script.pieces)).strip()
    model = entry.body.get("model", "model")
    if "/messages" in entry.path:
        content = [{"type": "text", "text": text}]
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content}
        return {**message, "stop_reason": "end_turn", "stop_sequence": None, "usage": _usage(entry)}
    if "/responses" in entry.path:
        return _response(entry, text)
    if "/embeddings" in entry.path:
        entry.output = 0
        vector = {"object": "embedding", "index": 0, "embedding": [0.1, 0.2]}
        return {"object": "list", "model": model, "data": [vector], "usage": {"prompt_tokens": entry.input, "total_tokens": entry.input}}
    if ":generateContent" in entry.path:
        candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": text}]}}
        return {"candidates": [candidate], "usageMetadata": _gemini_usage(entry)}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    answer = {"id": "chat_1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    return answer if script.silent else {**answer, "usage": _chat_usage(entry)}


def _event(data: object, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def _events(entry: Entry, script: Script) -> Iterator[bytes]:
    if "/messages" in entry.path:
        return _message_events(entry, script)
    if "/responses" in entry.path:
        return _response_events(entry, script)
    if "streamGenerateContent" in entry.path:
        return _gemini_events(entry, script)
    return _chat_events(entry, script)


def _chat_events(entry: Entry, script: Script) -> Iterator[bytes]:
    base = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": entry.body["model"]}
    for word in _words(script.pieces):
        entry.output += 1
        yield _event({**base, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}]})
    yield _event({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if (entry.body.get("stream_options") or {}).get("include_usage") and not script.silent:
        yield _event({**base, "choices": [], "usage": _chat_usage(entry)})
    yield _event("[DONE]")


def _response_events(entry: Entry, script: Script) -> Iterator[bytes]:
    number = 0

    def event(kind: str, **fields: Any) -> bytes:
        nonlocal number
        number += 1
        return _event({"type": kind, "sequence_number": number, **fields}, kind)

    begun = {**_response(entry, "", "in_progress"), "output": [], "usage": None}
    yield event("response.created", response=begun)
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    yield event("response.output_item.added", output_index=0, item=message)
    part = {"type": "output_text", "text": "", "annotations": []}
    yield event("response.content_part.added", item_id="msg_1", output_index=0, content_index=0, part=part)
    for word in _words(script.pieces):
        entry.output += 1
        yield event("response.output_text.delta", item_id="msg_1", output_index=0, content_index=0, delta=word, logprobs=[])
    yield event("response.completed", response=_response(entry, "".join(_words(script.pieces))))


def _message_events(entry: Entry, script: Script) -> Iterator[bytes]:
    def event(kind: str, **fields: Any) -> bytes:
        return _event({"type": kind, **fields}, kind)

    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": entry.body["model"], "content": [], "stop_reason": None}
    yield event("message_start", message={**message, "stop_sequence": None, "usage": {"input_tokens": entry.input, "output_tokens": 1}})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for word in _words(script.pieces):
        entry.output += 1
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": word})
    yield event("content_block_stop", index=0)
    yield event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": entry.output})
    yield event("message_stop")


def _gemini_events(entry: Entry, script: Script) -> Iterator[bytes]:
    words = _words(script.pieces)
    for number, word in enumerate(words):
        entry.output += 1
        candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": [{"text": word}]}}
        if number == len(words) - 1:
            candidate["finishReason"] = "STOP"
        yield _event({"candidates": [candidate], "usageMetadata": _gemini_usage(entry)})
