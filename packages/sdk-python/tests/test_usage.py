"""Usage in the words of each provider."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from weir import usage_of

CHAT = {
    "prompt_tokens": 100,
    "completion_tokens": 30,
    "total_tokens": 130,
    "prompt_tokens_details": {"cached_tokens": 40, "audio_tokens": 5},
    "completion_tokens_details": {"reasoning_tokens": 10, "audio_tokens": 2},
}
CHAT_WORDS = {
    "input_tokens": 100,
    "output_tokens": 30,
    "cache_read_input_tokens": 40,
    "audio_input_tokens": 5,
    "reasoning_output_tokens": 10,
    "audio_output_tokens": 2,
}

SHAPES: list[tuple[str, Any, dict[str, Any] | None]] = [
    ("a chat", CHAT, CHAT_WORDS),
    ("a chat with reasoning in the total only", {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}, {"input_tokens": 10, "output_tokens": 30}),
    ("an embedding", {"prompt_tokens": 8, "total_tokens": 8}, {"input_tokens": 8, "output_tokens": 0}),
    (
        "a response",
        {
            "input_tokens": 50,
            "input_tokens_details": {"cached_tokens": 20},
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 4},
            "total_tokens": 59,
        },
        {"input_tokens": 50, "output_tokens": 9, "cache_read_input_tokens": 20, "reasoning_output_tokens": 4},
    ),
    (
        "a message",
        {
            "input_tokens": 10,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 50,
            "cache_creation": {"ephemeral_1h_input_tokens": 20, "ephemeral_5m_input_tokens": 30},
            "output_tokens": 7,
            "server_tool_use": {"web_search_requests": 2},
        },
        {
            "input_tokens": 160,
            "output_tokens": 7,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 50,
            "cache_creation_1h_input_tokens": 20,
            "units": {"web_search": 2},
        },
    ),
    (
        "a message with an advisor",
        {
            "input_tokens": 10,
            "output_tokens": 7,
            "iterations": [
                {"type": "message", "input_tokens": 10, "output_tokens": 7},
                {"type": "advisor_message", "model": "claude-opus-4-5", "input_tokens": 30, "output_tokens": 3},
            ],
        },
        {
            "input_tokens": 10,
            "output_tokens": 7,
            "parts": [{"model": "claude-opus-4-5", "usage": {"input_tokens": 30, "output_tokens": 3}}],
        },
    ),
    (
        "an answer of Gemini",
        {"promptTokenCount": 20, "candidatesTokenCount": 5, "thoughtsTokenCount": 6, "totalTokenCount": 31, "cachedContentTokenCount": 8},
        {"input_tokens": 20, "output_tokens": 11, "cache_read_input_tokens": 8, "reasoning_output_tokens": 6},
    ),
    (
        "an answer of Gemini's own SDK, with sound",
        {
            "prompt_token_count": 20,
            "candidates_token_count": 5,
            "total_token_count": 25,
            "prompt_tokens_details": [{"modality": SimpleNamespace(value="AUDIO"), "token_count": 12}],
        },
        {"input_tokens": 20, "output_tokens": 5, "audio_input_tokens": 12},
    ),
    (
        "a message of LangChain",
        {"input_tokens": 60, "output_tokens": 5, "total_tokens": 65, "input_token_details": {"cache_read": 50, "ephemeral_1h_input_tokens": 4}},
        {"input_tokens": 60, "output_tokens": 5, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 4, "cache_creation_1h_input_tokens": 4},
    ),
    ("nothing", None, None),
    ("text", "42 tokens", None),
    ("something else", {"tokens": 42}, None),
    ("a count that is none", {"prompt_tokens": True}, None),
    ("a negative count", {"prompt_tokens": -5}, None),
]


@pytest.mark.parametrize(("said", "words"), [shape[1:] for shape in SHAPES], ids=[shape[0].replace(" ", "-") for shape in SHAPES])
def test_usage_is_read_as_the_provider_says_it(said: object, words: object) -> None:
    assert usage_of(said) == words


def test_objects_are_read_as_dicts_are() -> None:
    @dataclass
    class Usage:
        prompt_tokens: int
        completion_tokens: int

    assert usage_of(Usage(3, 4)) == usage_of(SimpleNamespace(prompt_tokens=3, completion_tokens=4))
    assert usage_of(Usage(3, 4)) == {"input_tokens": 3, "output_tokens": 4}


def test_a_whole_answer_says_its_tier_and_its_fees_too() -> None:
    searched = [{"type": "web_search_call", "action": {"type": "search"}}, {"type": "web_search_call", "action": {"type": "open_page"}}]
    answer = {"service_tier": "priority", "output": searched, "usage": {"input_tokens": 1, "output_tokens": 2}}
    assert usage_of(answer) == {"input_tokens": 1, "output_tokens": 2, "service_tier": "priority", "units": {"web_search": 1}}
