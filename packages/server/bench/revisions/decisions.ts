import { alternate, described, type Round, ratioOf } from '../support/report.ts'
import { ask, type BenchOrg, startBare } from '../support/server.ts'
import type { Revision } from './revision.ts'

const bar = 0.95

interface Load {
  readonly title: string
  readonly connections: number
  readonly seconds: number
  readonly perSecond?: number
  /** Rounds, each of every side. */
  readonly rounds?: number
}

const loads: Record<string, Load> = {
  decisions: { title: 'decisions, 200 connections', connections: 200, seconds: 4, rounds: 7 },
  single: { title: 'decisions, one connection', connections: 1, seconds: 4 },
  paced: { title: 'decisions, 300 a second', connections: 50, seconds: 4, perSecond: 300 },
  brisk: { title: 'decisions, 1,000 a second', connections: 50, seconds: 4, perSecond: 1_000 },
}
export const loadNames = Object.keys(loads)

/** Decisions of one organization, of both revisions and of the bare framework in turns. */
export async function compareLoad(name: string, now: Revision, before: Revision, smoke: boolean) {
  const { title, rounds = 5, ...load } = loads[name]!
  const bare = await startBare()
  const side = ({ api, postgres, org }: Pick<Revision, 'api' | 'postgres' | 'org'>, isWarmUp = false) =>
    ask(api, postgres, { ...load, orgs: [org], isWarmUp, ...(smoke && { seconds: 1 }) })
  try {
    for (const one of [now, before]) await side(one, true)
    const by = await alternate(smoke ? 1 : rounds, {
      now: () => side(now),
      before: () => side(before),
      bare: () => side({ ...now, api: bare }),
    })
    print(title, by, smoke)
    const [ours, theirs] = [ratioOf(by.now, by.bare, { smoke }), ratioOf(by.before, by.bare, { smoke })]
    console.log(`${title}: bare framework ${described(by.bare)}; now to bare ${ours}, before to bare ${theirs}`)
  } finally {
    await bare.stop()
  }
}

/** The same number of callers, each on behalf of many organizations. */
export async function compareSpread(now: Revision, before: Revision, smoke: boolean) {
  const count = smoke ? 20 : 1_000
  const orgsOf = new Map<Revision, BenchOrg[]>()
  for (const one of [now, before]) orgsOf.set(one, await one.moreOrgs(count))
  const side = (one: Revision, isWarmUp = false) =>
    ask(one.api, one.postgres, {
      orgs: orgsOf.get(one)!,
      connections: 200,
      seconds: smoke ? 1 : isWarmUp ? 8 : 5,
      isWarmUp,
    })
  for (const one of [now, before]) await side(one, true)
  print(
    `decisions, 200 connections, ${count} organizations`,
    await alternate(smoke ? 1 : 5, { now: () => side(now), before: () => side(before) }),
    smoke,
  )
}

function print(title: string, by: Record<'now' | 'before', Round[]>, smoke: boolean) {
  console.log(`${title}: now ${described(by.now)}`)
  console.log(`${title}: before ${described(by.before)}; ${ratioOf(by.now, by.before, { bar, smoke })}`)
}
