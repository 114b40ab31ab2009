import type { GatewayParts } from './gateway-parts.ts'

/** The parts of a gateway, which a new configuration exchanges: a call ends with those that it began with. */
export class LiveParts {
  #current: GatewayParts
  readonly #calls = new Map<GatewayParts, number>()
  readonly #waiting = new Set<() => void>()

  constructor(parts: GatewayParts) {
    this.#current = parts
  }

  get current(): GatewayParts {
    return this.#current
  }

  /** Does the work of one call. */
  async use(work: (parts: GatewayParts) => Promise<void>) {
    const parts = this.#current
    this.#calls.set(parts, (this.#calls.get(parts) ?? 0) + 1)
    try {
      await work(parts)
    } finally {
      const left = (this.#calls.get(parts) ?? 1) - 1
      if (left > 0) this.#calls.set(parts, left)
      else {
        this.#calls.delete(parts)
        if (parts !== this.#current) void closePools(parts)
        if (this.#calls.size === 0) for (const resolve of this.#waiting) resolve()
      }
    }
  }

  /** Resolves when no call is in progress: each has then said what it cost. */
  async idle() {
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  replace(parts: GatewayParts) {
    const old = this.#current
    this.#current = parts
    if (!this.#calls.has(old)) void closePools(old)
  }

  /** Ends the connections to all providers, whatever is in progress there. */
  async destroy() {
    const all = new Set([this.#current, ...this.#calls.keys()])
    await Promise.all([...all].flatMap(({ upstreams }) => [...upstreams.values()].map(({ pool }) => pool.destroy())))
  }
}

const closePools = ({ upstreams }: GatewayParts) =>
  Promise.all([...upstreams.values()].map(({ pool }) => pool.close())).catch(() => undefined)
