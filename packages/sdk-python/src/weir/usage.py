"""Usage as the providers report it, put into the words of Weir."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping

__all__ = ["usage_of"]

Json = Mapping[str, Any]


def usage_of(said: object) -> dict[str, Any] | None:
    """
    Reads the usage of a call from the provider's `usage` object, or from its whole answer: OpenAI's chats, responses and embeddings,
    Anthropic's messages, Gemini and LangChain, as an object or a dict. Returns fields of a settlement; None where it says nothing.
    """
    data = _plain(said)
    if data is None:
        return None
    for name in ("usage", "usageMetadata", "usage_metadata"):
        if (inner := _plain(data.get(name))) is not None:
            return _with_answer(_usage(inner), data)
    return _usage(data)


def _usage(usage: Json) -> dict[str, Any] | None:
    if _count(usage, "prompt_tokens") is not None:
        return _chat(usage)
    if _count(usage, "promptTokenCount", "prompt_token_count") is not None:
        return _gemini(usage)
    if _count(usage, "input_tokens") is None:
        return None
    if any(name in usage for name in ("input_token_details", "output_token_details")):
        return _langchain(usage)
    if any(name in usage for name in ("cache_read_input_tokens", "cache_creation_input_tokens", "iterations", "server_tool_use")):
        return _messages(usage)
    return _responses(usage)


def _chat(usage: Json) -> dict[str, Any]:
    given, made = _part(usage, "prompt_tokens_details"), _part(usage, "completion_tokens_details")
    input_tokens = _count(usage, "prompt_tokens") or 0
    # Some leave reasoning out of the completion and put it into the total only.
    output = max(_count(usage, "completion_tokens") or 0, (_count(usage, "total_tokens") or 0) - input_tokens)
    cached = _count(given, "cached_tokens")
    if cached is None:
        cached = _count(usage, "prompt_cache_hit_tokens", "cached_tokens") or 0
    return {
        "input_tokens": input_tokens,
        "output_tokens": output,
        **_some("cache_read_input_tokens", min(cached, input_tokens)),
        **_some("reasoning_output_tokens", min(_count(made, "reasoning_tokens") or 0, output)),
        **_some("audio_input_tokens", min(_count(given, "audio_tokens") or 0, input_tokens)),
        **_some("audio_output_tokens", min(_count(made, "audio_tokens") or 0, output)),
    }


def _responses(usage: Json) -> dict[str, Any]:
    input_tokens, output = _count(usage, "input_tokens") or 0, _count(usage, "output_tokens") or 0
    cached = _count(_part(usage, "input_tokens_details"), "cached_tokens") or 0
    reasoning = _count(_part(usage, "output_tokens_details"), "reasoning_tokens") or 0
    return {
        "input_tokens": input_tokens,
        "output_tokens": output,
        **_some("cache_read_input_tokens", min(cached, input_tokens)),
        **_some("reasoning_output_tokens", min(reasoning, output)),
    }


_MESSAGE_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def _messages(usage: Json) -> dict[str, Any]:
    """Adds up a turn: the totals leave out samplings that compacted the context and those of other models, which are in `iterations`."""
    iterations = [one for one in map(_plain, usage.get("iterations") or ()) if one is not None]
    own = [one for one in iterations if one.get("type") != "advisor_message"]
    plain, output, read, written = (
        max(_count(usage, name) or 0, sum(_count(one, name) or 0 for one in own)) for name in _MESSAGE_COUNTS
    )
    for_an_hour = _count(_part(usage, "cache_creation"), "ephemeral_1h_input_tokens") or 0
    thinking = _count(_part(usage, "output_tokens_details"), "thinking_tokens") or 0
    searches = _count(_part(usage, "server_tool_use"), "web_search_requests") or 0
    parts = _advisors([one for one in iterations if one.get("type") == "advisor_message"])
    return {
        "input_tokens": plain + read + written,
        "output_tokens": output,
        **_some("cache_read_input_tokens", read),
        **_some("cache_creation_input_tokens", written),
        **_some("cache_creation_1h_input_tokens", min(for_an_hour, written)),
        **_some("reasoning_output_tokens", min(thinking, output)),
        **({"units": {"web_search": searches}} if searches else {}),
        **({"parts": parts} if parts else {}),
        **({"service_tier": "batch"} if usage.get("service_tier") == "batch" else {}),
    }


def _advisors(iterations: list[Json]) -> list[dict[str, Any]]:
    sums: dict[str, dict[str, int]] = {}
    for one in iterations:
        total = sums.setdefault(str(one.get("model") or "unknown"), {"input_tokens": 0, "output_tokens": 0})
        total["input_tokens"] += sum(_count(one, name) or 0 for name in _MESSAGE_COUNTS if name != "output_tokens")
        total["output_tokens"] += _count(one, "output_tokens") or 0
    return [{"model": model, "usage": usage} for model, usage in sums.items()]


def _gemini(usage: Json) -> dict[str, Any]:
    prompt = _count(usage, "promptTokenCount", "prompt_token_count") or 0
    input_tokens = prompt + (_count(usage, "toolUsePromptTokenCount", "tool_use_prompt_token_count") or 0)
    thoughts = _count(usage, "thoughtsTokenCount", "thoughts_token_count") or 0
    shown = _count(usage, "candidatesTokenCount", "candidates_token_count", "response_token_count") or 0
    total = _count(usage, "totalTokenCount", "total_token_count") or 0
    output = max(shown + thoughts, total - input_tokens)
    cached = min(_count(usage, "cachedContentTokenCount", "cached_content_token_count") or 0, prompt)
    return {
        "input_tokens": input_tokens,
        "output_tokens": output,
        **_some("cache_read_input_tokens", cached),
        **_some("reasoning_output_tokens", min(thoughts, output)),
        **_gemini_media(usage, input_tokens, output, cached),
    }


def _gemini_media(usage: Json, input_tokens: int, output: int, cached: int) -> dict[str, int]:
    given = ("promptTokensDetails", "prompt_tokens_details", "toolUsePromptTokensDetails", "tool_use_prompt_tokens_details")
    made = ("candidatesTokensDetails", "candidates_tokens_details")
    kept = ("cacheTokensDetails", "cache_tokens_details")
    audio_cached = min(_modality(usage, "AUDIO", kept), _modality(usage, "AUDIO", given), cached)
    image_cached = min(_modality(usage, "IMAGE", kept), _modality(usage, "IMAGE", given), cached - audio_cached)
    room = input_tokens - (cached - audio_cached - image_cached)
    audio = min(_modality(usage, "AUDIO", given), room - image_cached)
    image = min(_modality(usage, "IMAGE", given), room - audio)
    audio_made = min(_modality(usage, "AUDIO", made), output)
    image_made = min(_modality(usage, "IMAGE", made), output - audio_made)
    return {
        **_some("audio_input_tokens", audio),
        **_some("image_input_tokens", image),
        **_some("video_input_tokens", min(_modality(usage, "VIDEO", given), room - audio - image)),
        **_some("cache_read_audio_input_tokens", min(audio_cached, audio)),
        **_some("cache_read_image_input_tokens", image_cached),
        **_some("audio_output_tokens", audio_made),
        **_some("image_output_tokens", image_made),
        **_some("video_output_tokens", min(_modality(usage, "VIDEO", made), output - audio_made - image_made)),
    }


def _modality(usage: Json, kind: str, fields: tuple[str, ...]) -> int:
    details = (_plain(one) or {} for name in fields for one in usage.get(name) or ())
    return sum(
        _count(one, "tokenCount", "token_count") or 0
        for one in details
        if str(getattr(one.get("modality"), "value", one.get("modality"))) == kind
    )


def _langchain(usage: Json) -> dict[str, Any]:
    given, made = _part(usage, "input_token_details"), _part(usage, "output_token_details")
    input_tokens, output = _count(usage, "input_tokens") or 0, _count(usage, "output_tokens") or 0
    read = min(_count(given, "cache_read") or 0, input_tokens)
    # Where writes for five minutes and for an hour are told apart, their sum may be left at nothing.
    an_hour = _count(given, "ephemeral_1h_input_tokens") or 0
    told_apart = an_hour + (_count(given, "ephemeral_5m_input_tokens") or 0)
    written = min(max(_count(given, "cache_creation") or 0, told_apart), input_tokens - read)
    return {
        "input_tokens": input_tokens,
        "output_tokens": output,
        **_some("cache_read_input_tokens", read),
        **_some("cache_creation_input_tokens", written),
        **_some("cache_creation_1h_input_tokens", min(an_hour, written)),
        **_some("reasoning_output_tokens", min(_count(made, "reasoning") or 0, output)),
        **_some("audio_input_tokens", min(_count(given, "audio") or 0, input_tokens)),
        **_some("audio_output_tokens", min(_count(made, "audio") or 0, output)),
    }


_FEES = {"web_search_call": "web_search", "file_search_call": "storage_search"}


def _with_answer(usage: dict[str, Any] | None, answer: Json) -> dict[str, Any] | None:
    """Adds what an answer says beside its usage: the tier that served it, and tools with a fee of their own."""
    if usage is None:
        return None
    tier = answer.get("service_tier")
    if tier in ("flex", "priority") or tier in ("default", "standard"):
        usage.setdefault("service_tier", tier if tier in ("flex", "priority") else "standard")
    units: dict[str, int] = {}
    output = answer.get("output")
    for item in output if isinstance(output, (list, tuple)) else ():
        one = _plain(item) or {}
        unit = _FEES.get(str(one.get("type")))
        action = _plain(one.get("action")) or {}
        # Only a search is billed; opening a page that was found is not.
        if unit is not None and action.get("type", "search") == "search":
            units[unit] = units.get(unit, 0) + 1
    if units:
        usage["units"] = units
    return usage


def added(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> dict[str, Any]:
    """Adds up two usages of one run."""
    total: dict[str, Any] = dict(one or {})
    for name, value in other.items():
        if name == "units":
            units: dict[str, int] = total.get(name, {})
            total[name] = {key: units.get(key, 0) + value.get(key, 0) for key in {*units, *value}}
        elif name == "parts":
            total[name] = [*total.get(name, []), *value]
        elif isinstance(value, int):
            total[name] = total.get(name, 0) + value
        else:
            total[name] = value
    return total


def _plain(value: object) -> Json | None:
    """An object of an SDK, a dataclass or a dict as a mapping."""
    if isinstance(value, Mapping):
        return value
    if value is None or isinstance(value, (str, bytes, int, float, list, tuple, type)):
        return None
    dump = getattr(value, "model_dump", None) or getattr(value, "to_dict", None)
    if callable(dump):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    if dataclasses.is_dataclass(value):
        return dataclasses.asdict(value)
    return vars(value) if hasattr(value, "__dict__") else None


def _part(usage: Json, name: str) -> Json:
    return _plain(usage.get(name)) or {}


def _count(usage: Json, *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _some(name: str, count: int) -> dict[str, int]:
    return {name: count} if count > 0 else {}
