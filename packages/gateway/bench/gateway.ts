import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchPostgres, makePostgres } from '../../server/bench/support/postgres.ts'
import { prepare, startApi } from '../../server/bench/support/server.ts'
import { watchMachine } from '../proofs/support/machine.ts'
import { benchConfig } from './bench-config.ts'
import { type CallRound, callRound, inTurns, middle, type Target } from './load.ts'
import { benchMemory } from './memory.ts'
import { benchSession } from './session.ts'
import { freePort, startPortkey, startSide } from './sides.ts'

/**
 * `pnpm bench gateway`: a call through the gateway, with admission stubbed and with real holds, beside a bare pipe and Portkey's gateway, in
 * rounds that take turns. Every figure is a ratio within this run.
 */
export async function benchGateway({ smoke, only }: { smoke: boolean; only: readonly string[] }) {
  const wants = (part: string) => only.length === 0 || only.includes(part)
  if (wants('proxy') || wants('holds')) await benchCalls(smoke, wants)
  if (wants('memory')) await benchMemory(smoke)
  if (wants('session')) await benchSession(smoke)
}

const text = 'The weir holds the water back, and lets pass what the river below can take. '
/** A request of the size that coding agents send. */
const messages = Array.from({ length: 10 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant',
  content: text.repeat(28),
}))
const bodyOf = (kind: string) =>
  Buffer.from(
    JSON.stringify({
      model: 'gpt-4o',
      max_tokens: 100,
      user: kind,
      stream: kind !== 'whole',
      tools: Array.from({ length: 12 }, (_, i) => ({
        type: 'function',
        function: { name: `tool_${i}`, description: text.repeat(25), parameters: { type: 'object', properties: {} } },
      })),
      messages,
    }),
  )

async function benchCalls(smoke: boolean, wants: (part: string) => boolean) {
  const machine = watchMachine()
  const [rounds, seconds] = smoke ? [1, 0.5] : [7, 2]
  const mock = await startSide('mock-provider')
  const pipe = await startSide('bare-pipe', [mock.url])
  const ours = await startSide('gateway-process', [mock.url])
  const portkey = smoke ? undefined : await startPortkey(mock.url)
  const stops = [ours.stop, pipe.stop, mock.stop, ...(portkey ? [portkey.stop] : [])]
  try {
    const round = (side: Target, kind: string, connections: number) => () =>
      callRound(side, bodyOf(kind), connections, seconds)
    const sidesFor = (kind: string, connections: number) => ({
      direct: round(mock, kind, connections),
      pipe: round(pipe, kind, connections),
      ours: round(ours, kind, connections),
      ...(portkey && { portkey: round(portkey, kind, connections) }),
    })
    if (portkey === undefined) console.log('Portkey is left out')
    if (wants('proxy')) {
      // Code is compiled by the first calls.
      await inTurns(1, sidesFor('whole', 8))
      await inTurns(1, sidesFor('stream', 8))
      report('46 KiB, 1 connection', await inTurns(rounds, sidesFor('whole', 1)), smoke, [
        ['CPU of ours / pipe', 'cpu', 'pipe', 1.5],
        ['CPU of ours / Portkey', 'cpu', 'portkey', 0.3],
        ['added p50 of ours / pipe', 'added', 'pipe', 1.5],
        ['added p50 of ours / Portkey', 'added', 'portkey', 0.3],
      ])
      report('46 KiB, 50 connections', await inTurns(rounds, sidesFor('whole', 50)), smoke, [
        ['calls a second of pipe / ours', 'rate', 'pipe', 1 / 0.7],
        ['calls a second of Portkey / ours', 'rate', 'portkey', 1 / 3],
      ])
      report('streams, 4 connections', await inTurns(rounds, sidesFor('stream', 4)), smoke, [
        ['added time to the first byte of ours / pipe', 'first', 'pipe', 1.5],
        ['added time to the first byte of ours / Portkey', 'first', 'portkey', 0.1],
      ])
    }
    if (wants('holds')) await benchHolds(smoke, { mock, ours }, rounds, seconds)
  } finally {
    for (const stop of stops) stop()
  }
  console.log(`  ${machine()}`)
}

type Bar = readonly [title: string, of: 'cpu' | 'added' | 'rate' | 'first', against: 'pipe' | 'portkey', bar: number]

