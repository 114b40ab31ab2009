import { metrics, type PeriodSums, valueOf } from '../../src/insight/benchmarks/metrics.ts'
import {
  type CohortMember,
  type ContributorSet,
  hasEnoughMembers,
  judgePeriod,
  mayContribute,
  minContributors,
  type Orgs,
  type PublicationRules,
  type PublishedMetric,
} from '../../src/insight/benchmarks/publication-rules.ts'
import { Random } from '../../test/support/random.ts'

/**
 * An adversary with organizations of its own against the rules of publishing: everybody joins and leaves cohorts, periods end
 * and are published, and after every step the adversary reads everything that it may. A checker that shares nothing with
 * the rules compares every answer with every other one.
 */

/** How values are published and read. A planted bug replaces a part of it. */
export interface Practice {
  readonly rules: (rules: PublicationRules) => PublicationRules
  readonly mayContribute: typeof mayContribute
  readonly judge: typeof judgePeriod
  /** Which published sets a new one is compared with. */
  readonly known: (published: readonly Published[], cohort: number) => ContributorSet[]
  /** How many contributors are members still. */
  readonly stillMembers: (set: Orgs, members: Members, endMs: number) => number
  readonly isOpen: typeof hasEnoughMembers
  /** Whether a period is published once, after it has ended. */
  readonly seals: boolean
  /** Whether whoever has left before the publication is out of it. */
  readonly honoursLeaving: boolean
}

type Members = ReadonlyMap<string, number>

export interface Published {
  readonly cohort: number
  readonly endMs: number
  readonly metrics: readonly PublishedMetric[]
  /** When each contributor had joined. */
  readonly joined: Members
}

export const goodPractice: Practice = {
  rules: (rules) => rules,
  mayContribute,
  judge: judgePeriod,
  known: (published) => [...new Set(published.flatMap((each) => setsIn(each.metrics)))],
  stillMembers: (set, members, endMs) => {
    let still = 0
    for (const org of set) if ((members.get(org) ?? Number.POSITIVE_INFINITY) < endMs) still += 1
    return still
  },
  isOpen: hasEnoughMembers,
  seals: true,
  honoursLeaving: true,
}

export const setsIn = (metrics: readonly PublishedMetric[]) => metrics.flatMap(({ contributors }) => contributors ?? [])

export interface Attack {
  readonly broken: string | undefined
  readonly answers: number
  readonly refusals: number
  readonly sets: number
  readonly changes: number
}

const cohortCount = 3

/** One world from a seed: so many joins and leaves, and everything that can be read meanwhile. */
export function attack(seed: number, practice: Practice = goodPractice, changes = 100): Attack {
  const world = new World(new Random(seed), practice)
  for (let done = 0; done < changes && world.checker.broken === undefined; done++) world.step()
  const { broken, answers, refusals, distinct } = world.checker
  return { broken, answers, refusals, sets: distinct, changes: world.changes }
}

class World {
  readonly checker: Checker
  changes = 0
  private readonly random: Random
  private readonly practice: Practice
  private readonly rules: PublicationRules
  private readonly orgs: readonly string[]
  private readonly own: readonly string[]
  private readonly habits: ReadonlyMap<string, PeriodSums>
  private readonly members: Map<string, number>[]
  private published: Published[] = []
  private nowMs = 1_000
  private sets = 0
  /** Where somebody has come, gone or been published since the last reading: elsewhere it would find the same. */
  private readonly touched = new Set<number>()

  constructor(random: Random, practice: Practice) {
    this.random = random
    this.practice = practice
    const rules = { floor: random.between(3, 6), margin: random.between(1, 3) }
    this.rules = practice.rules(rules)
    this.orgs = Array.from({ length: random.between(minContributors(rules), 8 * minContributors(rules)) }, () =>
      random.uuid(),
    )
    this.own = this.orgs.slice(0, random.between(1, rules.margin))
    this.habits = new Map(this.orgs.map((org) => [org, habitOf(random)]))
    const share = random.pick([0.3, 0.7, 1])
    this.members = Array.from(
      { length: cohortCount },
      () => new Map(this.orgs.filter(() => random.chance(share)).map((org) => [org, 0])),
    )
    this.checker = new Checker(rules.floor, new Set(this.own))
  }

