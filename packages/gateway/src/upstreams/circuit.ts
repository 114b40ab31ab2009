import type { Clock } from '../infra/clock.ts'

const enough = 5
const forgottenAfterMs = 10_000
const openMs = 30_000

/** The recent failures of one provider. While its circuit is open, others are asked before it; then a single failure opens it again. */
export class Circuit {
  #failures = 0
  #failedAtMs = 0
  #openUntilMs: number | undefined
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  get isOpen(): boolean {
    return this.#openUntilMs !== undefined && this.clock.monotonicMs() < this.#openUntilMs
  }

  failed() {
    const now = this.clock.monotonicMs()
    if (this.#openUntilMs === undefined && now - this.#failedAtMs > forgottenAfterMs) this.#failures = 0
    this.#failures += 1
    this.#failedAtMs = now
    if (this.#failures >= enough) this.#openUntilMs = now + openMs
  }

  succeeded() {
    this.#failures = 0
    this.#openUntilMs = undefined
  }
}
