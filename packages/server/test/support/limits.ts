import { type RawBuilder, sql as raw } from 'kysely'
import { beforeAll } from 'vitest'
import {
  type Allowance,
  allowanceKey,
  type Balance,
  type Claim,
  type LimitRefusal,
  type LimitUnit,
} from '../../src/money/ledger/ledger.ts'
import { type IdKind, requireId } from '../../src/values/id.ts'
import { type PeriodUnit, periodAt, startOfNextSchedule } from '../../src/values/period.ts'
import { timestamp } from '../../src/values/timestamp.ts'
import type { ServerUnderTest } from './harness.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from './tenants.ts'

interface Recorded {
  readonly target: { readonly kind: string; readonly id: string }
  readonly before: unknown
  readonly after: unknown
}

/** Two organizations, and who asks about the limits of the first. */
export function useLimits(server: ServerUnderTest) {
  const handle = {
    operator: '',
    viewer: '',
    acme: undefined as unknown as Tenant,
    bob: undefined as unknown as Tenant,
    /** Asks as the owner of the first, or as somebody else. */
    ask: (method: string, path: string, body?: unknown, key?: string): Promise<Answer> =>
      call(server.url, method, `/v1/orgs/${handle.acme.id}${path}`, {
        key: key ?? handle.acme.key,
        ...(body !== undefined && { body }),
      }),
    /** Asks as an operator. */
    admin: (method: string, path: string, body?: unknown, org?: string): Promise<Answer> =>
      call(server.url, method, `/v1/admin/orgs/${org ?? handle.acme.id}${path}`, {
        key: handle.operator,
        ...(body !== undefined && { body }),
      }),
    /** The newest entries on the record with this action. */
    recorded: async (action: string): Promise<Recorded[]> => {
      const { json } = await handle.ask('GET', `/audit-log?action=${action}&sort=-created_at`)
      return json['data'] as Recorded[]
    },
    /** How somebody who may only look and somebody else are refused. */
    refusals: (method: string, path: string, body?: unknown): Promise<(string | undefined)[]> =>
      Promise.all(
        [handle.viewer, handle.bob.key].map(
          async (key) => (await handle.ask(method, path, body, key)).json.error?.code,
        ),
      ),
    book: (key: string, counters: Partial<Balance>): Promise<void> => book(server, handle.acme.id, key, counters),
    /** Reads or changes what no route shows. */
    query: <T>(statement: (orgId: string) => RawBuilder<T>): Promise<T[]> => {
      const orgId = requireId('org', handle.acme.id)
      return server.platform.sql.asOrgs([orgId], async (tx) => (await statement(orgId).execute(tx)).rows)
    },
  }
  beforeAll(async () => {
    handle.operator = (await operatorOf(server)).key
    handle.acme = await tenantOf(server, handle.operator)
    handle.bob = await tenantOf(server, handle.operator, 'Bob')
    handle.viewer = (await keyOf(server, handle.acme.id, { role: 'viewer' })).key
  })
  return handle
}

/** The allowance that a limit, as it was answered, has now. */
export function keyOfView(kind: IdKind, view: Record<string, unknown>, subject = '', unit: LimitUnit = 'usd'): string {
  const schedule = {
    unit: (view['period'] ?? (kind === 'plan' ? 'month' : 'day')) as PeriodUnit,
    anchor: (view['anchor'] ?? null) as string | null,
    timezone: (view['timezone'] ?? 'UTC') as string,
  }
  const { label } = periodAt(schedule, Date.parse(view['period_start'] as string))
  return allowanceKey(requireId(kind, view['id'] as string), subject, unit, label)
}

/** Puts an amount on the books as decisions would. */
async function book(server: ServerUnderTest, org: string, key: string, counters: Partial<Balance>) {
  const orgId = requireId('org', org)
  const { spent = 0n, held = 0n, overrun = 0n, late = 0n, wouldRefuse = 0n } = counters
  await server.platform.sql.asOrgs([orgId], (tx) =>
    raw`insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, spent, held, overrun, late, would_refuse, last_seq)
        values (${orgId}, ${key}, ${key}, 'test', '', 'usd', '', ${spent}, ${held}, ${overrun}, ${late}, ${wouldRefuse}, 1)
        on conflict (org_id, key) do update set spent = excluded.spent, held = excluded.held`.execute(tx),
  )
}

export const faultsOf = ({ status, json }: Answer): string[] => {
  const { fields = [] } = (json.error?.details ?? {}) as { fields?: { field: string; code: string }[] }
  return status === 422 ? fields.map(({ field, code }) => `${field}: ${code}`).sort() : [`status ${status}`]
}

/** A claim refused on its last allowance, with these numbers on its books. */
export function refusalOf(claim: Claim, balance: Partial<Balance>, more: Partial<LimitRefusal> = {}): LimitRefusal {
  const allowance: Allowance = claim.allowances.at(-1)!
  const whole = { spent: 0n, held: 0n, overrun: 0n, late: 0n, wouldRefuse: 0n, ...balance }
  return {
    claim,
    allowance,
    balance: whole,
    attempted: 1n,
    available: 0n,
    total: { limit: allowance.limit ?? 0n, spent: whole.spent, held: whole.held },
    isPreFlight: true,
    isKnown: true,
    ...more,
  }
}

/** When a schedule begins that was asked for in a period which ends then. */
export const beginsAfter = (
  periodEnd: unknown,
  unit: PeriodUnit,
  timezone: string,
  anchor: string | null = null,
): string =>
  timestamp(
    new Date(startOfNextSchedule({ schedule: { unit, timezone, anchor }, fromMs: Date.parse(String(periodEnd)) })),
  )