function report(title: string, by: ReadonlyMap<string, CallRound[]>, smoke: boolean, bars: readonly Bar[]) {
  for (const name of by.keys()) {
    const figure = (of: keyof CallRound, digits = 2) => middle(by, name, of).toFixed(digits)
    console.log(
      `${title}, ${name}: ${figure('rate', 0)}/s, p50 ${figure('p50')} ms, first byte ${figure('firstByte')} ms, CPU ${figure('cpuMicros', 0)} µs`,
    )
  }
  const added = (name: string, of: 'p50' | 'firstByte') => middle(by, name, of) - middle(by, 'direct', of)
  const ratios = {
    cpu: (name: string) => middle(by, 'ours', 'cpuMicros') / middle(by, name, 'cpuMicros'),
    added: (name: string) => added('ours', 'p50') / added(name, 'p50'),
    rate: (name: string) => middle(by, name, 'rate') / middle(by, 'ours', 'rate'),
    first: (name: string) => added('ours', 'firstByte') / added(name, 'firstByte'),
  }
  for (const [what, of, against, bar] of bars) if (by.has(against)) judge(what, ratios[of](against), bar, smoke)
}

function judge(what: string, ratio: number, bar: number, isShownOnly: boolean) {
  const isMet = ratio <= bar
  console.log(`  ${what}: ${ratio.toFixed(3)} (bar ${bar.toFixed(2)}${isMet ? '' : ', missed'})`)
  if (!isShownOnly && !isMet) process.exitCode = 1
}

/** What an agent does between two calls, at the least: the settlement of the one is over when the next begins. */
const pauseOfAgents = 20

/** Real holds over the wire, against the start of a run alone. */
async function benchHolds(smoke: boolean, sides: { mock: Target; ours: Target }, rounds: number, seconds: number) {
  const postgres = makePostgres()
  try {
    await postgres.start()
    const [org] = await prepare(postgres, 1)
    const api = await startApi(postgres)
    const weirUrl = `http://127.0.0.1:${api.port}`
    const real = await startSide('gateway-process', [sides.mock.url, weirUrl], { key: org!.key })
    const within = await startInside(postgres, sides.mock.url)
    const inside: Target = { ...real, ...within }
    const runs: Target = { ...real, url: weirUrl, pid: api.pid, path: '/v1/runs' }
    const run = Buffer.from(
      JSON.stringify({
        model: 'gpt-4o',
        input_tokens: 50_000,
        max_output_tokens: 116,
        input: messages.map(({ content }) => content),
      }),
    )
    const [whole, one] = [bodyOf('whole'), 1]
    for (const pauseMs of [pauseOfAgents, 0]) {
      const round = (side: Target, body: Buffer) => () => callRound(side, body, one, seconds, pauseMs)
      const turns = {
        proxy: round(sides.ours, whole),
        real: round(real, whole),
        inside: round(inside, whole),
        runs: round(runs, run),
      }
      await inTurns(1, turns)
      const by = await inTurns(rounds, turns)
      const [proxy, held, indoors, alone] = ['proxy', 'real', 'inside', 'runs'].map((side) =>
        middle(by, side, 'p50'),
      ) as [number, number, number, number]
      const pace =
        pauseMs > 0
          ? `a pause of ${pauseMs} ms after each call`
          : 'without a pause, each beside the settlement of the call before'
      console.log(
        `holds, 46 KiB, 1 connection, ${pace}: p50 ${held.toFixed(2)} ms, in the api role ${indoors.toFixed(2)} ms, without them ${proxy.toFixed(2)} ms, the start of a run alone ${alone.toFixed(2)} ms`,
      )
      judge('added by holds / start of a run', (held - proxy) / alone, 1.2, smoke || pauseMs === 0)
      judge('added by holds in the api role / outside', (indoors - proxy) / (held - proxy), 0.8, smoke || pauseMs === 0)
    }
    real.stop()
    await within.stop()
    await api.stop()
  } finally {
    await postgres.remove()
  }
}

/** Starts an api role that has the gateway inside. */
async function startInside(postgres: BenchPostgres, provider: string) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-inside-'))
  const file = join(folder, 'gateway.json')
  const port = await freePort()
  writeFileSync(file, JSON.stringify(benchConfig(provider, { port })))
  const api = await startApi(postgres, { settings: { SVC_GATEWAY_CONFIG: file } })
  return {
    url: `http://127.0.0.1:${port}`,
    pid: api.pid,
    stop: async () => {
      await api.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
