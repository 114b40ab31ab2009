import type { EventData, NewEvent } from '../../access/events/events.ts'
import { formatId } from '../../values/id.ts'
import { normalName } from './model-names.ts'
import type { OwnPrice } from './schema.ts'

type PriceChange = EventData<'price.changed'>['prices'][number]

/** Most entries that one event lists; it counts them all. */
const maxListed = 20

/** Returns the event about a change of an organization's own entries; none where they are the same afterwards. */
export function changeEvents(orgId: string, before: readonly OwnPrice[], after: readonly OwnPrice[]): NewEvent[] {
  const old = new Map(before.map((price) => [keyOf(price), price]))
  const now = new Map(after.map((price) => [keyOf(price), price]))
  const changes: PriceChange[] = [
    ...after.flatMap((price) => {
      const was = old.get(keyOf(price))
      return was && isSame(was, price) ? [] : [changeOf(price, was ? 'changed' : 'added')]
    }),
    ...before.filter((price) => !now.has(keyOf(price))).map((price) => changeOf(price, 'removed')),
  ]
  const count = (change: string) => changes.filter((each) => each.change === change).length
  const data: EventData<'price.changed'> = {
    added: count('added'),
    changed: count('changed'),
    removed: count('removed'),
    prices: changes.slice(0, maxListed),
  }
  return changes.length === 0 ? [] : [{ kind: 'price.changed', subject: formatId('org', orgId), data }]
}

/** Entries of one model and provider from one time on are one price, whatever it is. */
const keyOf = ({ model, provider, effective_from }: OwnPrice) =>
  JSON.stringify([normalName(model), normalName(provider ?? ''), effective_from])

const isSame = (
  { id: _a, created_at: _b, ...one }: OwnPrice,
  { id: _c, created_at: _d, ...other }: OwnPrice,
): boolean => JSON.stringify(one) === JSON.stringify(other)

const changeOf = (price: OwnPrice, change: PriceChange['change']): PriceChange => ({
  change,
  price_id: price.id,
  model: price.model,
  provider: price.provider,
  effective_from: price.effective_from,
  input_usd_per_million: price.input_usd_per_million,
  output_usd_per_million: price.output_usd_per_million,
})
