import type { Random } from '../../test/support/random.ts'
import { runnable } from './provider.ts'

/** The moves of a caller that wants to spend more than it is counted for. They are plain data, so that a sequence can be repeated and shortened. */

/** The use that a caller makes of a permit: of each kind of tokens a multiple of what it declared. */
export interface Use {
  readonly share: number
  readonly cache: 'none' | 'read' | 'write'
}

type Body = Readonly<Record<string, unknown>>

export type Move =
  | {
      readonly move: 'ask'
      readonly route: 'edge' | 'start'
      readonly body: Body
      readonly idempotencyKey?: string
      readonly use: Use
    }
  /** Calls the provider once more with a permit that it has. */
  | { readonly move: 'use again'; readonly permit: number; readonly use: Use }
  | { readonly move: 'report'; readonly route: 'finish' | 'bulk'; readonly permit: number; readonly body: Body }
  | { readonly move: 'report truly'; readonly permit: number }
  | { readonly move: 'release' | 'extend'; readonly permit: number }
  /** Asks for more under a permit that it has, and uses it. */
  | { readonly move: 'raise'; readonly permit: number; readonly body: Body; readonly use: Use }
  | { readonly move: 'record'; readonly body: Body }
  /** Ends a run of somebody else. */
  | { readonly move: 'end another’s'; readonly permit: number; readonly body: Body }
  /** Asks for a key without limits, and goes on with it. */
  | { readonly move: 'mint' | 'rotate' }
  /** Another agent, honest, asks and uses exactly what it asked for. */
  | { readonly move: 'neighbour'; readonly idempotencyKey?: string }
  | { readonly move: 'wait'; readonly seconds: number }
  /** An administrator rotates the caller's key. */
  | { readonly move: 'key is rotated' }

/** The request that every agent of the organization makes. */
export const usualBody = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }

const spellings: readonly ((model: string) => string)[] = [
  (model) => model,
  (model) => model,
  (model) => model.toUpperCase(),
  (model) => `${model} `,
  (model) => `\u00a0${model}`,
  (model) => model.replaceAll('-', '\u2011'),
  (model) => model.replaceAll('-', '_'),
  (model) => model.replaceAll('-', ' '),
  (model) => `${model}\u200b`,
  (model) => model.replace('o', 'о'),
  (model) => model.replace('g', 'ｇ'),
  (model) => `${model}/`,
  (model) => `models/${model}`,
  (model) => `${runnable[model]}/${model}`,
  (model) => `${model}:latest`,
  (model) => `${model}-2024-08-06`,
  (model) => `${model}/llama-local`,
  (model) => `openai/${model}/llama-local`,
]
const departments = ['research', 'Research', ' research', 'research\u200b', 'ｒesearch', 'resеarch', '-', ' ', 'other']

/** Draws a sequence of moves. */
export function drawMoves(random: Random, length: number): Move[] {
  const models = [random.pick(Object.keys(runnable)), random.pick(Object.keys(runnable))]
  const draws: readonly (readonly [number, () => Move])[] = [
    [10, () => ask(random, models)],
    [2, () => ({ move: 'use again', permit: random.int(8), use: drawUse(random) })],
    [5, () => ({ move: 'report', route: drawRoute(random), permit: random.int(8), body: drawReport(random) })],
    [4, () => ({ move: 'report truly', permit: random.int(8) })],
    [3, () => ({ move: 'release', permit: random.int(8) })],
    [1, () => ({ move: 'extend', permit: random.int(8) })],
    [1, () => ({ move: 'record', body: { ...drawReport(random), model: spelled(random, models) } })],
    [1, () => ({ move: 'end another’s', permit: random.int(4), body: drawReport(random) })],
    [1, () => ({ move: random.pick(['mint', 'rotate'] as const) })],
    [2, () => ({ move: 'neighbour', ...(random.chance(0.7) && { idempotencyKey: drawKey(random) }) })],
    [3, () => ({ move: 'wait', seconds: random.pick([1, 60, 700]) })],
    [1, () => ({ move: 'key is rotated' })],
  ]
  const lots = draws.flatMap(([weight, draw]) => Array.from({ length: weight }, () => draw))
  // Without a permit there is little to do.
  return [ask(random, models), ...Array.from({ length: length - 1 }, () => random.pick(lots)())]
}

