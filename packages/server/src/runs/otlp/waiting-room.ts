import type { Tx } from '../../platform/infra/sql.ts'
import { Lru } from '../../values/lru.ts'
import { countUncounted } from './telemetry-queries.ts'
import { countWaiting } from './waiting-queries.ts'

/** Time for which a count is good: what is added meanwhile is added to it, what is recorded makes room later. */
const freshMs = 10_000
const againMs = 1_000
const maxTracked = 10_000

interface Counted {
  all: number
  own: number
  readonly atMs: number
}

/** Bounds how much of an organization's telemetry waits to be recorded, so that no flood of one outgrows the work of the workers. */
export class WaitingRoom {
  readonly #counted = new Lru<string, Counted>(maxTracked)
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Returns how many of these calls may wait. */
  async calls(tx: Tx, orgId: string, wanted: number): Promise<number> {
    return this.#admit(orgId, wanted, this.most, async () => ({
      all: await countWaiting(tx, orgId, this.most),
      own: 0,
    }))
  }

  /** Returns how many of these sums of metrics may wait. One key may have half of the room, so that it takes it from no other. */
  points(tx: Tx, orgId: string, lineageId: string, wanted: number): Promise<number> {
    return this.#admit(`${orgId} ${lineageId}`, wanted, Math.floor(this.most / 2), () =>
      countUncounted(tx, orgId, lineageId, this.most),
    )
  }

  async #admit(name: string, wanted: number, mostOwn: number, count: () => Promise<{ all: number; own: number }>) {
    if (wanted === 0) return 0
    const roomIn = ({ all, own }: Counted) => Math.max(0, Math.min(this.most - all, mostOwn - own))
    let counted = this.#counted.get(name)
    const isFull = counted !== undefined && roomIn(counted) < wanted
    if (!counted || performance.now() - counted.atMs > (isFull ? againMs : freshMs)) {
      counted = { ...(await count()), atMs: performance.now() }
      this.#counted.set(name, counted)
    }
    const admitted = Math.min(wanted, roomIn(counted))
    counted.all += admitted
    counted.own += admitted
    return admitted
  }
}
