import { some, tierOf } from './chat-meter.ts'
import type { Asked, JsonObject, Meter, Usage } from './dialect.ts'
import { arrayOf, isObject, parseObject, tokensAt } from './fields.ts'

/** A reader of Gemini's answers. Every event says what was used so far, so the last one counts; none says that it is the last. */
export class GeminiMeter implements Meter {
  #usage: JsonObject | undefined
  /** Candidates that have said why they ended. */
  readonly #ended = new Set<unknown>()
  /** True when nothing more can come: the prompt was blocked, or the answer is an embedding. */
  #isWhole = false
  readonly #queries = new Set<string>()
  #isGrounded = false
  unread = 0

  private readonly asked: Pick<Asked, 'model' | 'choices'>

  constructor(asked: Pick<Asked, 'model' | 'choices'>) {
    this.asked = asked
  }

  event(data: string) {
    this.#read(parseObject(data))
  }

  /** Reads an answer, or a stream that came as one array. */
  whole(body: unknown) {
    for (const answer of Array.isArray(body) ? body : [body]) this.#read(answer)
  }

  #read(answer: unknown) {
    if (!isObject(answer)) {
      this.unread += 1
      return
    }
    if (isObject(answer['usageMetadata'])) this.#usage = answer['usageMetadata']
    const feedback = answer['promptFeedback']
    if (isObject(feedback) && feedback['blockReason'] !== undefined) this.#isWhole = true
    if (answer['embedding'] !== undefined || answer['embeddings'] !== undefined) this.#isWhole = true
    for (const candidate of arrayOf(answer['candidates']).filter(isObject)) {
      if (typeof candidate['finishReason'] === 'string') this.#ended.add(candidate['index'] ?? 0)
      this.#readGrounding(candidate['groundingMetadata'])
    }
  }

  #readGrounding(grounding: unknown) {
    if (!isObject(grounding) || Object.keys(grounding).length === 0) return
    this.#isGrounded = true
    for (const query of arrayOf(grounding['webSearchQueries']))
      if (typeof query === 'string' && query !== '') this.#queries.add(query)
  }

  /** Returns the usage of an answer that has ended: before that, some models leave the output out of it. */
  usage(): Usage | undefined {
    return this.#ended.size > 0 || this.#isWhole ? this.#soFar() : undefined
  }

  inputSoFar(): Partial<Usage> | undefined {
    return this.#soFar()
  }

  isComplete(): boolean {
    return this.#isWhole || this.#ended.size >= this.asked.choices
  }

  #soFar(): Usage | undefined {
    const usage = this.#usage && geminiUsage(this.#usage)
    const searches = this.#searches()
    return usage && searches > 0 ? { ...usage, units: { web_search: searches } } : usage
  }

  /** Searches that have a fee: each query, or in models before Gemini 3 each prompt that was searched for. */
  #searches(): number {
    if (!this.#isGrounded) return 0
    return /^gemini-[12]\b/.test(this.asked.model) ? 1 : Math.max(1, this.#queries.size)
  }
}

/** True for Google's answer to a key that is wrong. */
export const refusesGeminiKey = (answer: unknown): boolean => {
  const error = isObject(answer) ? answer['error'] : undefined
  const details = isObject(error) ? arrayOf(error['details']).filter(isObject) : []
  return details.some((detail) => detail['reason'] === 'API_KEY_INVALID')
}

/** Adds up what was billed: the prompt with what was cached and what tools have returned; all candidates, and thoughts. */
function geminiUsage(usage: JsonObject): Usage | undefined {
  const prompt = tokensAt(usage, 'promptTokenCount')
  if (prompt === undefined) return undefined
  const input = prompt + (tokensAt(usage, 'toolUsePromptTokenCount') ?? 0)
  const thoughts = tokensAt(usage, 'thoughtsTokenCount') ?? 0
  // The total is their sum; should one of them be left out one day, it is in the total.
  const output = Math.max(
    (tokensAt(usage, 'candidatesTokenCount') ?? 0) + thoughts,
    (tokensAt(usage, 'totalTokenCount') ?? 0) - input,
  )
  const cached = Math.min(tokensAt(usage, 'cachedContentTokenCount') ?? 0, prompt)
  return {
    input_tokens: input,
    output_tokens: output,
    ...some('cache_read_input_tokens', cached),
    ...some('reasoning_output_tokens', thoughts),
    ...mediaInput(usage, input, cached),
    ...mediaOutput(usage, output),
    ...tierOf(typeof usage['serviceTier'] === 'string' ? usage['serviceTier'].toLowerCase() : undefined),
  }
}

/** Counts the tokens of one kind in lists of details. */
const countOf = (usage: JsonObject, kind: string, ...fields: string[]): number =>
  fields
    .flatMap((field) => arrayOf(usage[field]))
    .filter(isObject)
    .filter((detail) => detail['modality'] === kind)
    .reduce((sum, detail) => sum + (tokensAt(detail, 'tokenCount') ?? 0), 0)

/** Input that is no text, and what of it was cached: each a part of what is left when the others are taken away. */
function mediaInput(usage: JsonObject, input: number, cached: number): Partial<Usage> {
  const given = (kind: string) =>
    countOf(usage, kind, 'promptTokensDetails', 'promptTokenDetails', 'toolUsePromptTokensDetails')
  const cachedAudio = Math.min(countOf(usage, 'AUDIO', 'cacheTokensDetails'), given('AUDIO'), cached)
  const cachedImage = Math.min(countOf(usage, 'IMAGE', 'cacheTokensDetails'), given('IMAGE'), cached - cachedAudio)
  const room = input - (cached - cachedAudio - cachedImage)
  const audio = Math.min(given('AUDIO'), room - cachedImage)
  const image = Math.min(given('IMAGE'), room - audio)
  return {
    ...some('audio_input_tokens', audio),
    ...some('image_input_tokens', image),
    ...some('video_input_tokens', Math.min(given('VIDEO'), room - audio - image)),
    ...some('cache_read_audio_input_tokens', Math.min(cachedAudio, audio)),
    ...some('cache_read_image_input_tokens', cachedImage),
  }
}

function mediaOutput(usage: JsonObject, output: number): Partial<Usage> {
  const given = (kind: string) => countOf(usage, kind, 'candidatesTokensDetails')
  const audio = Math.min(given('AUDIO'), output)
  const image = Math.min(given('IMAGE'), output - audio)
  return {
    ...some('audio_output_tokens', audio),
    ...some('image_output_tokens', image),
    ...some('video_output_tokens', Math.min(given('VIDEO'), output - audio - image)),
  }
}
