import { setTimeout as pause } from 'node:timers/promises'
import type { Journal } from '../infra/journal.ts'
import type { Settlements } from './settlements.ts'
import type { Caller, RunStart, Weir } from './weir.ts'

const firstPauseMs = 200
const longestPauseMs = 15_000

/**
 * Starts to which no answer came and whose call was given up, under a name that its caller may use again. Ending the run by that name could
 * end another one, so the start is repeated until its outcome is known: it is the same run, which then ends at no cost. What is still open when
 * the process ends is in the journal.
 */
export class AbandonedStarts {
  readonly #stopped = new AbortController()
  private readonly weir: Weir
  private readonly settlements: Settlements
  private readonly journal: Journal | undefined

  constructor(weir: Weir, settlements: Settlements, journal: Journal | undefined) {
    this.weir = weir
    this.settlements = settlements
    this.journal = journal
  }

  add(caller: Caller, run: RunStart, externalId: string) {
    void this.#resolve(caller, run, externalId).catch(() => undefined)
  }

  close() {
    this.#stopped.abort()
  }

  async #resolve(caller: Caller, run: RunStart, externalId: string) {
    const { signal } = this.#stopped
    for (let waitMs = firstPauseMs; ; waitMs = Math.min(waitMs * 2, longestPauseMs)) {
      await pause(waitMs, undefined, { signal, ref: false })
      const outcome = await this.weir.start(caller, run)
      if (outcome.kind === 'unknown') continue
      if (outcome.kind === 'refused' && outcome.refused.code === 'service_unavailable') continue
      // A refusal holds nothing, and a conflict is another call's run.
      if (outcome.kind === 'refused') {
        this.journal?.write({ t: 'done', id: externalId })
        return
      }
      const { runId } = outcome.run
      this.settlements.add({ externalId, runId, status: 'cancelled', kind: 'zero' }, caller.key)
      return
    }
  }
}
