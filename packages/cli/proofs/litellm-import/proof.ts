import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { formatId, requireId } from '../../../server/src/values/id.ts'
import { eventually } from '../../../server/test/support/programs.ts'
import { call } from '../../../server/test/support/tenants.ts'
import { type Started, startWeir } from '../../test/support/weir.ts'
import { startLitellmApi } from './litellm-api.ts'
import { clientKey, fillLitellm, type Size, tightKey } from './litellm-database.ts'
import { compareSums, nanosIn } from './sums.ts'

/** A Weir with an organization of which nothing but this import writes. */
export interface Target {
  readonly url: string
  readonly orgId: string
  readonly ownerKey: string
  readonly ownerKeyId: string
  /** A superuser on its database. */
  readonly database: pg.Client
  /** Environment of the command line. */
  readonly env: Readonly<Record<string, string>>
}

export interface ProofReport {
  readonly faults: readonly string[]
  readonly compared: number
  readonly limits: number
  readonly kills: number
  readonly seconds: Readonly<Record<string, number>>
  readonly callsPerSecond: number
  /** The most memory that an import had, in MiB. */
  readonly peakMib: number
}

/** From where LiteLLM is read: the second import reads it the other way. */
export type SourceName = 'database' | 'api'

export interface Course {
  readonly source: SourceName
  readonly kills: number
  readonly random: () => number
  /** Hears how long each part took. */
  readonly say?: (text: string) => void
}

const masterKey = 'sk-master-of-the-proof'
/** How often a busy service is asked again. */
const mostBusy = 8

interface Done {
  readonly since: string
  readonly keys: {
    readonly registered: number
    readonly there: number
    readonly refused: readonly { readonly what: string }[]
  }
  readonly limits: {
    readonly made: number
    readonly there: number
    readonly adjusted: number
    readonly frozen: number
    readonly different: readonly string[]
  }
  readonly calls: {
    readonly made: number
    readonly there: number
    readonly refused: number
    readonly different: number
    readonly read: number
  }
  readonly seconds: { readonly calls: number }
}

/**
 * Imports a generated LiteLLM while the import is killed, then again; compares every sum with plain SQL on the source, and every budget with what
 * LiteLLM had counted.
 */
