import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { suspend } from '../../test/support/programs.ts'
import { Random } from '../../test/support/random.ts'
import { call } from '../../test/support/tenants.ts'
import { exchange } from '../storm/exchange.ts'
import { createOrg, type RunningCell, type RunningCells, type RunningOrg } from './cells.ts'

/** What may happen to those who take part, when the mover has reached some step. */
export const moveDisasters = [
  'none',
  'mover killed',
  'mover paused',
  'source killed',
  'target killed',
  'link cut',
] as const
export type MoveDisaster = (typeof moveDisasters)[number]
const steps = [
  'opened',
  'copied',
  'caught up',
  'counted',
  'frozen',
  'rested',
  'compared',
  'sealed',
  'flipped',
  'active',
] as const

export interface MoveStormOptions {
  readonly seed: number
  readonly clients: number
  /** Runs that the organization has before it moves. */
  readonly runs: number
  readonly operator: string
  readonly disaster?: MoveDisaster
}

export interface MoveStormFigures {
  readonly faults: readonly string[]
  readonly disaster: string
  readonly runs: number
  readonly calls: number
  /** Answers of 503, or none, before the one that counted. */
  readonly retried: number
  /** Longest time in which no caller had an answer that counted. */
  readonly longestPauseMs: number
  readonly frozenSeconds: number | null
  readonly movers: number
  readonly webhooks: number
}

/** A run as its caller knows it. */
interface KnownRun {
  readonly id: string
  readonly costUsd: string
}

const bulkSize = 1_000
const bulksAtOnce = 4
const question = { model: 'gpt-4o', input_tokens: 2_000, max_output_tokens: 1_000 }

/** The log that callers keep of what they were told. */
class Journal {
  readonly ended = new Map<string, KnownRun>()
  readonly open = new Set<string>()
  refused = 0
  calls = 0
  retried = 0
  lastMs = performance.now()
  longestPauseMs = 0
  readonly faults: string[] = []

  answered() {
    const nowMs = performance.now()
    this.longestPauseMs = Math.max(this.longestPauseMs, nowMs - this.lastMs)
    this.lastMs = nowMs
    this.calls++
  }
}

/** Moves an organization while callers work through both cells and something breaks; then compares what they were told with what can be read. */
export async function runMoveStorm(cells: RunningCells, options: MoveStormOptions): Promise<MoveStormFigures> {
  const random = new Random(options.seed)
  const journal = new Journal()
  const org = await createOrg(cells.us, options.operator)
  await must(cells.us, org, 'PUT', `/v1/orgs/${org.id}/scoped-budget?scope_kind=workflow&scope_id=small&period=month`, {
    name: 'Small',
    limit_usd: '0.2',
  })
  await must(cells.us, org, 'POST', `/v1/orgs/${org.id}/budgets`, {
    name: 'All',
    scope_kind: 'org',
    limit_usd: String(40 + options.runs),
    period: 'month',
  })
  await recordBefore(journal, org, cells.us, options.runs)
  await must(cells.us, org, 'POST', `/v1/orgs/${org.id}/webhooks`, {
    url: cells.receiverUrl,
    events: ['run.finished'],
  })
  const before = new Set(journal.ended.keys())

  let isOver = false
  journal.lastMs = performance.now()
  journal.longestPauseMs = 0
  const clients = Array.from({ length: options.clients }, (_, index) =>
    work(journal, org, cells, new Random(options.seed * 1_000 + index), `c${options.seed}-${index}`, () => isOver),
  )
  await sleep(300)
  const disaster = options.disaster ?? random.pick(moveDisasters)
  const at = random.pick(steps)
  const { frozenSeconds, movers } = await moveWith(cells, org, disaster, at, journal)
  await sleep(500)
  isOver = true
  await Promise.all(clients)
  await compare(cells, org, journal)
  const webhooks = await compareWebhooks(
    cells.received,
    [...journal.ended.keys()].filter((run) => !before.has(run)),
    journal,
  )
  return {
    faults: journal.faults,
    disaster: disaster === 'none' ? disaster : `${disaster} at ${at}`,
    runs: journal.ended.size,
    calls: journal.calls,
    retried: journal.retried,
    longestPauseMs: Math.round(journal.longestPauseMs),
    frozenSeconds,
    movers,
    webhooks,
  }
}

