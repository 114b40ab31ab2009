import { hash } from 'node:crypto'
import { present } from '../../values/present.ts'
import { type Metric, metrics, type PeriodSums, valueOf } from './metrics.ts'
import { type Percentiles, percentilesOf, withheldBecause } from './percentiles.ts'

/** The rules by which values are published. README.md states their guarantees. */

export interface PublicationRules {
  /**
   * The number of organizations, not counting the reader's own, that every published value and every difference of two is based
   * on.
   */
  readonly floor: number
  /** The number of organizations that one reader may control while that holds. */
  readonly margin: number
}

/** The lowest number of contributors: whoever controls `margin` of them still faces `floor` others. */
export const minContributors = ({ floor, margin }: PublicationRules): number => floor + margin

export type Orgs = ReadonlySet<string>

/** A set of organizations whose values were published together, in any cohort, period and metric. */
export interface ContributorSet {
  readonly id: string
  readonly orgs: Orgs
}

export interface CohortMember {
  readonly orgId: string
  readonly joinedAtMs: number
}

/**
 * True when a member contributes to a period: it had joined before the period ended. It must also still be a member when the
 * values are published.
 */
export const mayContribute = ({ joinedAtMs }: CohortMember, period: { readonly endMs: number }): boolean =>
  joinedAtMs < period.endMs

/** True when enough contributors have been members ever since. Checked on every read. */
export const hasEnoughMembers = (stillMembers: number, rules: PublicationRules): boolean =>
  stillMembers >= minContributors(rules)

const isNoneOrEnough = (count: number, least: number) => count === 0 || count >= least

const countCommon = (a: Orgs, b: Orgs) => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const org of small) if (large.has(org)) common += 1
  return common
}

/** True when the organizations that are in only one of the two sets are none, or too many to single one out. */
function areCompatible(a: Orgs, b: Orgs, least: number): boolean {
  const common = countCommon(a, b)
  if (common === 0) return true
  return isNoneOrEnough(a.size - common, least) && isNoneOrEnough(b.size - common, least)
}

export const isAdmissible = (orgs: Orgs, known: readonly ContributorSet[], least: number): boolean =>
  orgs.size >= least && known.every((other) => areCompatible(orgs, other.orgs, least))

/**
 * Chooses the contributors: as many of the eligible organizations as are compatible with every set that was ever published. A few
 * new members wait until they are enough. An organization that left is never missing alone: others pause with it.
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
  const made = shrinkToAdmissible(eligible, known, least)
  if (made === undefined || (largest && largest.orgs.size >= made.size)) return largest
  return { id: newId(), orgs: made }
}

/** Removes organizations until the rest is admissible. */
function shrinkToAdmissible(eligible: Orgs, known: readonly ContributorSet[], least: number): Orgs | undefined {
  if (isAdmissible(eligible, known, least)) return eligible
  const orgs = new Set(orderByHash(eligible))
  for (;;) {
    if (orgs.size < least) return undefined
    const near = known.find((other) => !areCompatible(orgs, other.orgs, least))
    if (near === undefined) return orgs
    const fresh = [...orgs].filter((org) => !near.orgs.has(org))
    const shared = [...orgs].filter((org) => near.orgs.has(org))
    if (!isNoneOrEnough(fresh.length, least)) for (const org of fresh) orgs.delete(org)
    // Removes enough of them that they can return together.
    if (!isNoneOrEnough(near.orgs.size - shared.length, least))
      for (const org of shared.slice(0, least)) orgs.delete(org)
  }
}

/** Orders organizations by hash, so that always the same ones pause and few distinct sets arise, and nobody can choose which. */
const orderByHash = (orgs: Orgs) =>
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
  /** The organizations that the metric is based on; null when no admissible set exists. */
  readonly contributors: ContributorSet | null
  readonly percentiles: Percentiles
}

/** Computes the published values of a period, metric by metric, given everything that was published before. */
export function judgePeriod(
  contributions: readonly Contribution[],
  known: readonly ContributorSet[],
  rules: PublicationRules,
  newId: () => string,
): PublishedMetric[] {
  const least = minContributors(rules)
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
          parts.map((sums) => present(valueOf(metric, sums))),
          least,
        )
    return { metric, contributors, percentiles }
  })
}

/** True when one organization has more than half of the runs or of the cost. */
const isDominated = (parts: readonly PeriodSums[]) =>
  (['runs', 'cost_nano'] as const).some((volume) => {
    const amounts = parts.map((sums) => Math.max(sums[volume], 0))
    const largest = amounts.reduce((most, amount) => Math.max(most, amount), 0)
    return largest * 2 > amounts.reduce((sum, amount) => sum + amount, 0)
  })

const sizes = [10, 20, 50, 100, 200, 500, 1_000]

/** Returns the published lower bound of the number of contributors. */
export const publishedSize = (count: number, { floor }: PublicationRules): number =>
  sizes.findLast((size) => size <= count && size > floor) ?? floor
