import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { RecordedRun } from '../runs.ts'
import type { Point, PointKind } from './assistant-metrics.ts'

/** A session that a key reports, by its digest. */
export interface TelemetrySession {
  readonly session: string
  readonly calls_since: Date | null
  readonly metrics_until: Date | null
}

/** Notes that calls of these sessions are reported one by one since a time. */
export const noteCalls = (
  tx: Tx,
  orgId: string,
  lineageId: string,
  sessions: readonly { readonly digest: string; readonly sinceMs: number }[],
) =>
  raw`update telemetry_sessions s set calls_since = least(s.calls_since, since)
        from unnest(${sessions.map(({ digest }) => digest)}::text[],
                    ${sessions.map(({ sinceMs }) => new Date(sinceMs).toISOString())}::timestamptz[]) as t (digest, since)
       where s.org_id = ${orgId}::uuid and s.lineage_id = ${lineageId}::uuid and s.session = decode(t.digest, 'hex')`.execute(
    tx,
  )

/** Locks sessions, which are made if they are new, until the transaction ends. */
export async function lockSessions(
  tx: Tx,
  orgId: string,
  lineageId: string,
  digests: readonly string[],
): Promise<readonly TelemetrySession[]> {
  const { rows } = await raw<TelemetrySession>`
    insert into telemetry_sessions as s (org_id, lineage_id, session)
    select ${orgId}::uuid, ${lineageId}::uuid, decode(d, 'hex') from unnest(${digests}::text[]) as d order by d
    on conflict (org_id, lineage_id, session) do update set seen_on = excluded.seen_on
    returning encode(session, 'hex') as session, calls_since, metrics_until`.execute(tx)
  return rows
}

/** Returns since when the calls of these sessions are reported one by one. */
export async function callsSince(tx: Tx, orgId: string, lineageId: string, digests: readonly string[]) {
  const { rows } = await raw<{ session: string; calls_since: Date }>`
    select encode(session, 'hex') as session, calls_since from telemetry_sessions
     where org_id = ${orgId}::uuid and lineage_id = ${lineageId}::uuid and calls_since is not null
       and session in (select decode(d, 'hex') from unnest(${digests}::text[]) as d)`.execute(tx)
  return new Map(rows.map(({ session, calls_since }) => [session, calls_since.getTime()]))
}

export const setMetricsUntil = (tx: Tx, orgId: string, lineageId: string, digest: string, until: Date) =>
  raw`update telemetry_sessions set metrics_until = greatest(metrics_until, ${until.toISOString()}::timestamptz)
       where org_id = ${orgId}::uuid and lineage_id = ${lineageId}::uuid and session = decode(${digest}, 'hex')`.execute(
    tx,
  )

/** Finds the runs that a gateway has settled for these requests to providers, by their run keys. */
export async function findRequests(
  tx: Tx,
  orgId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await raw<{ key: string; tokens: string }>`
    select k.key, coalesce(r.input_tokens, 0) + coalesce(r.output_tokens, 0) as tokens
      from run_keys k join runs r on r.org_id = k.org_id and r.id = k.run_id
     where k.org_id = ${orgId}::uuid and k.key = any(${keys}::text[])`.execute(tx)
  return new Map(rows.map(({ key, tokens }) => [key, Number(tokens)]))
}

/** Tells which of these calls a run that was held has used the very same tokens for, in the same session. */
export async function findHeldTwins(
  tx: Tx,
  orgId: string,
  calls: readonly { readonly session: string; readonly input: number; readonly output: number }[],
): Promise<ReadonlySet<number>> {
  const { rows } = await raw<{ place: string }>`
    select t.place from unnest(${calls.map(({ session }) => session)}::text[], ${calls.map(({ input }) => input)}::bigint[],
             ${calls.map(({ output }) => output)}::bigint[]) with ordinality as t (chain, input, output, place)
     where exists (select from runs r where r.org_id = ${orgId}::uuid and r.chain_id = t.chain and r.input_tokens = t.input
                      and r.output_tokens = t.output and r.hold_id is not null)`.execute(tx)
  return new Set(rows.map(({ place }) => Number(place) - 1))
}

