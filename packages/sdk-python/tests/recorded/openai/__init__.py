"""OpenAI's SDK as far as the guide uses it, for where the real one cannot be had: `copy`, `chat.completions.create` and errors by status."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import httpx


class APIStatusError(Exception):
    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.text)
        self.status_code, self.response = response.status_code, response


class OpenAI:
    def __init__(self, http_client: httpx.Client | None = None) -> None:
        self._client = http_client or httpx.Client()
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def copy(self, http_client: httpx.Client) -> OpenAI:
        return OpenAI(http_client)

    def _create(self, **body: Any) -> Any:
        answer = self._client.post(f"{os.environ['OPENAI_BASE_URL']}/chat/completions", json=body)
        if answer.status_code >= 300:
            raise APIStatusError(answer)
        said = answer.json()
        choices = [SimpleNamespace(message=SimpleNamespace(**one["message"])) for one in said["choices"]]
        return SimpleNamespace(choices=choices, usage=SimpleNamespace(**said["usage"]))
