import { isObject, type JsonObject } from './objects.ts'
import { type Usage, usageOf } from './usage.ts'

const responseEndings = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** A reader of the events of one streamed answer, of any provider that `usageOf` knows: usage once the answer has said all of it. */
export class StreamMeter {
  #answer: JsonObject | undefined
  #messages: JsonObject | undefined
  #gemini: JsonObject | undefined
  #isComplete = false

  event(event: unknown) {
    if (!isObject(event)) return
    if (typeof event['type'] === 'string') this.#typed(event, event['type'])
    else if (event['usageMetadata'] !== undefined || event['candidates'] !== undefined) this.#readGemini(event)
    else this.#readChat(event)
  }

  /** Returns the usage of an answer that has come to its end; undefined for one that was cut off. */
  usage(): Usage | undefined {
    if (!this.#isComplete) return undefined
    return usageOf(this.#answer ?? (this.#messages && { usage: this.#messages }) ?? this.#gemini)
  }

  #typed(event: JsonObject, type: string) {
    if (responseEndings.has(type) && isObject(event['response'])) {
      this.#answer = event['response']
      this.#isComplete = true
    }
    // Anthropic says it in two parts, and what the later one says replaces what the first said.
    const message = isObject(event['message']) ? event['message']['usage'] : undefined
    const usage = type === 'message_start' ? message : type === 'message_delta' ? event['usage'] : undefined
    if (isObject(usage))
      this.#messages = {
        ...this.#messages,
        ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined)),
      }
    if (type === 'message_stop') this.#isComplete = true
  }

  #readChat(event: JsonObject) {
    if (!isObject(event['usage'])) return
    this.#answer = event
    // Some report usage with every piece: only what comes with or after the end of the answer is all of it.
    const choices = Array.isArray(event['choices']) ? event['choices'] : []
    this.#isComplete ||= choices.every((choice) => isObject(choice) && typeof choice['finish_reason'] === 'string')
  }

  /** Gemini reports what was used so far with every event, so the last one counts. */
  #readGemini(event: JsonObject) {
    this.#gemini = { ...this.#gemini, ...event }
    const candidates = Array.isArray(event['candidates']) ? event['candidates'] : []
    this.#isComplete ||=
      isObject(event['promptFeedback']) ||
      candidates.some((one) => isObject(one) && typeof one['finishReason'] === 'string')
  }
}