/** Returns the start of the oldest run that is running in each of these sessions. */
export async function findRunning(
  tx: Tx,
  orgId: string,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await raw<{ chain: string; since: Date }>`
    select h.inputs -> 'run' ->> 'chain_id' as chain, min(h.held_at) as since from holds h
     where h.org_id = ${orgId}::uuid and h.state = 'open' and h.on_expiry = 'charge'
       and h.inputs -> 'run' ->> 'chain_id' = any(${sessions}::text[]) group by 1`.execute(tx)
  return new Map(rows.map(({ chain, since }) => [chain, since.getTime()]))
}

/** Returns the tokens of the runs that were held in a session. */
export async function heldTokens(tx: Tx, orgId: string, session: string): Promise<number> {
  const { rows } = await raw<{ tokens: string }>`
    select coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0) as tokens from runs
     where org_id = ${orgId}::uuid and chain_id = ${session} and hold_id is not null`.execute(tx)
  return Number(rows[0]?.tokens ?? 0)
}

/** A call that waits, as it is stored. */
export interface WaitingCall {
  readonly agent: StoredAgent
  readonly run: RecordedRun & { readonly external_id: string; readonly chain_id: string }
  readonly requestId: string | null
  readonly session: string
  readonly endMs: number
}

export interface StoredAgent {
  readonly kind: 'key' | 'support' | 'person' | 'directory'
  readonly id: string
  readonly lineageId: string
}

export const insertWaiting = (
  tx: Tx,
  orgId: string,
  calls: readonly { readonly id: string; readonly call: WaitingCall }[],
  afterMs: number,
) =>
  raw`insert into waiting_calls (org_id, id, due_at, call)
      select ${orgId}::uuid, id, clock_timestamp() + make_interval(secs => ${afterMs / 1_000}), call
        from unnest(${calls.map(({ id }) => id)}::uuid[], ${calls.map(({ call }) => JSON.stringify(call))}::json[]) as t (id, call)
      on conflict do nothing`.execute(tx)

/** Locks calls that have waited long enough. */
export async function takeWaiting(tx: Tx, orgId: string, most: number) {
  const { rows } = await raw<{ id: string; call: WaitingCall }>`
    select id, call from waiting_calls where org_id = ${orgId}::uuid and due_at < clock_timestamp()
     order by due_at limit ${most} for update skip locked`.execute(tx)
  return rows
}

export const deleteWaiting = (tx: Tx, orgId: string, ids: readonly string[]) =>
  raw`delete from waiting_calls where org_id = ${orgId}::uuid and id = any(${ids}::uuid[])`.execute(tx)

export const postponeWaiting = (tx: Tx, orgId: string, ids: readonly string[], byMs: number) =>
  raw`update waiting_calls set due_at = clock_timestamp() + make_interval(secs => ${byMs / 1_000})
       where org_id = ${orgId}::uuid and id = any(${ids}::uuid[])`.execute(tx)

/** Stores points: of a series the highest value, however often and in which order its values are reported. */
export const upsertPoints = (
  tx: Tx,
  orgId: string,
  { lineageId, ...agent }: StoredAgent,
  points: readonly (Point & { readonly digest: string })[],
) =>
  raw`insert into telemetry_points as p (org_id, lineage_id, point, session, kind, call, value, started_at, ended_at)
      select ${orgId}::uuid, ${lineageId}::uuid, decode(point, 'hex'), decode(session, 'hex'), kind, call, value, started_at, ended_at
        from unnest(${points.map(({ id }) => id)}::text[], ${points.map(({ digest }) => digest)}::text[],
                    ${points.map(({ kind }) => kind)}::text[],
                    ${points.map(({ call, session }) => JSON.stringify({ agent: { ...agent, lineageId }, run: call, session }))}::json[],
                    ${points.map(({ value }) => value)}::bigint[],
                    ${points.map(({ startMs }) => new Date(startMs).toISOString())}::timestamptz[],
                    ${points.map(({ endMs }) => new Date(endMs).toISOString())}::timestamptz[])
             as t (point, session, kind, call, value, started_at, ended_at) order by point
      on conflict (org_id, lineage_id, point) do update
         set value = excluded.value, ended_at = greatest(p.ended_at, excluded.ended_at), touched_at = clock_timestamp()
       where excluded.value > p.value`.execute(tx)

