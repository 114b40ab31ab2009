const maxEvents = 20_000
const maxCharacters = 32 * 1024 * 1024

export interface EventPayload {
  readonly payload: string
  readonly createdAt: Date
}

/**
 * A cache of the payloads that this process has just drained and will most likely send, so that they need not be read again. The
 * oldest are evicted first.
 */
export class PayloadCache {
  private readonly known = new Map<string, EventPayload>()
  private readonly limits: { readonly events: number; readonly characters: number }
  private characters = 0

  constructor(limits = { events: maxEvents, characters: maxCharacters }) {
    this.limits = limits
  }

  /** Caches a payload. Payloads never change, so a second call adds nothing. */
  add(eventId: string, told: EventPayload) {
    if (this.known.has(eventId)) return
    this.known.set(eventId, told)
    this.characters += told.payload.length
    for (const [oldest, { payload }] of this.known) {
      if (this.known.size <= this.limits.events && this.characters <= this.limits.characters) break
      this.known.delete(oldest)
      this.characters -= payload.length
    }
  }

  get(eventId: string): EventPayload | undefined {
    return this.known.get(eventId)
  }
}
