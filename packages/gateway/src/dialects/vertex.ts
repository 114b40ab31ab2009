import type { Dialect } from './dialect.ts'
import { messages } from './messages.ts'

/** The dialect of Vertex AI's `rawPredict` and `streamRawPredict`, with Anthropic's messages in it: the path names the model. */
export const vertex: Dialect = { ...messages, name: 'vertex', kinds: ['vertex-anthropic'] }
