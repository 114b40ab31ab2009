import type pg from 'pg'
import { type Arrivals, type Expected, Tally } from './arrivals.ts'
import { isReachable, type StormSubscription } from './subscriptions.ts'

/** What is written down of deliveries, as the superuser reads it. */

interface Row {
  readonly subscription_id: string
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly count: bigint
  readonly events: bigint
}

/** Whether nothing is left to do for those that can be told. */
export async function isSettled(client: pg.Client, subscriptions: readonly StormSubscription[]): Promise<boolean> {
  const reachable = subscriptions.filter(isReachable)
  const { rows } = await client.query<{ busy: boolean }>(
    `select exists (select from webhook_pending where org_id = any($1) and subscription_id = any($2))
         or exists (select from outbox where org_id = any($1)) as busy`,
    [orgsOf(reachable), reachable.map(({ uuid }) => uuid)],
  )
  return !rows[0]!.busy
}

export async function faultsOfBooks(
  client: pg.Client,
  expected: Expected,
  { accepted }: Arrivals,
  committed: number,
): Promise<string[]> {
  const tally = new Tally()
  const subscriptions = [...expected.keys()]
  const { rows } = await client.query<Row>(
    `select subscription_id, state, count(*), count(distinct event_id) as events
       from (select org_id, subscription_id, 'pending' as state, event_id from webhook_pending
              union all select org_id, subscription_id, state, event_id from webhook_deliveries) d
      where org_id = any($1) group by 1, 2`,
    [orgsOf(subscriptions)],
  )
  const known = new Map(rows.map((row) => [`${row.subscription_id} ${row.state}`, row]))
  const { rows: disabled } = await client.query<{ id: string; disabled_reason: string }>(
    'select id, disabled_reason from webhook_subscriptions where org_id = any($1) and not enabled',
    [orgsOf(subscriptions)],
  )
  const reasonOf = new Map(disabled.map(({ id, disabled_reason }) => [id, disabled_reason]))
  for (const [subscription, { length }] of expected) {
    const { path, uuid, nature } = subscription
    const of = (state: Row['state']) => known.get(`${uuid} ${state}`) ?? { count: 0n, events: 0n }
    const [pending, delivered, failed] = [of('pending'), of('delivered'), of('failed')]
    const told = `${path}: ${pending.count} pending, ${delivered.count} delivered, ${failed.count} failed of ${length}`
    if (isReachable(subscription)) {
      if (pending.count > 0n) tally.add('still pending', told)
      if (BigInt(accepted.get(path)?.size ?? 0) > delivered.events) tally.add('accepted, and not in the books', told)
      if (failed.count > 0n) tally.add('given up, and can be told', told)
      if (delivered.events !== BigInt(length) || delivered.count !== delivered.events)
        tally.add('not each delivered once in the books', told)
    } else if (nature !== 'gone' && pending.events + delivered.events + failed.events !== BigInt(length))
      tally.add('not each in the books', told)
    const reason = reasonOf.get(uuid)
    const isGone = nature === 'gone' && length > 0
    if (reason !== (isGone ? 'gone' : undefined)) tally.add('enabled or not', `${path}: ${reason ?? 'enabled'}`)
  }
  const { rows: left } = await client.query<{ count: bigint }>(
    'select count(*) from outbox where org_id = any($1) and kind <> $2',
    [orgsOf(subscriptions), 'subscription.disabled'],
  )
  if (left[0]!.count > 0n) tally.add('not drained', `${left[0]!.count} events`)
  const { rows: drained } = await client.query<{ count: bigint }>(
    `select count(*) from events where org_id = any($1) and payload like '%"storm"%'`,
    [orgsOf(subscriptions)],
  )
  if (drained[0]!.count !== BigInt(committed))
    tally.add('not each kept as an event', `${drained[0]!.count} of ${committed}`)
  return tally.faults
}

/** What was for one run is nothing to the next. */
export async function retire(client: pg.Client, subscriptions: readonly StormSubscription[]) {
  const orgs = orgsOf(subscriptions)
  await client.query(
    `update webhook_subscriptions set enabled = false, disabled_reason = 'requested', disabled_at = now()
      where org_id = any($1) and enabled`,
    [orgs],
  )
  await client.query('update webhook_queues set due_at = null where org_id = any($1)', [orgs])
}

const orgsOf = (subscriptions: readonly StormSubscription[]) => [...new Set(subscriptions.map(({ org }) => org.uuid))]