  step() {
    this.nowMs += 10
    this.change()
    // Some periods see many changes, some none, and some are left from while they wait to be published.
    if (this.random.chance(0.2)) this.endPeriod()
    if (!this.practice.seals) for (let cohort = 0; cohort < cohortCount; cohort++) this.publish(cohort, this.nowMs)
    this.read()
  }

  private change() {
    this.changes += 1
    const cohort = this.random.int(cohortCount)
    this.touched.add(cohort)
    const members = this.members[cohort]!
    const org = this.random.chance(0.3) ? this.random.pick(this.own) : this.random.pick(this.orgs)
    if (members.has(org)) members.delete(org)
    else members.set(org, this.nowMs)
  }

  private endPeriod() {
    const endMs = this.nowMs + 1
    const before = this.members.map((members) => new Map(members))
    this.nowMs += 2
    // Within the grace.
    for (let left = this.random.int(3); left > 0; left--) this.change()
    for (const [cohort, members] of before.entries())
      if (this.random.chance(0.8)) this.publish(cohort, endMs, this.practice.honoursLeaving ? undefined : members)
  }

  private publish(cohort: number, endMs: number, from: Members = this.members[cohort]!) {
    const contributions = [...from]
      .map(([orgId, joinedAtMs]): CohortMember => ({ orgId, joinedAtMs }))
      .filter((member) => this.practice.mayContribute(member, { endMs }))
      .map(({ orgId }) => ({ orgId, sums: this.sumsOf(orgId) }))
    const metrics = this.practice.judge(
      contributions,
      this.practice.known(this.published, cohort),
      this.rules,
      () => `set ${(this.sets += 1)}`,
    )
    this.checker.checkConsent(metrics, this.members[cohort]!, endMs)
    this.touched.add(cohort)
    this.published.push({ cohort, endMs, metrics, joined: new Map(from) })
  }

  /** Mostly as always; some have no runs, tokens or times in a period. */
  private sumsOf(org: string): PeriodSums {
    const habit = this.habits.get(org)!
    if (this.random.chance(0.03)) return { ...habit, runs: 0, timed_runs: 0, input_tokens: 0, refusals: 0 }
    return this.random.chance(0.05) ? { ...habit, timed_runs: 0, duration_ms: 0 } : habit
  }

  private read() {
    for (const { cohort, endMs, metrics, joined } of this.published) {
      if (!this.touched.has(cohort)) continue
      const members = this.members[cohort]!
      for (const [orgs, parts] of Map.groupBy(metrics, ({ contributors }) => contributors?.orgs)) {
        if (orgs === undefined) continue
        if (!this.practice.isOpen(this.practice.stillMembers(orgs, members, endMs), this.rules)) {
          this.checker.refused(parts.length)
          continue
        }
        let loyal = 0
        for (const org of orgs) if (members.has(org) && members.get(org) === joined.get(org)) loyal += 1
        for (const { metric, percentiles } of parts)
          this.checker.answered({ key: `${cohort} ${endMs} ${metric}`, orgs, percentiles }, loyal)
      }
    }
    this.touched.clear()
  }
}

const habitOf = (random: Random): PeriodSums => ({
  runs: random.between(50, 150),
  failed_runs: random.between(0, 20),
  input_tokens: random.chance(0.9) ? random.between(1_000, 9_000) : 0,
  output_tokens: random.between(100, 900),
  cache_read_input_tokens: random.between(0, 900),
  cost_nano: random.between(1_000, 9_000),
  duration_ms: random.between(1_000, 9_000),
  timed_runs: random.chance(0.9) ? random.between(1, 50) : 0,
  refusals: random.between(0, 20),
})