/** Runs the command until the organization has moved, and lets the disaster happen once. */
async function moveWith(cells: RunningCells, org: RunningOrg, disaster: MoveDisaster, at: string, journal: Journal) {
  const { us, eu } = cells
  let isDue = disaster !== 'none'
  for (let movers = 1; movers <= 12; movers++) {
    const mover = us.start('orgs', 'move', org.id, '--to', 'eu1', '--json')
    let known = 0
    const watch = setInterval(() => {
      for (const line of mover.errors.slice(known)) {
        known++
        if (!isDue || !line.includes(`"step":"${at}"`)) continue
        isDue = false
        void strike(disaster, mover.process, us, eu).catch((error: unknown) => journal.faults.push(String(error)))
      }
    }, 1)
    const code = await mover.exit
    clearInterval(watch)
    const [view] = mover.lines as unknown as { state?: string; frozen_seconds?: number }[]
    if (code === 0 && view?.state === 'done') {
      await settled
      return { frozenSeconds: view.frozen_seconds ?? null, movers }
    }
    await settled
    await sleep(200)
  }
  journal.faults.push('the organization has not moved after twelve tries')
  return { frozenSeconds: null, movers: 12 }
}

let settled: Promise<void> = Promise.resolve()

function strike(
  disaster: MoveDisaster,
  mover: { kill: (signal: NodeJS.Signals) => boolean },
  us: RunningCell,
  eu: RunningCell,
): Promise<void> {
  settled = (async () => {
    if (disaster === 'mover killed') mover.kill('SIGKILL')
    if (disaster === 'mover paused') {
      await suspend(mover as Parameters<typeof suspend>[0])
      await sleep(1_500)
      mover.kill('SIGCONT')
    }
    const cell = disaster === 'source killed' ? us : disaster === 'target killed' ? eu : undefined
    if (cell) {
      cell.api().process.kill('SIGKILL')
      await cell.api().exit
      await cell.restart()
    }
    if (disaster === 'link cut') {
      eu.way.cut()
      await sleep(1_000)
      eu.way.mend()
    }
  })()
  return settled
}

/** Asks until there is an answer that counts, through either cell, always with one key. */
async function insist(
  journal: Journal,
  org: RunningOrg,
  cells: () => readonly RunningCell[],
  agent: Agent,
  method: string,
  path: string,
  body: object,
  key: string,
) {
  for (let attempt = 0; ; attempt++) {
    const list = cells()
    const { port } = new URL(list[attempt % list.length]!.url)
    const reply = await exchange(agent, {
      port: Number(port),
      method,
      path,
      key: org.key,
      body: JSON.stringify(body),
      idempotencyKey: key,
      timeoutMs: 20_000,
    })
    if (reply.status !== 0 && reply.status !== 503 && reply.status !== 409 && reply.status !== 429) {
      journal.answered()
      return { status: reply.status, text: reply.text, json: JSON.parse(reply.text) as Record<string, unknown> }
    }
    journal.retried++
    if (attempt > 2_000) throw new Error(`${method} ${path} was never answered: ${reply.status} ${reply.text}`)
    await sleep(20)
  }
}

/** A caller that lives one call after another. */
async function work(
  journal: Journal,
  org: RunningOrg,
  cells: RunningCells,
  random: Random,
  name: string,
  isOver: () => boolean,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const both = () => (random.chance(0.5) ? [cells.us, cells.eu] : [cells.eu, cells.us])
  try {
    for (let turn = 0; !isOver(); turn++) {
      const key = `${name}-${turn}`
      if (random.chance(0.2)) await record(journal, org, both, key, 20, agent)
      else await live(journal, org, both, key, agent, random)
    }
  } catch (error) {
    journal.faults.push(String(error))
  } finally {
    agent.destroy()
  }
}

