/** A request in one dialect. */
export interface DialectRequest {
  readonly path: string
  readonly body: object
}

interface Wish {
  readonly max: number
  readonly stream?: boolean
}

const messages = [{ role: 'user', content: 'hi' }]
const streamed = ({ stream = false }: Wish) => (stream ? { stream } : {})

/** The dialects, each with a request for an answer of so many tokens at most. */
export const dialects = {
  chat: (wish) => ({
    path: '/v1/chat/completions',
    body: { model: 'gpt-4o', max_tokens: wish.max, messages, ...streamed(wish) },
  }),
  completions: (wish) => ({
    path: '/v1/completions',
    body: { model: 'gpt-3.5-turbo-instruct', max_tokens: wish.max, prompt: 'hi', ...streamed(wish) },
  }),
  responses: (wish) => ({
    path: '/v1/responses',
    body: { model: 'gpt-5', max_output_tokens: wish.max, input: 'hi', ...streamed(wish) },
  }),
  messages: (wish) => ({
    path: '/v1/messages',
    body: { model: 'claude-sonnet-4-5', max_tokens: wish.max, messages, ...streamed(wish) },
  }),
  gemini: ({ max, stream = false }) => ({
    path: `/v1beta/models/gemini-2.5-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: max } },
  }),
} as const satisfies Record<string, (wish: Wish) => DialectRequest>

export type DialectName = keyof typeof dialects

export const dialectNames = Object.keys(dialects) as DialectName[]
