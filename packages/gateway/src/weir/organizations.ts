import { hash } from 'node:crypto'
import { isForeignKey } from './caller-keys.ts'
import type { Refused } from './refused.ts'
import type { Caller, KeyFacts, Weir } from './weir.ts'

const most = 10_000
/** Time for which a foreign key that Weir did not take is refused without asking again. */
const refusedMs = 5_000
/** Time for which what a foreign key stands for is not asked again: it may end, and become a key of another organization. */
const foreignMs = 60_000

interface Known {
  readonly facts: KeyFacts
  readonly untilMs: number
}

/** Facts about keys that do not change while a key of Weir exists: asked of Weir once for each, and kept under its hash. */
export class Organizations {
  readonly #known = new Map<string, Known>()
  readonly #refused = new Map<string, { readonly refused: Refused; readonly untilMs: number }>()
  private readonly weir: Weir
  private readonly own: () => Caller | undefined
  private readonly nowMs: () => number

  constructor(weir: Weir, own: () => Caller | undefined, nowMs = () => performance.now()) {
    this.weir = weir
    this.own = own
    this.nowMs = nowMs
  }

  /**
   * Returns true where the gateway's own key can end the runs of a caller, so that the caller need not be able to. Where Weir does not
   * answer, the caller is not given the benefit of the doubt.
   */
  async manages(caller: Caller): Promise<boolean> {
    const own = this.own()
    if (own === undefined) return false
    const [mine, theirs] = await Promise.all([this.#factsOf(own), this.#factsOf(caller)])
    if (mine === 'refused' || theirs === 'refused') return false
    if (mine === 'unknown') return true
    return mine.scopes.includes('runs:manage') && (theirs === 'unknown' || theirs.orgId === mine.orgId)
  }

  /** Returns false for a key that Weir does not take. */
  async takes(caller: Caller): Promise<boolean> {
    return (await this.#factsOf(caller)) !== 'refused'
  }

  /** True for a key that Weir has taken before: it may have been ended since. */
  knows({ key }: Caller): boolean {
    return this.#known.has(hash('sha256', key))
  }

  /** Returns what speaks against a foreign key now. Made-up ones are not all asked of Weir. */
  async foreignRefusal(caller: Caller): Promise<Refused | 'unknown' | undefined> {
    const name = hash('sha256', caller.key)
    const earlier = this.#refused.get(name)
    if (earlier && this.nowMs() < earlier.untilMs) return earlier.refused
    const refused = await this.weir.check(caller)
    if (refused === undefined || refused === 'unknown') return refused
    if (this.#refused.size >= most) this.#refused.clear()
    this.#refused.set(name, { refused, untilMs: this.nowMs() + refusedMs })
    return refused
  }

  async #factsOf(caller: Caller): Promise<KeyFacts | 'refused' | 'unknown'> {
    const name = hash('sha256', caller.key)
    const known = this.#known.get(name)
    if (known !== undefined && this.nowMs() < known.untilMs) return known.facts
    const facts = await this.weir.keyFacts(caller)
    if (facts === 'refused') this.#known.delete(name)
    if (typeof facts !== 'object') return facts
    if (this.#known.size >= most) this.#known.clear()
    const isForeign = isForeignKey(caller.key)
    this.#known.set(name, { facts, untilMs: isForeign ? this.nowMs() + foreignMs : Number.POSITIVE_INFINITY })
    return facts
  }
}
