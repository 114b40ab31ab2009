import { checks } from './checks.ts'
import type { Clause } from './clause.ts'
import { clauses } from './clauses.ts'
import { Deviation, Unseen } from './expectations.ts'
import { type Options, openWorld } from './world.ts'

export interface Result {
  readonly clause: number
  readonly promise: string
  /** `unseen`: not visible from outside, or not on this installation; `not served`: part of something that is not there yet. */
  readonly verdict: 'holds' | 'fails' | 'unseen' | 'not served'
  /** What was seen, or why nothing was. */
  readonly note: string
  /** Tests of the repository that show the clause, as `file: name`. */
  readonly tests: readonly string[]
}

const atOnce = 6

/** Checks clauses, all of them or those that are named, and tells each result as it comes. */
export async function runClauses(
  options: Options,
  only?: ReadonlySet<number>,
  tell: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const world = openWorld(options)
  const chosen = clauses.filter(({ number }) => only === undefined || only.has(number))
  const results: Result[] = []
  const waiting = [...chosen]
  const work = async () => {
    for (let clause = waiting.shift(); clause; clause = waiting.shift()) {
      const result = await judge(clause, () => checks[clause.number]!(world))
      results.push(result)
      tell(result)
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, work))
  } finally {
    await world.close()
  }
  return results.sort((one, other) => one.clause - other.clause)
}

async function judge(clause: Clause, check: () => Promise<unknown>): Promise<Result> {
  const result = (verdict: Result['verdict'], note = ''): Result => ({
    clause: clause.number,
    promise: clause.promise,
    verdict,
    note,
    tests: clause.tests.map(({ file, name }) => `${file}: ${name}`),
  })
  if (clause.shown.by === 'nothing yet') return result('not served', `comes with ${clause.shown.comesWith}`)
  if (clause.shown.by === 'tests') return result('unseen', clause.shown.because)
  try {
    await check()
    return result('holds')
  } catch (error) {
    if (error instanceof Unseen) return result('unseen', error.message)
    if (error instanceof Deviation) return result('fails', error.message)
    return result('fails', `the check could not be made: ${error instanceof Error ? error.message : String(error)}`)
  }
}
