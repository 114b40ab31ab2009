import { dayMs, isoOf } from '../../values/time.ts'
import { createTimes, type Times } from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import {
  type BarLength,
  type Dimension,
  dimensionNamed,
  dimensions,
  granularities,
  metrics,
  type UsageMetric,
  type UsageWindow,
  windowOf,
} from '../series/series.ts'

/** A view of usage, as its address describes it. */
export interface UsageView {
  readonly by: readonly Dimension[]
  readonly window: UsageWindow
  readonly length: BarLength
  readonly metric: UsageMetric
  /** Only usage of these: values by the names of dimensions. */
  readonly filters: Readonly<Record<string, string>>
  /** Formats in the zone of the view. */
  readonly times: Times
}

const maxHourlyDays = 8

/** Returns how long the bars of a window are: as asked for, unless there would be too many. */
export function lengthOf(query: URLSearchParams, { fromMs, toMs }: UsageWindow): BarLength {
  const asked = granularities.find((name) => name === query.get('granularity'))
  const days = (toMs - fromMs) / dayMs
  return asked === undefined || (asked === 'hour' && days > maxHourlyDays) ? (days < 2 ? 'hour' : 'day') : asked
}

export const metricOf = (query: URLSearchParams): UsageMetric =>
  metrics.find((name) => name === query.get('metric')) ?? 'cost'

/** Reads the view from an address. Usage of customers is kept by UTC day and apart from everything else, so it stands alone. */
export function viewOf({ query, times: ownTimes }: Visit): UsageView {
  const asked = dimensionNamed(query.get('by')) ?? dimensionNamed('department_id')
  const isOfCustomers = asked?.name === 'customer_id' || Boolean(query.get('customer_id'))
  const times = isOfCustomers ? createTimes('UTC', ownTimes.now) : ownTimes
  const window = windowOf(query, times)
  const first = isOfCustomers ? dimensionNamed('customer_id') : asked
  const second = isOfCustomers ? undefined : dimensionNamed(query.get('and'))
  const by = [first, second === first || second?.name === 'customer_id' ? undefined : second]
  const filters = dimensions.flatMap(({ name }) => {
    const value = query.get(name)
    return value && (name === 'customer_id') === isOfCustomers ? [[name, value] as const] : []
  })
  const length = lengthOf(query, window)
  return {
    by: by.filter((dimension) => dimension !== undefined),
    window,
    length: isOfCustomers && length === 'hour' ? 'day' : length,
    metric: metricOf(query),
    filters: Object.fromEntries(filters),
    times,
  }
}

/** Returns the query of the API that a view stands for. */
export const apiQuery = ({ by, window, length, filters, times }: UsageView) => ({
  ...filters,
  from: isoOf(window.fromMs),
  to: isoOf(window.toMs),
  granularity: length,
  timezone: times.zone,
  group_by: by.map(({ name }) => name).join(','),
})
