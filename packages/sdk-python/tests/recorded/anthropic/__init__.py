"""Anthropic's SDK as far as the guide uses it, for where the real one cannot be had: `copy` and `messages.stream`."""

from __future__ import annotations

import contextlib
import json
import os
from types import SimpleNamespace
from typing import Any, Iterator

import httpx


class Anthropic:
    def __init__(self, http_client: httpx.Client | None = None) -> None:
        self._client = http_client or httpx.Client()
        self.messages = SimpleNamespace(stream=self._stream)

    def copy(self, http_client: httpx.Client) -> Anthropic:
        return Anthropic(http_client)

    @contextlib.contextmanager
    def _stream(self, **body: Any) -> Iterator[Any]:
        url = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
        with self._client.stream("POST", url, json={**body, "stream": True}) as answer:
            events = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
            yield SimpleNamespace(get_final_text=lambda: "".join(e["delta"].get("text", "") for e in events if e["type"] == "content_block_delta"))