export async function proveImport(
  target: Target,
  litellmUrl: string,
  size: Size,
  { source: firstSource, kills, random, say }: Course,
): Promise<ProofReport> {
  const faults: string[] = []
  const seconds: Record<string, number> = {}
  const expect = (holds: boolean, what: string) => {
    if (!holds) faults.push(what)
  }
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const done = await work()
    seconds[name] = Math.round((performance.now() - began) / 100) / 10
    say?.(`${name}: ${seconds[name]} s`)
    return done
  }
  // Expensive reads have their share of time, and say when to come again; a busy database is asked again as well, as the error says.
  const ask: Ask = async (method, path, body, key = target.ownerKey) => {
    for (let busy = 0; ; ) {
      const answer = await call(target.url, method, path, { key, ...(body !== undefined && { body }) })
      const code = answer.json.error?.code
      if (code === 'service_unavailable' && busy < mostBusy) {
        busy += 1
        say?.(`${method} ${path.slice(0, 120)}: the service is busy`)
        await pause(2_000 * busy)
      } else if (code === 'rate_limited') await pause(Number(answer.headers.get('retry-after')) * 1_000)
      else return answer
    }
  }
  const org = `/v1/orgs/${target.orgId}`
  // Calls older than an organization keeps are in its usage alone.
  await ask('PUT', `${org}/retention-policy`, { raw_days: 180 })
  await timed('generate', () => fillLitellm(litellmUrl, size))
  const api = await startLitellmApi(litellmUrl, masterKey)
  const sources = {
    database: { args: [], env: { LITELLM_DATABASE_URL: litellmUrl } },
    api: { args: ['--litellm-url', api.url, '--master-key-env', 'MASTER'], env: { MASTER: masterKey } },
  } as const
  let peakMib = 0
  const start = (from: SourceName, ...more: string[]) => {
    const { args, env } = sources[from]
    const running = startWeir(['import', 'litellm', '--json', ...args, ...more], { env: { ...target.env, ...env } })
    const watch = setInterval(() => {
      peakMib = Math.max(peakMib, mebibytesOf(running.process.pid))
    }, 250)
    void running.ended.then(() => clearInterval(watch))
    return running
  }

  const traces = async () => {
    const tables = ['api_keys', 'foreign_keys', 'limits', 'customer_limits', 'runs', 'audit_log', 'freezes']
    const counts = tables.map((table) => `(select count(*) from ${table})`).join(', ')
    return JSON.stringify(
      Object.values((await target.database.query({ text: `select ${counts}`, rowMode: 'array' })).rows[0] as object),
    )
  }
  const before = await traces()
  const dry = await timed('dry run', () => start(firstSource).ended)
  expect(dry.code === 0, `the dry run ended with ${dry.code}: ${dry.err}`)
  expect((await traces()) === before, 'the dry run changed something')

  let killed = 0
  const done = await timed('import', async () => {
    for (let i = 0; i < kills; i++) {
      const running = start(firstSource, '--yes')
      // Somewhere in the next part of the way: among keys, among limits, among calls.
      const share = (i + random()) / kills
      await Promise.race([running.ended, reached(target.database, share, size, running)])
      if (running.process.exitCode === null) killed++
      running.process.kill('SIGKILL')
      await running.ended
    }
    return finish(start(firstSource, '--yes'))
  })
  const source = await connect(litellmUrl)
  try {
    const expired = Number(
      (await source.query(`select count(*) from "LiteLLM_VerificationToken" where expires <= now() at time zone 'utc'`))
        .rows[0].count,
    )
    expect(done.keys.registered + done.keys.there === size.keys - expired, `keys: ${JSON.stringify(done.keys)}`)
    expect(done.keys.refused.length === 1, `refused keys: ${JSON.stringify(done.keys.refused)}`)
    expect(done.calls.refused + done.calls.different === 0, `calls: ${JSON.stringify(done.calls)}`)
    const keyIds = await idsOfKeys(ask, org, source)
    const importer = requireId('key', target.ownerKeyId)
    const usage = async (query: Readonly<Record<string, string>>) => {
      const answer = await ask('GET', `${org}/usage?${new URLSearchParams(query).toString()}`)
      if (answer.status !== 200) throw new Error(`usage: ${answer.status} ${answer.text}`)
      return answer
    }
    const formatKey = (uuid: string) => formatId('key', uuid)
    const compare = () =>
      compareSums({
        litellm: source,
        weir: target.database,
        usage,
        since: new Date(done.since),
        keyIds,
        importer: { id: target.ownerKeyId, uuid: importer },
        formatKey,
      })
    const first = await timed('sums', compare)
    faults.push(...first.faults)
    const limits = await timed('limits', () => compareLimits(ask, org, source, new Date(done.since), keyIds, faults))

    const [tracesBefore, limitsBefore] = [await traces(), JSON.stringify(limits)]
    const again = await timed('second import', () => finish(start(firstSource === 'api' ? 'database' : 'api', '--yes')))
    expect((await traces()) === tracesBefore, 'the second import changed something')
    expect(
      again.keys.registered + again.limits.made + again.limits.adjusted + again.limits.frozen + again.calls.made === 0,
      `the second import: ${JSON.stringify(again)}`,
    )
    const unheard: string[] = []
    expect(
      JSON.stringify(await compareLimits(ask, org, source, new Date(done.since), keyIds, unheard)) === limitsBefore,
      'the second import moved a limit',
    )
    faults.push(...(await compare()).faults)

    await useOldKey(ask, org, expect)
    return {
      faults,
      compared: first.compared,
      limits: limits.length,
      kills: killed,
      seconds,
      peakMib,
      callsPerSecond: Math.round(done.calls.read / Math.max(done.seconds.calls, 0.001)),
    }
  } finally {
    await source.end()
    await api.close()
  }
}

type Ask = (method: string, path: string, body?: unknown, key?: string) => ReturnType<typeof call>

async function connect(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set timezone = utc')
  return client
}

/** Waits until an import has come so far: a third for the keys, a third for the limits, a third for the calls. */
async function reached(database: pg.Client, share: number, size: Size, running: Started) {
  const counted = async (table: string, of: number) =>
    Math.min(1, Number((await database.query(`select count(*) from ${table}`)).rows[0].count) / of)
  while (running.process.exitCode === null && running.process.signalCode === null) {
    const began = performance.now()
    const parts = [
      await counted('foreign_keys', size.keys * 0.98),
      await counted('limits', size.keys * 0.4),
      await counted('runs', size.logs * 0.8),
    ]
    if (parts.reduce((sum, part) => sum + part, 0) / 3 >= share) return
    // Counting a million rows takes a while: it must not take the machine from the import.
    await pause(Math.max(25, 20 * (performance.now() - began)))
  }
}

/** Returns the most memory that a process has had; none once it has ended. */
function mebibytesOf(pid: number | undefined): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kib) / 1_024)
  } catch {
    return 0
  }
}

async function finish(running: ReturnType<typeof startWeir>): Promise<Done> {
  const { code, out, err } = await running.ended
  if (code !== 0) throw new Error(`the import ended with ${code}: ${err}`)
  return JSON.parse(out) as Done
}

/** Returns the keys that took the place of LiteLLM's, as the API says it. */
async function idsOfKeys(ask: Ask, org: string, source: pg.Client): Promise<Map<string, string>> {
  const { rows } = await source.query<{ token: string }>('select token from "LiteLLM_VerificationToken" order by token')
  const ids = new Map<string, string>()
  for (let i = 0; i < rows.length; i += 200) {
    const some = rows.slice(i, i + 200)
    const { json } = await ask('POST', `${org}/foreign-keys`, {
      keys: some.map(({ token }) => ({ sha256: token, name: 'k' })),
      dry_run: true,
    })
    for (const [at, found] of (json['data'] as ({ key_id: string } | null)[]).entries())
      if (found) ids.set(some[at]!.token, requireId('key', found.key_id))
  }
  return ids
}

