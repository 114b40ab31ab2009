const maxEvents = 20_000
const maxCharacters = 32 * 1024 * 1024

export interface Told {
  readonly payload: string
  readonly createdAt: Date
}

/** What this process has just drained, it will most likely send: then it need not be read again. The oldest go first. */
export class RecentPayloads {
  private readonly known = new Map<string, Told>()
  private characters = 0

  remember(eventId: string, told: Told) {
    this.known.set(eventId, told)
    this.characters += told.payload.length
    for (const [oldest, { payload }] of this.known) {
      if (this.known.size <= maxEvents && this.characters <= maxCharacters) break
      this.known.delete(oldest)
      this.characters -= payload.length
    }
  }

  get(eventId: string): Told | undefined {
    return this.known.get(eventId)
  }
}