/** Puts a raise after every other move. The moves themselves stay those of their seed. */
export const withRaises = (moves: readonly Move[], random: Random): Move[] =>
  moves.flatMap((move, i) => (i % 2 === 0 ? [move, drawRaise(random)] : [move]))

const drawRaise = (random: Random): Move => ({
  move: 'raise',
  permit: random.int(8),
  body: {
    lease_seconds: random.pick([1, 60]),
    ...random.pick([
      { max_output_tokens: 1 },
      { max_output_tokens: 4_000 },
      { max_output_tokens: 16_000 },
      { estimated_cost_usd: '0' },
      { estimated_cost_usd: '0.000001' },
      { estimated_cost_usd: '0.05' },
      { estimated_cost_usd: '0.5', max_output_tokens: 4_000 },
    ]),
  },
  use: drawUse(random),
})

const drawKey = (random: Random) => random.pick(['call-1', 'call-2'])
const drawRoute = (random: Random) => random.pick(['finish', 'bulk'] as const)
const drawUse = (random: Random): Use => ({
  share: random.pick([0, 0.5, 1, 1, 1, 40]),
  cache: random.pick(['none', 'read', 'write', 'write'] as const),
})
const spelled = (random: Random, models: readonly string[]) => random.pick(spellings)(random.pick(models))

function ask(random: Random, models: readonly string[]): Move {
  const maybe = (name: string, probability: number, values: readonly unknown[]) =>
    random.chance(probability) ? { [name]: random.pick(values) } : {}
  const body = random.pick([
    usualBody,
    { model: spelled(random, models), estimated_cost_usd: '0' },
    { model: spelled(random, models), input_tokens: 0, max_output_tokens: 0 },
    { model: spelled(random, models), input_tokens: 20_000, max_output_tokens: 1 },
    ...Array.from({ length: 6 }, () => ({
      model: spelled(random, models),
      ...maybe('input_tokens', 0.8, [0, 1, 1_000, 20_000, 250_000]),
      ...maybe('max_output_tokens', 0.8, [0, 1, 200, 2_000]),
      ...maybe('estimated_cost_usd', 0.3, ['0', '0.000001', '0.01']),
      ...maybe('service_tier', 0.3, ['standard', 'priority', 'flex', 'batch']),
      ...maybe('lease_seconds', 0.5, [1, 5, 60]),
      ...maybe('workflow_id', 0.2, ['pinned', 'elsewhere', ' pinned', 'Pinned']),
      ...maybe('department_id', 0.3, departments),
      ...maybe('customer_id', 0.1, ['acme', 'acme ', 'Acme']),
      ...maybe('user_id', 0.1, ['somebody-else']),
      ...maybe('tags', 0.1, [['a'], []]),
      ...maybe('dry_run', 0.05, [true]),
    })),
  ])
  return {
    move: 'ask',
    route: random.pick(['edge', 'start'] as const),
    body,
    ...(random.chance(body === usualBody ? 0.7 : 0.2) && { idempotencyKey: drawKey(random) }),
    use: drawUse(random),
  }
}

/** A report that is not true. */
const drawReport = (random: Random): Body => ({
  status: random.pick(['succeeded', 'failed', 'cancelled'] as const),
  ...random.pick([
    {},
    { cost_usd: '0' },
    { cost_usd: '0', input_tokens: 1, output_tokens: 1 },
    { input_tokens: 0, output_tokens: 0 },
    { output_tokens: 0 },
    { input_tokens: 1_000, cache_read_input_tokens: 1_000, output_tokens: 1 },
    { input_tokens: 1_000, output_tokens: 1_000, model: 'gpt-4.1-nano' },
    { input_tokens: 1_000, output_tokens: 1_000, model: 'llama-local' },
    { input_tokens: 100_000, output_tokens: 10_000 },
    { cost_usd: '3' },
  ]),
})
