import { hash } from 'node:crypto'
import { type Metric, metrics, type PeriodSums, valueOf } from './metrics.ts'
import { type Percentiles, percentilesOf, withheldBecause } from './percentiles.ts'

/** The rules by which values are published. What they promise, and to whom, is in README.md. */

export interface Rules {
  /** How many organizations that are not the reader's every answer, and every difference of two, rests on. */
  readonly floor: number
  /** How many organizations one reader may control while that holds. */
  readonly margin: number
}

/** Whoever controls `margin` of so many organizations still faces `floor` of others. */
export const leastOf = ({ floor, margin }: Rules): number => floor + margin

export type Orgs = ReadonlySet<string>

/** Organizations whose values were published together, in whatever cohort, period and metric. */
export interface ContributorSet {
  readonly id: string
  readonly orgs: Orgs
}

export interface Membership {
  readonly orgId: string
  readonly joinedAtMs: number
}

/** Whoever is a member when a period ends, and still when its values are published, contributes to it. */
export const mayContribute = ({ joinedAtMs }: Membership, period: { readonly endMs: number }): boolean =>
  joinedAtMs < period.endMs

/** Asked on every read: how many contributors have been members ever since. */
export const isOpen = (stillMembers: number, rules: Rules): boolean => stillMembers >= leastOf(rules)

const isNoneOrEnough = (count: number, least: number) => count === 0 || count >= least

const countCommon = (a: Orgs, b: Orgs) => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const org of small) if (large.has(org)) common += 1
  return common
}

/** Whether what stands in one of two sets only is nothing, or too much to tell one from it. */
function isFarOrSame(a: Orgs, b: Orgs, least: number): boolean {
  const common = countCommon(a, b)
  if (common === 0) return true
  return isNoneOrEnough(a.size - common, least) && isNoneOrEnough(b.size - common, least)
}

export const isAdmissible = (orgs: Orgs, known: readonly ContributorSet[], least: number): boolean =>
  orgs.size >= least && known.every((other) => isFarOrSame(orgs, other.orgs, least))

/**
 * Whose values are published: as many of those who may contribute as can stand beside every set that was ever published. A few
 * newcomers wait until they are enough. Whoever is gone is never gone alone: others rest with it.
 */
export function chooseContributors(
  eligible: Orgs,
  known: readonly ContributorSet[],
  least: number,
  newId: () => string,
): ContributorSet | undefined {
  const largest = known
    .filter(({ orgs }) => countCommon(orgs, eligible) === orgs.size)
    .sort((a, b) => b.orgs.size - a.orgs.size)
    .find(({ orgs }) => isAdmissible(orgs, known, least))
  if (largest?.orgs.size === eligible.size) return largest
  const made = withResting(eligible, known, least)
  if (made === undefined || (largest && largest.orgs.size >= made.size)) return largest
  return { id: newId(), orgs: made }
}

/** Lets organizations wait and rest until what is left is admissible. */
function withResting(eligible: Orgs, known: readonly ContributorSet[], least: number): Orgs | undefined {
  if (isAdmissible(eligible, known, least)) return eligible
  const orgs = new Set(inOrderOfRest(eligible))
  for (;;) {
    if (orgs.size < least) return undefined
    const near = known.find((other) => !isFarOrSame(orgs, other.orgs, least))
    if (near === undefined) return orgs
    const fresh = [...orgs].filter((org) => !near.orgs.has(org))
    const shared = [...orgs].filter((org) => near.orgs.has(org))
    if (!isNoneOrEnough(fresh.length, least)) for (const org of fresh) orgs.delete(org)
    // So many that those who rest can come back together.
    if (!isNoneOrEnough(near.orgs.size - shared.length, least))
      for (const org of shared.slice(0, least)) orgs.delete(org)
  }
}

/** Always the same ones rest, so that few different sets arise; which ones, nobody chooses. */
const inOrderOfRest = (orgs: Orgs) =>
  [...orgs]
    .map((org) => ({ org, lot: hash('sha256', org, 'hex') }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .map(({ org }) => org)

export interface Contribution {
  readonly orgId: string
  readonly sums: PeriodSums
}

export interface PublishedMetric {
  readonly metric: Metric
  /** On whom it rests; null where nobody could be found. */
  readonly contributors: ContributorSet | null
  readonly percentiles: Percentiles
}

/** What is published of a period, metric by metric, beside everything that was published before. */
export function judgePeriod(
  contributions: readonly Contribution[],
  known: readonly ContributorSet[],
  rules: Rules,
  newId: () => string,
): PublishedMetric[] {
  const least = leastOf(rules)
  const sets = [...known]
  return metrics.map((metric) => {
    const able = contributions.filter(({ sums }) => valueOf(metric, sums) !== null)
    const contributors = chooseContributors(new Set(able.map(({ orgId }) => orgId)), sets, least, newId)
    if (contributors === undefined)
      return { metric, contributors: null, percentiles: withheldBecause('too_few_contributors') }
    if (!sets.includes(contributors)) sets.push(contributors)
    const parts = able.filter(({ orgId }) => contributors.orgs.has(orgId)).map(({ sums }) => sums)
    const percentiles = isDominated(parts)
      ? withheldBecause('dominated')
      : percentilesOf(
          parts.map((sums) => valueOf(metric, sums)!),
          least,
        )
    return { metric, contributors, percentiles }
  })
}

/** Whether one organization has more than half of the runs or of the cost. */
const isDominated = (parts: readonly PeriodSums[]) =>
  (['runs', 'cost_nano'] as const).some((volume) => {
    const amounts = parts.map((sums) => Math.max(sums[volume], 0))
    const largest = amounts.reduce((most, amount) => Math.max(most, amount), 0)
    return largest * 2 > amounts.reduce((sum, amount) => sum + amount, 0)
  })

const sizes = [10, 20, 50, 100, 200, 500, 1_000]

/** How many contributed, as far as it is told. */
export const toldSize = (count: number, { floor }: Rules): number =>
  sizes.findLast((size) => size <= count && size > floor) ?? floor
