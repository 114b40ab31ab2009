import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

/** Usage of a run that a gateway has had made, by the model that ran. */
export interface HeldUsage {
  readonly model: string
  readonly input: number
  readonly output: number
}

interface HeldUsageRow {
  readonly model: string
  readonly input: string | null
  readonly output: string | null
}

const usageOf = ({ model, input, output }: HeldUsageRow): HeldUsage => ({
  model,
  input: Number(input ?? 0),
  output: Number(output ?? 0),
})

/** Only a run that was left to a gateway to end, which its maker could not: nobody else says what it used. */
const isManaged = raw`h.inputs -> 'request' ->> 'managed' = 'true'`

/** Finds the runs that a gateway has settled for these requests to providers, by their run keys. */
export async function findRequests(
  tx: Tx,
  orgId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, HeldUsage>> {
  const { rows } = await raw<HeldUsageRow & { key: string }>`
    select k.key, r.model, r.input_tokens as input, r.output_tokens as output
      from run_keys k join runs r on r.org_id = k.org_id and r.id = k.run_id
     where k.org_id = ${orgId}::uuid and k.key = any(${keys}::text[])`.execute(tx)
  return new Map(rows.map((row) => [row.key, usageOf(row)]))
}

/** A call by what a gateway sees of it too. */
interface Seen {
  readonly session: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
}

/**
 * Finds the models for which managed runs have used the very same tokens as these calls, in the same session, and no more of them from a
 * cache: by the places of the calls.
 */
export async function findHeldTwins(
  tx: Tx,
  orgId: string,
  calls: readonly Seen[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const { rows } = await raw<{ place: string; models: string[] }>`
    select t.place, array_agg(distinct r.model) as models
      from unnest(${calls.map(({ session }) => session)}::text[], ${calls.map(({ input }) => input)}::bigint[],
             ${calls.map(({ output }) => output)}::bigint[], ${calls.map(({ cacheRead }) => cacheRead)}::bigint[])
             with ordinality as t (chain, input, output, cache_read, place)
      join runs r on r.org_id = ${orgId}::uuid and r.chain_id = t.chain and r.input_tokens = t.input
                 and r.output_tokens = t.output and coalesce(r.cache_read_input_tokens, 0) <= t.cache_read
      join holds h on h.org_id = r.org_id and h.id = r.hold_id
     where ${isManaged} group by t.place`.execute(tx)
  return new Map(rows.map(({ place, models }) => [Number(place) - 1, models]))
}

/** Returns the start of the oldest managed run that is running in each of these sessions. */
export async function findRunning(
  tx: Tx,
  orgId: string,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await raw<{ chain: string; since: Date }>`
    select h.inputs -> 'run' ->> 'chain_id' as chain, min(h.held_at) as since from holds h
     where h.org_id = ${orgId}::uuid and h.state = 'open' and h.on_expiry = 'charge' and ${isManaged}
       and h.inputs -> 'run' ->> 'chain_id' = any(${sessions}::text[]) group by 1`.execute(tx)
  return new Map(rows.map(({ chain, since }) => [chain, since.getTime()]))
}

/** Returns what the managed runs of a session have used, by model. */
export async function heldUsage(tx: Tx, orgId: string, session: string): Promise<readonly HeldUsage[]> {
  const { rows } = await raw<HeldUsageRow>`
    select r.model, sum(r.input_tokens) as input, sum(r.output_tokens) as output
      from runs r join holds h on h.org_id = r.org_id and h.id = r.hold_id
     where r.org_id = ${orgId}::uuid and r.chain_id = ${session} and ${isManaged} group by r.model`.execute(tx)
  return rows.map(usageOf)
}