export interface PointRow {
  readonly lineage_id: string
  readonly point: string
  readonly session: string
  readonly kind: PointKind
  readonly call: { readonly agent: StoredAgent; readonly run: RecordedRun; readonly session: string }
  readonly value: string
  readonly counted: string
  readonly counting: string | null
  readonly claim: string | null
  readonly started_at: Date
  readonly ended_at: Date
}

const pointColumns = raw`lineage_id, encode(point, 'hex') as point, encode(session, 'hex') as session, kind, call, value::text, counted::text, counting::text, claim, started_at, ended_at`

/** Finds sessions with sums that are not counted yet and have been quiet for a time. */
export async function quietSessions(tx: Tx, orgId: string, quietMs: number, most: number) {
  const { rows } = await raw<{ lineage_id: string; session: string }>`
    select lineage_id, encode(session, 'hex') as session from telemetry_points
     where org_id = ${orgId}::uuid and counted < value and claim is null group by lineage_id, session
    having max(touched_at) < clock_timestamp() - make_interval(secs => ${quietMs / 1_000}) limit ${most}`.execute(tx)
  return rows
}

export async function uncountedPoints(
  tx: Tx,
  orgId: string,
  lineageId: string,
  digest: string,
): Promise<readonly PointRow[]> {
  const { rows } = await raw<PointRow>`
    select ${pointColumns} from telemetry_points
     where org_id = ${orgId}::uuid and lineage_id = ${lineageId}::uuid and session = decode(${digest}, 'hex')
       and counted < value and claim is null order by point for update`.execute(tx)
  return rows
}

/** Claims points for a run: what is counted of them is settled before it is recorded, so that it is recorded once. */
export const claimPoints = (tx: Tx, orgId: string, lineageId: string, points: readonly string[], claim: string) =>
  raw`update telemetry_points set claim = ${claim}::uuid, counting = value
       where org_id = ${orgId}::uuid and lineage_id = ${lineageId}::uuid and point in (select decode(p, 'hex') from unnest(${points}::text[]) as p)`.execute(
    tx,
  )

/** Drops points that are not counted: their session reports the same calls one by one. */
export const dropPoints = (tx: Tx, orgId: string, lineageId: string, points: readonly string[]) =>
  raw`update telemetry_points set counted = value
       where org_id = ${orgId}::uuid and lineage_id = ${lineageId}::uuid and point in (select decode(p, 'hex') from unnest(${points}::text[]) as p)`.execute(
    tx,
  )

export async function openClaims(tx: Tx, orgId: string, most: number): Promise<readonly string[]> {
  const { rows } = await raw<{ claim: string }>`
    select distinct claim from telemetry_points where org_id = ${orgId}::uuid and claim is not null limit ${most}`.execute(
    tx,
  )
  return rows.map(({ claim }) => claim)
}

export async function lockClaim(tx: Tx, orgId: string, claim: string): Promise<readonly PointRow[]> {
  const { rows } = await raw<PointRow>`
    select ${pointColumns} from telemetry_points where org_id = ${orgId}::uuid and claim = ${claim}::uuid
     order by point for update`.execute(tx)
  return rows
}

export const closeClaim = (tx: Tx, orgId: string, claim: string) =>
  raw`update telemetry_points set counted = counting, counting = null, claim = null
       where org_id = ${orgId}::uuid and claim = ${claim}::uuid`.execute(tx)

/** Finds organizations with telemetry that is due. */
export async function orgsWithDueTelemetry({ db }: Sql, quietMs: number, most: number): Promise<readonly string[]> {
  const { rows } = await raw<{ org_id: string }>`
    select due as org_id from orgs_with_due_telemetry(clock_timestamp() - make_interval(secs => ${quietMs / 1_000}), ${most}) as due`.execute(
    db,
  )
  return rows.map(({ org_id }) => org_id)
}
