import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import type { RecordedRun } from '../runs.ts'
import type { Point, PointKind } from './assistant-metrics.ts'
import type { StoredAgent } from './waiting-queries.ts'

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
  /** Time of the last report with another value. */
  readonly touched_at: Date
}

const pointColumns = raw`lineage_id, encode(point, 'hex') as point, encode(session, 'hex') as session, kind, call, value::text, counted::text, counting::text, claim, started_at, ended_at, touched_at`

/** Finds sessions with sums that are not counted yet and have been quiet for a time; which of many is left to chance. */
export async function quietSessions(tx: Tx, orgId: string, quietMs: number, most: number) {
  const { rows } = await raw<{ lineage_id: string; session: string }>`
    select lineage_id, encode(session, 'hex') as session from telemetry_points
     where org_id = ${orgId}::uuid and counted < value and claim is null group by lineage_id, session
    having max(touched_at) < clock_timestamp() - make_interval(secs => ${quietMs / 1_000}) order by random() limit ${most}`.execute(
    tx,
  )
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

/** Finds claims that are not closed; which of many is left to chance, so that none that fails keeps others from their turn. */
export async function openClaims(tx: Tx, orgId: string, most: number): Promise<readonly string[]> {
  const { rows } = await raw<{ claim: string }>`
    select claim from telemetry_points where org_id = ${orgId}::uuid and claim is not null
     group by claim order by random() limit ${most}`.execute(tx)
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

/** Counts points that are not counted yet, up to a number, and how many of them one key has reported. */
export async function countUncounted(tx: Tx, orgId: string, lineageId: string, most: number) {
  const { rows } = await raw<{ all: string; own: string }>`
    select count(*) as all, count(*) filter (where lineage_id = ${lineageId}::uuid) as own
      from (select lineage_id from telemetry_points where org_id = ${orgId}::uuid and counted < value limit ${most}) as p`.execute(
    tx,
  )
  return { all: Number(rows[0]?.all ?? 0), own: Number(rows[0]?.own ?? 0) }
}
