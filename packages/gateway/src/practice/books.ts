import { StoredResponses } from './stored-responses.ts'

/** A request to the practice provider and what it would have billed: the truth that a ledger is compared with. */
export interface Entry {
  readonly dialect:
    | 'chat'
    | 'completions'
    | 'responses'
    | 'compaction'
    | 'embeddings'
    | 'messages'
    | 'gemini'
    | 'gemini-embeddings'
  readonly model: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The request as it arrived, to the byte. */
  readonly body: string
  readonly path: string
  /** The provider's own id of the request, as its answer carries it. */
  readonly requestId: string
  readonly stream: boolean
  /** Answers that it asks for. */
  readonly choices: number
  /** The output that the request allows. */
  readonly maxOutput: number | undefined
  input: number
  output: number
  cached: number
  written: number
  reasoning: number
  searches: number
  /** Tokens of another model for the same request. */
  advisor: { model: string; input: number; output: number } | undefined
  state: 'running' | 'complete' | 'aborted' | 'refused' | 'broken'
  /** The time at which the caller was seen to be gone, by the clock of this process. */
  goneAtMs: number | undefined
}

/** Books of a provider. */
export class Books {
  readonly entries: Entry[] = []
  readonly responses = new StoredResponses()

  /** Tokens of all that was billed. */
  totals() {
    return this.entries.reduce(
      (sum, one) => ({ input: sum.input + one.input, output: sum.output + one.output, requests: sum.requests + 1 }),
      { input: 0, output: 0, requests: 0 },
    )
  }
}

/** Tokens of a text by the provider's own vocabulary: four bytes each, or one where it is to be as bad as can be. */
export const tokensIn = (text: string, worst: boolean): number =>
  worst ? Buffer.byteLength(text.normalize('NFKC')) : Math.ceil(Buffer.byteLength(text) / 4)