interface Answer {
  readonly key: string
  /** On whose values it depends. */
  readonly orgs: Orgs
  readonly percentiles: object
}

/** What the adversary must not be able to do, whatever the rules are. */
class Checker {
  broken: string | undefined
  answers = 0
  refusals = 0
  private readonly floor: number
  private readonly own: Orgs
  private readonly told = new Map<string, object>()
  private readonly seen = new Set<Orgs>()

  constructor(floor: number, own: Orgs) {
    this.floor = floor
    this.own = own
  }

  get distinct() {
    return this.seen.size
  }

  refused(count: number) {
    this.refusals += count
  }

  answered({ key, orgs, percentiles }: Answer, stillMembers: number) {
    this.answers += 1
    if (stillMembers < this.floor) this.broken ??= `${key} is answered with ${stillMembers} contributors left`
    const before = this.told.get(key)
    if (before !== undefined && before !== percentiles) this.broken ??= `${key} was published and is published again`
    this.told.set(key, percentiles)
    if (this.seen.has(orgs)) return
    if (this.foreign(orgs).length < this.floor)
      this.broken ??= `${key} rests on ${this.foreign(orgs).length} organizations of others`
    for (const other of this.seen) this.compare(key, orgs, other)
    this.seen.add(orgs)
  }

  checkConsent(metrics: readonly PublishedMetric[], members: Members, endMs: number) {
    for (const { orgs } of setsIn(metrics))
      for (const org of orgs)
        if (!members.has(org)) this.broken ??= `what ended at ${endMs} has an organization that had left`
  }

  /** What stands in one of two answers only must be nothing, or too much; so must be both together. */
  private compare(key: string, a: Orgs, b: Orgs) {
    const onlyA = this.foreign([...a].filter((org) => !b.has(org)))
    const onlyB = this.foreign([...b].filter((org) => !a.has(org)))
    for (const alone of [onlyA, onlyB, [...onlyA, ...onlyB]])
      if (alone.length > 0 && alone.length < this.floor)
        this.broken ??= `${key} and another answer differ in ${alone.length} organizations of others`
  }

  private foreign(orgs: Iterable<string>) {
    return [...orgs].filter((org) => !this.own.has(org))
  }
}

/** Practices with one mistake each. */
export const badPractices: Record<string, Practice> = {
  'a period is published anew whenever somebody joins or leaves': { ...goodPractice, seals: false, known: () => [] },
  'whoever has left still counts when a value is read': { ...goodPractice, stillMembers: (set) => set.size },
  'whoever comes back counts as if it had never left': {
    ...goodPractice,
    stillMembers: (set, members) => [...set].filter((org) => members.has(org)).length,
  },
  'the floor is not asked on reading': { ...goodPractice, isOpen: () => true },
  'one change is enough for a new set': { ...goodPractice, known: () => [] },
  'a new set is compared with the one before it only': {
    ...goodPractice,
    known: (published, cohort) =>
      setsIn(published.findLast((each) => each.cohort === cohort)?.metrics ?? []).slice(0, 1),
  },
  'a new set is compared with those of its own cohort only': {
    ...goodPractice,
    known: (published, cohort) =>
      goodPractice.known(
        published.filter((each) => each.cohort === cohort),
        cohort,
      ),
  },
  'metrics of a period are not compared with each other': {
    ...goodPractice,
    judge: (contributions, known, rules, newId) =>
      metrics.map((metric, i) => {
        const able = contributions.filter(({ sums }) => valueOf(metric, sums) !== null)
        return judgePeriod(able, known, rules, newId)[i]!
      }),
  },
  'nobody allows for the organizations of the reader': { ...goodPractice, rules: (rules) => ({ ...rules, margin: 0 }) },
  'the floor is one too low': { ...goodPractice, rules: (rules) => ({ ...rules, floor: rules.floor - 1 }) },
  'whoever leaves after the end of a period is published with it': { ...goodPractice, honoursLeaving: false },
}
