import type { Conversation, JsonObject } from './dialect.ts'

/**
 * Returns the conversation in a request: its messages, and around them every field that is not known to leave the length of the input as it
 * is. A field that does not exist yet is one of those, so that two requests with different ones are never taken for each other.
 */
export function conversationOf(
  body: JsonObject,
  messages: readonly unknown[],
  harmless: ReadonlySet<string>,
  isAnswer: (message: unknown) => boolean,
): Conversation {
  const frame = Object.entries(body).filter(([field]) => !harmless.has(field))
  return {
    frame: frame.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    messages,
    isTurn: (end) => end > 0 && !isAnswer(messages[end - 1]) && (end === messages.length || isAnswer(messages[end])),
  }
}

/** Fields of most APIs that choose how an answer is made, and add nothing to the input. */
export const sampling: readonly string[] = `max_tokens max_completion_tokens max_output_tokens stream stream_options
  temperature top_p top_k min_p seed stop stop_sequences user metadata safety_identifier prompt_cache_key
  prompt_cache_retention service_tier store logprobs top_logprobs logit_bias frequency_penalty presence_penalty`.split(
  /\s+/,
)
