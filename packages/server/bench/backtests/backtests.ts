import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { tenantScopes } from '../../src/access/identity/identity.ts'
import { insertLedger } from '../../src/money/ledger/ledger.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import type { BacktestView } from '../../src/runs/backtests/schema.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { insertOrg } from '../../src/tenants/orgs/queries.ts'
import { formatId, newUuid } from '../../src/values/id.ts'
import { withBenchDatabase } from '../support/bench-database.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from '../support/cpu.ts'
import type { BenchPostgres } from '../support/postgres.ts'
import { type Server, startApi } from '../support/server.ts'
import { seededRules, seedHistory } from './history.ts'

const barSeconds = 60
/** What may come on top of a process that has done nothing for long: what is not collected yet, however much was read. */
const barGrownMb = 350

interface Stand {
  readonly postgres: BenchPostgres
  readonly server: Server
  readonly org: { readonly id: string; readonly key: string; readonly keyId: string }
}

/** `pnpm bench backtests`: a million stored runs and what rules refused beside them, tested over HTTP. */
export async function benchBacktests({ smoke }: { smoke: boolean }) {
  const runs = smoke ? 5_000 : 1_000_000
  await withBenchDatabase(async ({ postgres, platform, owner }) => {
    // With a small heap what grows with what is read would end the process; collecting all the time takes its time, too.
    const heapMb = process.env['WEIR_BENCH_HEAP_MB']
    const server = await startApi(postgres, {
      nodeOptions: heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`],
    })
    try {
      const org = await makeOrg(platform)
      const stand = { postgres, server, org }
      for (const rule of seededRules) await send(stand, '/policies', rule)
      const seeded = await seedHistory(platform, org, runs)
      await owner.query('vacuum (analyze) runs, policy_matches')
      console.log(
        `${seeded.runs} runs, ${seeded.approved} of them under an approval, and ${seeded.refused} refusals by ${seededRules.length} rules`,
      )
      await measured(stand, 'warm-up', { from: new Date(Date.now() - 86_400_000).toISOString() }, true)
      const live = await measured(stand, 'the live rules', {}, smoke)
      const { agreement, runs: found, recorded_refusals: refusals } = live
      console.log(
        `  compared ${agreement!.compared}, differing ${agreement!.differing}; refused again ${refusals!.refused + refusals!.failed} of ${refusals!.considered}`,
      )
      const isWhole = found.considered === seeded.runs && refusals!.considered === seeded.refused
      const isSame = agreement!.compared === seeded.runs + seeded.refused && agreement!.differing === 0
      if (!isWhole || !isSame) fail(`the live rules do not say again what they said: ${JSON.stringify(live, null, 2)}`)
      const draft = await measured(stand, 'a draft of as many rules', { rules: seededRules }, smoke)
      if (draft.runs.refused !== seeded.approved) fail('the same rules as a draft refuse something else')
      const limit = { scope_kind: 'department', scope_id: 'department-3', limit_usd: '10', period: 'day' }
      await measured(stand, 'a limit', { limit }, smoke)
    } finally {
      await server.stop()
    }
  })
}

function fail(what: string) {
  console.error(what)
  process.exitCode = 1
}

const makeOrg = (platform: Platform): Promise<Stand['org']> => {
  const id = newUuid()
  return platform.sql.asOrgs([id], async (tx) => {
    await insertOrg(tx, id, 'Bench')
    await insertLedger(tx, id)
    const key = await mint(platform, tx, id, { name: 'bench', role: 'owner', scopes: tenantScopes })
    return { id, key: key.secret, keyId: key.view.id }
  })
}

const headersOf = ({ org }: Stand) => ({ authorization: `Bearer ${org.key}`, 'content-type': 'application/json' })
const pathOf = ({ org }: Stand, path: string) => `/v1/orgs/${formatId('org', org.id)}${path}`

async function send(stand: Stand, path: string, body: object) {
  const answer = await fetch(`http://127.0.0.1:${stand.server.port}${pathOf(stand, path)}`, {
    method: 'POST',
    headers: headersOf(stand),
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const rssMb = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

/** One test with everything that is to be known of it: how long, how large the process, how long others waited. */
async function measured(stand: Stand, title: string, body: object, isFree: boolean): Promise<BacktestView> {
  const { pid } = stand.server
  const before = rssMb(pid)
  const spent = () => [cpuMicrosOf(pid), cpuMicrosOfFamily(stand.postgres.pid())] as const
  const [nodeBefore, postgresBefore] = spent()
  const watch = watched(stand)
  const started = performance.now()
  const { result, lines, longestGapMs } = await streamed(stand, body)
  const seconds = (performance.now() - started) / 1_000
  const [node, postgres] = spent()
  const { rss, waitedMs, delayMs } = await watch.stop()
  const rows = result.runs.considered + (result.recorded_refusals?.considered ?? 0)
  const peak = Math.max(before, ...rss)
  const thirds = [
    rss.slice(0, rss.length / 3),
    rss.slice(rss.length / 3, (2 * rss.length) / 3),
    rss.slice((2 * rss.length) / 3),
  ]
  const peaks = thirds.map((part) => Math.max(before, ...part).toFixed(0)).join(', ')
  const others = waitedMs.toSorted((a, b) => a - b)
  console.log(
    `${title}: ${rows} in ${seconds.toFixed(1)} s (bar ${barSeconds}), ${Math.round(rows / seconds)}/s; ${lines} lines of progress, the longest gap ${longestGapMs.toFixed(0)} ms; CPU a row: Node ${((node - nodeBefore) / rows).toFixed(1)} µs, PostgreSQL ${((postgres - postgresBefore) / rows).toFixed(1)} µs`,
  )
  console.log(
    `  RSS ${before.toFixed(0)} MB before, at most ${peaks} in each third, ${rssMb(pid).toFixed(0)} after; longest delay of the event loop ${delayMs.toFixed(1)} ms; other requests p50 ${at(others, 0.5)} p99 ${at(others, 0.99)} most ${at(others, 1)} ms`,
  )
  if (!isFree && seconds > barSeconds) fail(`${title} took too long`)
  if (!isFree && peak - before > barGrownMb) fail(`${title} grew by ${(peak - before).toFixed(0)} MB`)
  return result
}

const at = (sorted: readonly number[], share: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)

interface Streamed {
  readonly result: BacktestView
  readonly lines: number
  readonly longestGapMs: number
}

const streamed = (stand: Stand, body: object) =>
  new Promise<Streamed>((resolve, reject) => {
    const options = {
      port: stand.server.port,
      path: pathOf(stand, '/policies/backtest'),
      method: 'POST',
      headers: { ...headersOf(stand), accept: 'application/x-ndjson' },
    }
    request(options, (response) => {
      let [lines, longestGapMs, last] = [0, 0, performance.now()]
      createInterface({ input: response })
        .on('line', (text) => {
          longestGapMs = Math.max(longestGapMs, performance.now() - last)
          last = performance.now()
          const line = JSON.parse(text) as { type?: string }
          if (line.type === 'progress') lines++
          else if (line.type === 'result') resolve({ result: line as unknown as BacktestView, lines, longestGapMs })
          else reject(new Error(text))
        })
        .once('close', () => reject(new Error('it ended without a result')))
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })

/** Looks at the process while it works, as somebody who also wants something of it. */
function watched(stand: Stand) {
  const { port, pid } = stand.server
  const found = { rss: [] as number[], waitedMs: [] as number[], delayMs: 0 }
  const over = new AbortController()
  const sampling = (async () => {
    for (let i = 0; !over.signal.aborted; i++) {
      found.rss.push(rssMb(pid))
      const asked = performance.now()
      await (await fetch(`http://127.0.0.1:${port}/v1/me`, { headers: headersOf(stand) })).text()
      found.waitedMs.push(performance.now() - asked)
      if (i % 40 === 0) {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
        // Since the last look; the first one is about what was before.
        const delay = Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1] ?? 0) * 1_000
        if (i > 0) found.delayMs = Math.max(found.delayMs, delay)
      }
      await sleep(20)
    }
  })()
  return {
    stop: async () => {
      over.abort()
      await sampling
      return found
    },
  }
}
