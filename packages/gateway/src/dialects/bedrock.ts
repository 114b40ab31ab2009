import type { Dialect } from './dialect.ts'
import { messages } from './messages.ts'

/**
 * The dialect of Bedrock's `POST /model/{id}/invoke` and `/invoke-with-response-stream`, with Anthropic's messages in it: the path names the
 * model, and answers are streamed in Amazon's own form.
 */
export const bedrock: Dialect = { ...messages, name: 'bedrock', kinds: ['bedrock-anthropic'] }
