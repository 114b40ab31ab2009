import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Entry } from '../../src/practice/books.ts'
import type { Script } from '../../src/practice/script.ts'
import { Random } from '../support/random.ts'

/** Callers of one kind of call, whose worst case is always the same, in budgets of which one follows the other. */
export interface Load {
  readonly clients: number
  readonly calls: number
  readonly seed: number
  /** Addresses that take calls at the moment. */
  readonly urls: () => readonly string[]
  /** The name and the key of the budget that a call belongs to. */
  readonly budgetOf: (call: number) => { readonly name: string; readonly key: string }
  readonly mayStream: boolean
  /** Time after which no further call is made. */
  readonly seconds: number
}

export type Outcomes = Record<string, number>

const model = 'gpt-4o'
const maxTokens = 400
/** Nano-dollars of a token of this model. */
const prices = { input: 2_500, output: 10_000 }

/** What the provider bills for an entry of its books. */
export const billOf = ({ input, output }: Pick<Entry, 'input' | 'output'>): number =>
  input * prices.input + output * prices.output

export const bodyOf = (stream: boolean) => ({
  model,
  max_tokens: maxTokens,
  messages: [{ role: 'user', content: 'a'.repeat(200) }],
  stream,
})

/** Tries of one call while nobody takes it. */
const mostTries = 50

/** The name of the header by which the provider's books tell budgets apart. */
export const budgetHeader = 'x-budget'

/** Makes all calls of a load, and counts how they ended. */
export async function runLoad(load: Load): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  const agent = new Agent({ connections: load.clients, connectTimeout: 5_000 })
  const untilMs = performance.now() + load.seconds * 1_000
  let next = 0
  const client = async (index: number) => {
    const random = new Random(load.seed * 1_000 + index)
    while (next < load.calls && performance.now() < untilMs) {
      const call = next
      next += 1
      // A call that found nobody is made again, as a client would.
      for (let tries = 0; tries < mostTries; tries += 1) {
        const outcome = await oneCall(load, call, random, agent).catch(() => 'broken')
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        if (outcome !== 'broken' && outcome !== '503') break
        await pause(random.between(20, 400))
      }
    }
  }
  await Promise.all(Array.from({ length: load.clients }, (_, i) => client(i)))
  await agent.destroy()
  return outcomes
}

async function oneCall(load: Load, number: number, random: Random, dispatcher: Agent): Promise<string> {
  const urls = load.urls()
  if (urls.length === 0) return 'broken'
  const stream = load.mayStream && random.chance(0.6)
  const script: Script = { output: random.between(1, 500), chunkMs: random.between(0, 2), worst: random.chance(0.3) }
  const { name, key } = load.budgetOf(number)
  const answer = await request(`${random.pick(urls)}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-practice': JSON.stringify(script),
      [budgetHeader]: name,
    },
    body: JSON.stringify(bodyOf(stream)),
    dispatcher,
  })
  answer.body.on('error', () => undefined)
  if (stream && answer.statusCode === 200 && random.chance(0.2)) {
    await pause(random.between(0, 300))
    answer.body.destroy()
    return 'hung up'
  }
  await answer.body.text()
  return String(answer.statusCode)
}
