import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ApiError } from '../../src/contract/errors.ts'
import { reserveOperation, settleOperation } from '../../src/decisions/decisions.ts'
import { type Lanes, type Outcome, outcomeOf } from '../../src/decisions/lanes/lanes.ts'
import type { DecisionInput } from '../../src/decisions/schema.ts'
import { verifyLedgers } from '../../src/money/ledger/ledger.ts'
import { checkRuns } from '../../src/runs/reconciliation/reconciliation.ts'
import { formatId, parseId, requireId } from '../../src/values/id.ts'
import { parseUsd } from '../../src/values/money.ts'
import { environmentFor, type ServerUnderTest, useServer } from './harness.ts'
import { programEnvironment } from './programs.ts'
import { type Answer, call, operatorOf, type Tenant, tenantOf } from './tenants.ts'

/** A server whose money a test can also move past the API, and look at as nobody else may. */
export function useMoney(environment: Record<string, string> = {}) {
  let lanes: Lanes
  const server = useServer({
    environment,
    domain: (_app, _platform, given) => {
      lanes = given
    },
  })
  const superuser = useSuperuser(server.database)
  let operator = ''
  beforeAll(async () => {
    operator = (await operatorOf(server)).key
  })
  const tampered = new Set<string>()
  afterAll(async () => {
    const { sql, clock } = server.platform
    const { faults } = await verifyLedgers(sql, { further: checkRuns(sql, clock) })
    expect(faults.filter(({ orgId }) => !tampered.has(orgId))).toEqual([])
  })
  return {
    server,
    superuser,
    /** Organizations whose books need not balance in the end; those of all others must. */
    tampered,
    lanes: () => lanes,
    org: async (): Promise<MoneyOrg> =>
      moneyOrg({ url: server.url, operator, lanes, superuser: superuser.client }, await tenantOf(server, operator)),
    /** What the server counts under a name, over all labels. */
    metric: (name: string) => metricOf(server.url, name),
  }
}

export function useSuperuser(database: ServerUnderTest['database']) {
  const handle = { client: undefined as unknown as pg.Client }
  beforeAll(async () => {
    handle.client = new pg.Client({ connectionString: database.ownerUrl })
    handle.client.on('error', () => undefined)
    await handle.client.connect()
  })
  afterAll(() => handle.client?.end())
  return handle
}

export interface BooksFound {
  readonly code?: number
  readonly faults: readonly { readonly org_id?: string; readonly key: string; readonly what: string }[]
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** What the program itself says about all books, and how it ends. */
export async function verifyBooks(database: ServerUnderTest['database']): Promise<BooksFound> {
  const env = { ...programEnvironment, ...environmentFor(database) }
  const { stdout, code } = await promisify(execFile)(process.execPath, [main, 'verify'], { env }).then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  )
  return { code, ...(JSON.parse(stdout) as Pick<BooksFound, 'faults'>) }
}

export async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

interface Surroundings {
  readonly url: string
  readonly operator: string
  readonly superuser: pg.Client
  readonly lanes?: Lanes
}

type Body = Record<string, unknown>

export type MoneyOrg = ReturnType<typeof moneyOrg>

/** Asks for a call of exactly this cost, as far as limits can tell. */
export const costing = (usd: string, more: Body = {}): Body => ({
  model: 'gpt-4o',
  estimated_cost_usd: usd,
  ...more,
})

/** A zone in which no day, and so no period, ends within the next ten hours: whenever a test runs, its period stays. */
export function quietZone(now = new Date()): string {
  const hoursToAdd = 12 - now.getUTCHours()
  if (hoursToAdd === 0) return 'UTC'
  // These names count westward.
  return `Etc/GMT${hoursToAdd > 0 ? '-' : '+'}${Math.abs(hoursToAdd)}`
}

