import { median } from './statistics.ts'

/** One round of one side. */
export interface Round {
  readonly rate: number
  /** The share that was answered with 503. */
  readonly refused?: number
  readonly p50?: number
  readonly p99?: number
  /** Per operation: of the process that serves, and of PostgreSQL. */
  readonly nodeMicros?: number
  readonly postgresMicros?: number
}

/** Sides take turns, since the machine's speed changes from minute to minute: only ratios within a round mean something. */
export async function alternate<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<Round>>,
): Promise<Record<Side, Round[]>> {
  const names = Object.keys(sides) as Side[]
  const all = Object.fromEntries(names.map((name) => [name, [] as Round[]])) as Record<Side, Round[]>
  for (let i = 0; i < rounds; i++) for (const name of names) all[name].push(await sides[name]())
  return all
}

const middle = (rounds: readonly Round[], name: keyof Round) => median(rounds.map((round) => round[name] ?? 0))

export const rateOf = (rounds: readonly Round[]) => `${middle(rounds, 'rate').toFixed(0)}/s`

export function described(rounds: readonly Round[]) {
  const parts = [rateOf(rounds)]
  if (rounds[0]!.p50 !== undefined)
    parts.push(`p50 ${middle(rounds, 'p50').toFixed(2)} ms, p99 ${middle(rounds, 'p99').toFixed(2)} ms`)
  if (rounds[0]!.nodeMicros !== undefined) {
    const [node, postgres] = [middle(rounds, 'nodeMicros'), middle(rounds, 'postgresMicros')]
    parts.push(`CPU each ${node.toFixed(0)} µs Node + ${postgres.toFixed(0)} µs PostgreSQL`)
  }
  const refused = middle(rounds, 'refused')
  if (refused > 0) parts.push(`${(100 * refused).toFixed(1)} % refused as too many`)
  return parts.join(', ')
}

/** The ratio of two sides, judged by its bar; a smoke run judges nothing. */
export function ratioOf(a: readonly Round[], b: readonly Round[], options: { bar?: number; smoke: boolean }) {
  const ratios = a.map(({ rate }, i) => rate / b[i]!.rate)
  const { bar, smoke } = options
  if (!smoke && bar !== undefined && median(ratios) < bar) process.exitCode = 1
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  return `ratio ${median(ratios).toFixed(2)} (${least}–${most}${bar === undefined ? '' : `, bar ${bar}`})`
}

export function percentiles(times: number[]) {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}
