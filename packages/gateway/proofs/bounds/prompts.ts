/** Prompts as providers make them of requests: what is read, and how it is counted. */

export type Members = Readonly<Record<string, unknown>>
export const isMembers = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** One token a byte, after the normalisation that makes texts longest. */
export const worstTokens = (text: string) => Buffer.byteLength(text.normalize('NFKC'))

/** A prompt as a provider makes it of a request. */
export interface Prompt {
  readonly texts: string[]
  /** Tokens that stand for no text of the request. */
  extra: number
  images: number
  readonly tools: unknown[]
}

/** Tokens around each message. */
export const perMessage = 6

/** Tokens of the prompt that any tool needs. */
export const anyTool = 530
/** An allowance for the words by which a provider asks for an answer in a given form. */
export const anySchema = 300
