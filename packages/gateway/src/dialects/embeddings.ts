import { ChatMeter } from './chat-meter.ts'
import { type Asked, type Dialect, RequestFault } from './dialect.ts'
import { arrayOf, choosingFields, modelAt, unknownFields } from './fields.ts'

/** The dialect of `POST /v1/embeddings`. There is no output to bound. */

const known = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user', 'input_type', 'truncate'])

export const embeddings: Dialect = {
  name: 'embeddings',
  kinds: ['openai', 'azure'],

  analyse(body) {
    const { input } = body
    if (typeof input !== 'string' && !Array.isArray(input))
      throw new RequestFault('invalid_request', 'input must be a text or an array', 'input')
    return {
      model: modelAt(body),
      stream: false,
      choices: 1,
      inputs: Math.max(1, arrayOf(input).filter((part) => typeof part !== 'number').length),
      media: new Set(),
      images: 0,
      references: arrayOf(input).flatMap((part, i) =>
        part !== null && typeof part === 'object' && !Array.isArray(part) ? [`input.${i}`] : [],
      ),
      maxOutput: 0,
      outputFields: [],
      leastOutput: 0,
      extraOutput: 0,
      hasTools: false,
      serverTools: [],
      unpriced: choosingFields(body, known),
      unknown: unknownFields(body, known),
      serviceTier: undefined,
      wantsUsage: false,
      hidesReasoning: false,
    } satisfies Asked
  },

  edits: () => [],
  meter: () => new ChatMeter(),
  generatedText: () => '',
  texts: ({ input }) =>
    typeof input === 'string' ? [input] : arrayOf(input).filter((part) => typeof part === 'string'),
}