interface Limit {
  readonly scope_kind?: string
  readonly scope_id: string
  readonly and_scope_kind?: string | null
  readonly customer_id?: string
  readonly spent_usd: string
  readonly period_start: string
}

const columns = { department: 'team_id', user: 'user', key: 'api_key' } as const

/**
 * Compares what is spent of each limit with LiteLLM: a budget has what LiteLLM had counted, or what its calls cost, each rounded up, where that is
 * more by nano-dollars. An end user has no less than LiteLLM had counted.
 */
async function compareLimits(
  ask: Ask,
  org: string,
  source: pg.Client,
  since: Date,
  keyIds: ReadonlyMap<string, string>,
  faults: string[],
) {
  const known = new Map<string, Promise<Map<string, bigint>>>()
  const callsOf = (kind: keyof typeof columns, start: string) => {
    const from = new Date(Math.max(since.getTime(), Date.parse(start))).toISOString().replace('Z', '')
    const name = `${kind} ${from}`
    const text = `select lower("${columns[kind]}") as id, sum(ceil(spend::text::numeric * 1000000000))::bigint::text as nanos
                    from "LiteLLM_SpendLogs" where "startTime" >= '${from}' group by 1`
    const read = async () => {
      const { rows } = await source.query<{ id: string; nanos: string }>(text)
      return new Map(rows.map((row) => [kind === 'key' ? (keyIds.get(row.id) ?? '') : row.id, BigInt(row.nanos)]))
    }
    const found = known.get(name) ?? read()
    known.set(name, found)
    return found
  }
  const spent = async (table: string, id: string) =>
    new Map(
      (
        await source.query<{ id: string; nanos: string }>(
          `select lower(${id}) as id, ceil(spend::text::numeric * 1000000000)::bigint::text as nanos from "${table}"`,
        )
      ).rows.map((row) => [row.id, BigInt(row.nanos)]),
    )
  const keys = await spent('LiteLLM_VerificationToken', 'token')
  const wanted = {
    department: await spent('LiteLLM_TeamTable', 'team_id'),
    user: await spent('LiteLLM_UserTable', 'user_id'),
    key: new Map([...keys].map(([token, nanos]) => [keyIds.get(token) ?? '', nanos])),
  }
  const customers = await spent('LiteLLM_EndUserTable', 'user_id')
  const limits = [...(await all(ask, `${org}/budgets`)), ...(await all(ask, `${org}/customer-limits`))]
  for (const { scope_kind, scope_id, and_scope_kind, customer_id, spent_usd, period_start } of limits) {
    const nanos = nanosIn(spent_usd)
    if (customer_id !== undefined) {
      if (nanos < (customers.get(customer_id) ?? 0n))
        faults.push(`end user ${customer_id}: ${nanos} spent, ${customers.get(customer_id)} in LiteLLM`)
    } else if (and_scope_kind == null) {
      const kind = scope_kind as keyof typeof wanted
      const id = kind === 'key' ? requireId('key', scope_id) : scope_id
      const [counted, called] = [wanted[kind].get(id) ?? 0n, (await callsOf(kind, period_start)).get(id) ?? 0n]
      const amount = called > counted ? called : counted
      if (nanos !== amount) faults.push(`${scope_kind} ${scope_id}: ${nanos} spent, ${amount} in LiteLLM`)
    }
  }
  return limits.map(({ scope_id, customer_id, spent_usd }) => [scope_id, customer_id, spent_usd])
}

async function all(ask: Ask, path: string): Promise<Limit[]> {
  const rows: Limit[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await ask(
      'GET',
      `${path}?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    rows.push(...(json['data'] as Limit[]))
    cursor = json['next_cursor'] as string | null
  }
  return rows
}

/** A client that knows of nothing calls with its old key: the budget of its team refuses it, and later the end of the grace. */
async function useOldKey(ask: Ask, org: string, expect: (holds: boolean, what: string) => void) {
  const old = clientKey(tightKey)
  const run = (estimated_cost_usd: string) => ask('POST', '/v1/runs', { model: 'gpt-4o', estimated_cost_usd }, old)
  const small = await run('0.0005')
  expect(small.status === 201, `a call with an old key: ${small.text}`)
  const large = await run('0.01')
  expect(large.json.error?.code === 'budget_exceeded', `a call beyond the budget that LiteLLM had: ${large.text}`)
  let used: { id: string; uses: number }[] = []
  await eventually(async () => {
    used = (await ask('GET', `${org}/foreign-keys?used_since=2020-01-01T00:00:00Z`)).json['data'] as typeof used
    return used.length === 1 && used[0]!.uses === 2
  })
  await ask('POST', `${org}/foreign-keys/${used[0]!.id}/end`, {})
  const ended = await run('0.0005')
  expect(ended.status === 401 && ended.json.error?.code === 'key_expired', `after the end of the grace: ${ended.text}`)
}