/** An organization and everything that moves its money. */
export function moneyOrg({ url, operator, lanes, superuser }: Surroundings, tenant: Tenant) {
  const orgUuid = requireId('org', tenant.id)
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}, at = url): Promise<Answer> =>
    call(at, 'POST', path, { key: tenant.key, headers, ...(body !== undefined && { body }) })
  const ask = (method: string, path: string, body?: unknown, key = tenant.key): Promise<Answer> =>
    call(url, method, `/v1/orgs/${tenant.id}${path}`, { key, ...(body !== undefined && { body }) })
  const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(url, method, `/v1/admin/orgs/${tenant.id}${path}`, { key: operator, ...(body !== undefined && { body }) })
  const decide = (body: Body, headers: Record<string, string> = {}, at = url) =>
    post('/v1/edge/decision', body, headers, at)
  const rows = async <T extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<T[]> =>
    (await superuser.query<T>(text, [orgUuid, ...values])).rows

  return {
    ...tenant,
    uuid: orgUuid,
    post,
    ask,
    admin,
    decide,
    /** Sets something up; says what became of it. */
    set: async (method: string, path: string, body: unknown): Promise<Body> =>
      expectSuccess(await ask(method, path, body)),
    setAsOperator: async (method: string, path: string, body: unknown): Promise<Body> =>
      expectSuccess(await admin(method, path, body)),
    budget: async (limit: string | null, more: Body = {}): Promise<Body & { id: string }> =>
      expectSuccess(
        await ask('POST', '/budgets', {
          name: 'b',
          scope_kind: 'org',
          limit_usd: limit,
          period: 'month',
          timezone: quietZone(),
          ...more,
        }),
      ) as Body & { id: string },
    readBudget: async (id: string): Promise<Body> => expectSuccess(await ask('GET', `/budgets/${id}`)),
    /** Holds, and gives the reservation's id. */
    hold: async (usd: string, more: Body = {}): Promise<string> =>
      expectSuccess(await decide(costing(usd, more)))['reservation_id'] as string,
    release: (reservation: string) => post(`/v1/edge/reservations/${reservation}/release`),
    extend: (reservation: string, body: unknown) => post(`/v1/edge/reservations/${reservation}/extend`, body),
    explain: (decision: string, key = tenant.key) => call(url, 'GET', `/v1/decisions/${decision}`, { key }),
    /** Settles a reservation; there is no route for it yet. */
    settle: async (reservation: string, usd: string, tokens = 0n): Promise<Outcome> => {
      const actual = { usd: parseUsd(usd), tokens }
      const task = settleOperation({ orgId: orgUuid }, requireId('reservation', reservation), actual)
      return outcomeOf(await lanes!.submit(task))
    },
    /** Asks with every limit binding, as for the start of a run. */
    start: async (body: Body): Promise<{ reservation?: string; error?: ApiError }> => {
      const task = reserveOperation({ orgId: orgUuid }, body as unknown as DecisionInput, 'start')
      const verdict = outcomeOf(await lanes!.submit(task))
      if (verdict.type === 'refused') return { error: verdict.refusal.claim.kind.refuse(verdict.refusal) }
      return { reservation: formatId('reservation', task.id) }
    },
    rows,
    /** Everything that is counted, row by row. */
    allowances: () =>
      rows<AllowanceRow>(
        'select key, kind, subject, spent, held, overrun, late, would_refuse from allowances where org_id = $1 order by key',
      ),
    events: async (kind: string) =>
      (await rows<{ body: Body }>('select body from outbox where org_id = $1 and kind = $2 order by id', kind)).map(
        ({ body }) => body,
      ),
    /** Lets a lease be over, with the grace that is given to clocks. */
    endLease: (reservation: string, secondsAgo = 6) =>
      rows(
        `update holds set expires_at = clock_timestamp() - make_interval(secs => $3) where org_id = $1 and id = $2`,
        parseId('reservation', reservation),
        secondsAgo,
      ),
    /** Ends the running period of all budgets a moment ago: the schedule that follows is in force. */
    endPeriod: async (budget: string, next: Body) => {
      expectSuccess(await ask('PATCH', `/budgets/${budget}`, next))
      await rows(`update limits set next_from = clock_timestamp() - interval '2 years' where org_id = $1`)
      await rows('update org_ledgers set config_version = config_version + 1 where org_id = $1')
    },
    holdState: async (reservation: string) =>
      (
        await rows<{ state: string }>(
          'select state from holds where org_id = $1 and id = $2',
          parseId('reservation', reservation),
        )
      )[0]?.state,
  }
}

export interface AllowanceRow {
  readonly key: string
  readonly kind: string
  readonly subject: string
  readonly spent: string
  readonly held: string
  readonly overrun: string
  readonly late: string
  readonly would_refuse: string
}

function expectSuccess(answer: Answer): Body {
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.json
}

/** What a refusal was answered with. */
export const refusalIn = ({ status, json }: Answer): Readonly<Record<string, unknown>> => ({
  status,
  code: json.error?.code,
  ...json.error?.details,
})