async function live(
  journal: Journal,
  org: RunningOrg,
  cells: () => readonly RunningCell[],
  key: string,
  agent: Agent,
  random: Random,
) {
  const isSmall = random.chance(0.3)
  const body = { ...question, external_id: key, ...(isSmall && { workflow_id: 'small' }) }
  const started = await insist(journal, org, cells, agent, 'POST', '/v1/runs', body, `${key}-start`)
  if (started.status === 402) {
    journal.refused++
    return
  }
  const id = String(started.json['id'])
  if (started.status !== 201) {
    journal.faults.push(`start: ${started.status} ${started.text}`)
    return
  }
  journal.open.add(id)
  if (random.chance(0.05)) return
  const end = { status: 'succeeded', input_tokens: 2_000, output_tokens: random.int(1_000) }
  const finished = await insist(journal, org, cells, agent, 'POST', `/v1/runs/${id}/finish`, end, `${key}-finish`)
  if (finished.status !== 200) {
    journal.faults.push(`finish: ${finished.status} ${finished.text}`)
    return
  }
  journal.open.delete(id)
  journal.ended.set(id, { id, costUsd: String(finished.json['cost_usd']) })
}

async function record(
  journal: Journal,
  org: RunningOrg,
  cells: () => readonly RunningCell[],
  key: string,
  count: number,
  agent: Agent,
) {
  const runs = Array.from({ length: count }, (_, i) => ({
    external_id: `${key}-${i}`,
    model: 'gpt-4o',
    status: 'succeeded',
    input_tokens: 100,
    output_tokens: 10 + i,
    started_at: new Date(Date.now() - 60_000).toISOString(),
    ended_at: new Date(Date.now() - 30_000).toISOString(),
  }))
  const answer = await insist(journal, org, cells, agent, 'POST', '/v1/runs/bulk', { runs }, `${key}-bulk`)
  const results = answer.json['results'] ?? answer.json['data']
  if (answer.status >= 300 || !Array.isArray(results)) {
    journal.faults.push(`bulk: ${answer.status} ${answer.text.slice(0, 300)}`)
    return
  }
  for (const result of results as { id?: string; run_id?: string; cost_usd?: string; error?: object }[]) {
    const id = result.id ?? result.run_id
    if (id === undefined || result.error !== undefined) journal.faults.push(`bulk: ${JSON.stringify(result)}`)
    else journal.ended.set(id, { id, costUsd: result.cost_usd ?? '' })
  }
}

/** Records the runs that the organization has before it moves. */
async function recordBefore(journal: Journal, org: RunningOrg, cell: RunningCell, runs: number) {
  let from = 0
  const recorder = async () => {
    const agent = new Agent({ keepAlive: true })
    while (from < runs) {
      const first = from
      from += bulkSize
      await record(journal, org, () => [cell], `before-${first}`, Math.min(bulkSize, runs - first), agent)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: bulksAtOnce }, recorder))
}

