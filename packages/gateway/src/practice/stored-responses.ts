/** A response that the practice provider keeps. */
interface StoredResponse {
  readonly response: Record<string, unknown>
  readonly input: unknown
  /** Tokens that another one pays which goes on from it. */
  readonly tokens: number
}

/** Responses as the practice provider keeps them, all in one account: it does not know who stands behind a key. */
export class StoredResponses {
  readonly #kept = new Map<string, StoredResponse>()

  keep(response: Record<string, unknown>, input: unknown, tokens: number) {
    this.#kept.set(String(response['id']), { response, input, tokens })
  }

  /** Tokens of an earlier response; undefined where there is none. */
  tokensOf(id: unknown): number | undefined {
    return this.#kept.get(String(id))?.tokens
  }

  /** Answers a request about one of them; undefined where it is about something else. */
  answer(method: string | undefined, operation: string): { status: number; body: object } | undefined {
    const [, id, part] = /^\/responses\/(resp_[a-z0-9]+)(\/input_items|\/cancel)?$/.exec(operation) ?? []
    if (id === undefined) return undefined
    const kept = this.#kept.get(id)
    if (kept === undefined)
      return { status: 404, body: { error: { message: `no ${id}`, type: 'invalid_request_error', code: null } } }
    if (method === 'DELETE') this.#kept.delete(id)
    if (method === 'DELETE') return { status: 200, body: { id, object: 'response', deleted: true } }
    if (part === '/input_items')
      return { status: 200, body: { object: 'list', data: [{ type: 'message', role: 'user', content: kept.input }] } }
    return { status: 200, body: part === '/cancel' ? { ...kept.response, status: 'cancelled' } : kept.response }
  }
}
