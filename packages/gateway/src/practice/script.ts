/** Instructions for one answer of the practice provider: in the header `x-practice`, as JSON. */
export interface Script {
  /** Tokens that it would like to say. */
  readonly output?: number
  /** Tokens of reasoning among them, which are billed and not shown. */
  readonly reasoning?: number
  readonly cached?: number
  readonly searches?: number
  /** A compaction before the answer: billed beside the totals. */
  readonly compaction?: { readonly input: number; readonly output: number }
  readonly advisor?: { readonly model: string; readonly input: number; readonly output: number }
  /** The model that has answered, where it is another one than was asked for. */
  readonly model?: string
  /** Tokens of the input, where they are not counted from its bytes. */
  readonly input?: number
  /** Tokens of it that are written to a cache. */
  readonly written?: number
  readonly firstMs?: number
  readonly chunkMs?: number
  /** A refusal, with this status. */
  readonly status?: number
  /** Breaks the connection before an answer, or after so many pieces of it. */
  readonly breakAfter?: number
  /** Says nothing more after so many pieces. */
  readonly hangAfter?: number
  /** Goes on, and bills to the end, when its caller is gone. */
  readonly billsToTheEnd?: boolean
  readonly worst?: boolean
  /** Does not say what it used; in the dialect of chat completions only. */
  readonly hidesUsage?: boolean
  /** Calls a tool instead of saying something; Gemini only. */
  readonly tool?: boolean
}

export function scriptIn(header: string | string[] | undefined): Script | undefined {
  if (typeof header !== 'string') return undefined
  return JSON.parse(header) as Script
}

const words = 'the quick brown fox jumps over a lazy dog while seven wise owls watch from their tall green trees'.split(
  ' ',
)

/** The pieces of an answer: one token each. */
export const piecesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${words[i % words.length] ?? ''} `)