async function must(cell: RunningCell, org: RunningOrg, method: string, path: string, body: object) {
  const answer = await call(cell.url, method, path, { key: org.key, body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer
}

/** Reads everything an outsider can read, at the new home, and compares it with what callers were told. */
async function compare({ eu, us }: RunningCells, org: RunningOrg, journal: Journal) {
  const read = async (path: string, cell = eu) => {
    for (let attempt = 0; ; attempt++) {
      const answer = await call(cell.url, 'GET', path, { key: org.key })
      if (answer.status === 200) return answer.json
      if (answer.status !== 503 || attempt > 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      await sleep(50)
    }
  }
  const found = new Map<string, { status: string; cost: string | null }>()
  for (let cursor = ''; ; ) {
    const page = await read(`/v1/runs?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    for (const run of page['data'] as { id: string; status: string; cost_usd: string | null }[]) {
      if (found.has(run.id)) journal.faults.push(`${run.id} is listed twice`)
      found.set(run.id, { status: run.status, cost: run.cost_usd })
    }
    if (typeof page['next_cursor'] !== 'string') break
    cursor = page['next_cursor']
  }
  for (const { id, costUsd } of journal.ended.values()) {
    const run = found.get(id)
    if (!run) journal.faults.push(`${id} is lost`)
    else if (costUsd !== '' && run.cost !== costUsd)
      journal.faults.push(`${id} cost ${costUsd} and is listed with ${String(run.cost)}`)
  }
  for (const id of journal.open)
    if (found.get(id)?.status !== 'running') journal.faults.push(`${id} runs no longer: ${found.get(id)?.status}`)
  for (const id of found.keys())
    if (!journal.ended.has(id) && !journal.open.has(id)) journal.faults.push(`${id} was told to nobody`)

  const budgets = (await read(`/v1/orgs/${org.id}/budgets`))['data'] as {
    name: string
    limit_usd: string
    spent_usd: string
    held_usd: string
  }[]
  for (const { name, limit_usd, spent_usd, held_usd } of budgets)
    if (nano(spent_usd) + nano(held_usd) > nano(limit_usd))
      journal.faults.push(`${name} has passed its limit of ${limit_usd}: ${spent_usd} and ${held_usd}`)
  const all = budgets.find(({ name }) => name === 'All')
  const spent = [...found.values()].reduce(
    (sum, { status, cost }) => (status === 'running' ? sum : sum + nano(cost ?? '0')),
    0n,
  )
  if (all && nano(all.spent_usd) !== spent)
    journal.faults.push(`the budget has spent ${all.spent_usd}, the runs ${spent} nano-dollars`)
  const chain = await read(`/v1/orgs/${org.id}/audit-log/verify`)
  if (chain['valid'] !== true) journal.faults.push(`the audit chain is broken: ${JSON.stringify(chain)}`)
  const books = JSON.parse(eu.run('verify')) as { faults: object[] }
  if (books.faults.length > 0)
    journal.faults.push(`the books do not balance: ${JSON.stringify(books.faults).slice(0, 500)}`)
  const through = await read('/v1/me', us)
  if (through['org_id'] !== org.id) journal.faults.push('the old cell does not lead to the new one')
}

/** Waits until the endpoint has heard of every run that ended, each by one event however often that was sent. Returns how many were heard of. */
async function compareWebhooks(
  received: readonly string[],
  runs: readonly string[],
  journal: Journal,
): Promise<number> {
  const giveUpMs = performance.now() + 120_000
  for (;;) {
    const eventsOf = new Map<string, Set<string>>()
    for (const body of received) {
      const { id, data } = JSON.parse(body) as { id: string; data: { run_id: string } }
      const events = eventsOf.get(data.run_id) ?? new Set()
      eventsOf.set(data.run_id, events.add(id))
    }
    const missing = runs.filter((run) => !eventsOf.has(run))
    if (missing.length > 0 && performance.now() < giveUpMs) {
      await sleep(100)
      continue
    }
    for (const run of missing.slice(0, 5))
      journal.faults.push(`nobody was told that ${run} ended (${missing.length} of these)`)
    for (const run of runs)
      if ((eventsOf.get(run)?.size ?? 0) > 1) journal.faults.push(`two events say that ${run} ended`)
    return runs.length - missing.length
  }
}

/** Nano-dollars of an amount in dollars. */
function nano(usd: string): bigint {
  const [whole = '0', part = ''] = usd.split('.')
  return BigInt(whole) * 1_000_000_000n + BigInt(part.padEnd(9, '0'))
}
