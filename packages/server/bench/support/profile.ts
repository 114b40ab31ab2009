import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { BenchPostgres } from './postgres.ts'
import { described, type Round } from './report.ts'
import { type Server, type StartOptions, startApi } from './server.ts'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Prints where the time of some work goes: functions of the process that serves, and statements of PostgreSQL. */
export async function profiled(
  postgres: BenchPostgres,
  what: string,
  work: (api: Server, isWarmUp: boolean) => Promise<{ round: Round; count: number; seconds: number }>,
  options: StartOptions = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-profile-'))
  await postgres.start({
    settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' },
  })
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  try {
    await owner.query('create extension if not exists pg_stat_statements')
    const api = await startApi(postgres, {
      ...options,
      nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    })
    await work(api, true)
    await owner.query('select pg_stat_statements_reset()')
    const { round, count, seconds } = await work(api, false)
    console.log(`profiled, ${what}: ${described([round])}`)
    const { rows } = await owner.query<{ query: string; calls: bigint; plan: number; run: number; rows: bigint }>(
      `select left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as query, calls, total_plan_time as plan, total_exec_time as run, rows
         from pg_stat_statements order by total_plan_time + total_exec_time desc limit 16`,
    )
    for (const { query, calls, plan, run } of rows)
      console.log(
        `  ${((1_000 * (plan + run)) / count).toFixed(1).padStart(6)} µs each, ${((1_000 * (plan + run)) / Number(calls)).toFixed(0).padStart(5)} µs a call (planning ${((1_000 * plan) / Number(calls)).toFixed(0)}), ${calls} calls: ${query}`,
      )
    await api.stop()
    for (const file of readdirSync(folder))
      printProfile(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile, seconds)
  } finally {
    await owner.end()
    await postgres.start()
    rmSync(folder, { recursive: true, force: true })
  }
}

const shortened = (url: string) => url.replace(/^.*\/(packages\/server|node_modules\/(?!.*node_modules\/))/, '')

/** The last seconds only: a start is not what is looked at. */
function printProfile({ nodes, samples, timeDeltas }: Profile, seconds: number) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const nameOf = (id: number) => {
    const { functionName, url, lineNumber } = byId.get(id)!.callFrame
    return `${functionName || '(anonymous)'} ${shortened(url)}${url ? `:${lineNumber + 1}` : ''}`
  }
  const self = new Map<string, number>()
  const whole = new Map<string, number>()
  const byFile = new Map<string, number>()
  let [busy, idle] = [0, 0]
  let left = timeDeltas.reduce((sum, micros) => sum + micros, 0)
  for (const [i, id] of samples.entries()) {
    const micros = timeDeltas[i]!
    left -= micros
    if (left > seconds * 1e6) continue
    const { functionName, url } = byId.get(id)!.callFrame
    if (functionName === '(idle)') {
      idle += micros
      continue
    }
    busy += micros
    self.set(nameOf(id), (self.get(nameOf(id)) ?? 0) + micros)
    const callers = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) callers.add(nameOf(at))
    for (const name of callers) whole.set(name, (whole.get(name) ?? 0) + micros)
    const file = shortened(url)
    const group = file === '' ? functionName : file
    byFile.set(group, (byFile.get(group) ?? 0) + micros)
  }
  const top = (title: string, from: ReadonlyMap<string, number>, most: number) => {
    console.log(`  ${title}:`)
    for (const [name, micros] of Array.from(from)
      .sort((a, b) => b[1] - a[1])
      .slice(0, most))
      console.log(`  ${((100 * micros) / busy).toFixed(1).padStart(5)} % ${name}`)
  }
  console.log(`  the process was idle for ${((100 * idle) / (busy + idle)).toFixed(0)} % of the time`)
  top('functions by their own time', self, 45)
  top('functions with all that they call', whole, 70)
  top('files', byFile, 30)
}
