import { valueBound } from '../values/text-bound.ts'
import { chat } from './chat.ts'
import { ChatMeter } from './chat-meter.ts'
import { type Asked, type Dialect, RequestFault } from './dialect.ts'
import { arrayOf, choosingFields, countAt, flagAt, modelAt, objectAt, tierAt, unknownFields } from './fields.ts'

/** The old dialect of `POST /v1/completions`: a prompt, or several, each with answers of its own. */

const known = new Set(
  `model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop stream
  stream_options suffix temperature top_p user service_tier`.split(/\s+/),
)

export const completions: Dialect = {
  ...chat,
  name: 'completions',

  analyse(body) {
    const { prompt } = body
    if (typeof prompt !== 'string' && !Array.isArray(prompt))
      throw new RequestFault('invalid_request', 'prompt must be a text or an array', 'prompt')
    const isTokens = arrayOf(prompt).every((part) => typeof part === 'number')
    const prompts = Array.isArray(prompt) && !isTokens ? prompt.length : 1
    const maxOutput = countAt(body, 'max_tokens', 'max_tokens', 0)
    const answers = Math.max(countAt(body, 'n') ?? 1, countAt(body, 'best_of') ?? 1)
    return {
      model: modelAt(body),
      stream: flagAt(body, 'stream'),
      choices: Math.max(1, prompts) * answers,
      inputs: Math.max(1, prompts),
      media: new Set(),
      images: 0,
      references: [],
      maxOutput,
      outputFields: maxOutput === undefined ? [] : ['max_tokens'],
      leastOutput: 0,
      // What an echo repeats is billed as output by some.
      extraOutput: flagAt(body, 'echo') ? valueBound(prompt) * answers : 0,
      hasTools: false,
      serverTools: [],
      unpriced: choosingFields(body, known),
      unknown: unknownFields(body, known),
      serviceTier: tierAt(body, ['auto', 'default', 'standard']),
      wantsUsage: objectAt(body, 'stream_options')?.['include_usage'] === true,
      hidesReasoning: false,
    } satisfies Asked
  },

  edits: (asked, granted, provider, tools) =>
    chat.edits(asked, granted, { ...provider, max_tokens_field: 'max_tokens' }, tools),
  meter: () => new ChatMeter(),
  texts: ({ prompt }) =>
    typeof prompt === 'string' ? [prompt] : arrayOf(prompt).filter((part) => typeof part === 'string'),
}
