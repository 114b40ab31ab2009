import { type Agent, request } from 'undici'
import type { Entry } from '../../src/practice/books.ts'
import type { Script } from '../../src/practice/script.ts'
import type { Random } from './random.ts'
import type { Site } from './site.ts'

/** Streams of several kinds, each with the prices by which the provider's books become money. */
export interface Kind {
  readonly path: string
  readonly body: object
  /** Nano-dollars of a token. */
  readonly prices: { readonly input: number; readonly output: number }
  readonly hides: boolean
  readonly drains: boolean
}

const message = {
  role: 'user',
  content: 'Tell me about weirs, please: how they hold water back, and what passes over them.',
}
export const maximum = 4_000
export const kinds: Readonly<Record<string, Kind>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'gpt-4o', max_tokens: maximum, messages: [message], stream: true },
    prices: { input: 2_500, output: 10_000 },
    hides: false,
    drains: false,
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'claude-sonnet-4-5', max_tokens: maximum, messages: [message], stream: true },
    prices: { input: 3_000, output: 15_000 },
    hides: false,
    drains: false,
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'gpt-5', max_output_tokens: maximum, input: message.content, stream: true },
    prices: { input: 1_250, output: 10_000 },
    hides: true,
    drains: false,
  },
  drained: {
    path: '/p/drained/v1/messages',
    body: { model: 'claude-sonnet-4-5', max_tokens: 300, messages: [message], stream: true },
    prices: { input: 3_000, output: 15_000 },
    hides: false,
    drains: true,
  },
}

/** Time between two tokens: models of today say about 50 to 150 a second. */
export const paceMs = [7, 20] as const
/** The header by which the provider's books tell calls apart. */
export const nameHeader = 'x-case'

export const billOf = ({ prices }: Kind, { input, output }: Pick<Entry, 'input' | 'output'>): number =>
  input * prices.input + output * prices.output

/** Asks the first gateway for a stream, or another address; its run has the name as its workflow. */
export const streamFor = (
  { gateways, tenant }: Site,
  { kind, name }: { readonly kind: Kind; readonly name: string },
  script: Script,
  dispatcher: Agent,
  signal?: AbortSignal,
  url = gateways[0]!.url,
) =>
  request(`${url}${kind.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'application/json',
      'x-weir-workflow': name,
      'x-practice': JSON.stringify(script),
      [nameHeader]: name,
    },
    body: JSON.stringify(kind.body),
    dispatcher,
    signal: signal ?? null,
  })

const lessons = 25

/** Lets a gateway see complete answers of its models, as one that is in service has. */
export async function teach(site: Site, agent: Agent, random: Random) {
  const lesson = async (kind: Kind) => {
    const script: Script = { output: 150, chunkMs: random.between(...paceMs) }
    const { body } = await streamFor(site, { kind, name: 'lesson' }, script, agent)
    await body.text()
  }
  await Promise.all(Object.values(kinds).flatMap((kind) => Array.from({ length: lessons }, () => lesson(kind))))
}

/** Reads what every run was charged, by the name of its call. */
export async function allRuns({ ask }: Site): Promise<Map<string, number>> {
  const runs = new Map<string, number>()
  for (let cursor = ''; ; ) {
    const page = await ask('GET', `/v1/runs?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    for (const run of page['data'] as Record<string, unknown>[])
      runs.set(String(run['workflow_id']), Math.round(Number(run['cost_usd'] ?? 0) * 1e9))
    if (typeof page['next_cursor'] !== 'string') return runs
    cursor = page['next_cursor']
  }
}
