import { readFileSync } from 'node:fs'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { median } from '../../server/bench/support/statistics.ts'
import { servicesUp } from '../../server/scripts/private-services.ts'
import { Random } from '../proofs/support/random.ts'
import { openSite, type Site } from '../proofs/support/site.ts'

/**
 * Sessions of a coding agent near a limit, through real gateways before a provider that keeps books, with real budgets. They are generated, since
 * no recorded one may stand in this repository: tools and a system prompt of the size that such agents send, texts of this repository as results
 * of tools, the whole history in each turn, and a cache as the provider has it. The least hold is that of the shortest output, because what is granted
 * beyond it is as much as there is room for. In each turn a tenth of what the session costs is left. A turn
 * that is refused is sent again with more, as by somebody who raises the budget.
 */
export async function benchSession(smoke: boolean) {
  servicesUp()
  const memories = ['off', 'near_limit', 'always'] as const
  const site = await openSite({ apis: 1, gateways: memories.length, config: memories.map((memory) => ({ memory })) })
  try {
    for (const caches of smoke ? (['5m'] as const) : (['5m', 'none', '1h'] as const)) {
      const turns = sessionOf(smoke ? 10 : 60, caches)
      for (const [i, memory] of memories.entries()) await runSession(site, i, turns, memory, caches)
    }
  } finally {
    await site.close()
  }
}

/** Dollars of a million tokens of claude-opus-4-8. */
const prices = { input: 5, written: { none: 5, '5m': 6.25, '1h': 10 }, read: 0.5, output: 25 }
type Caches = keyof typeof prices.written
/** The longest output that such agents ask for. */
const maximum = 128_000
/** The shortest output that a call is made to fit with. */
const fitFloor = 1_024
const usd = (tokens: number, price: number) => (tokens * price) / 1_000_000

interface Turn {
  readonly body: object
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly cost: number
}

function sessionOf(length: number, caches: Caches): Turn[] {
  const random = new Random(1)
  const material = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8')
  const excerpt = (size: number) => {
    const at = random.between(0, material.length - size)
    return material.slice(at, at + size)
  }
  const control = caches === 'none' ? {} : { cache_control: { type: 'ephemeral', ttl: caches } }
  const tools = Array.from({ length: 12 }, (_, i) => ({
    name: `tool_${i}`,
    description: excerpt(2_200),
    input_schema: { type: 'object', properties: { path: { type: 'string', description: excerpt(60) } } },
  }))
  const system = [{ type: 'text', text: material.slice(0, 12_000), ...control }]
  const messages: object[] = [{ role: 'user', content: [{ type: 'text', text: excerpt(400) }] }]
  let last = messages[0]!
  let history: object[] = []
  let cached = 0
  const turns: Turn[] = []
  for (let i = 0; i < length; i += 1) {
    // The cache begins at the last message, as agents have it.
    const { content } = last as { content: object[] }
    const marked = { ...last, content: content.map((part) => ({ ...part, ...control })) }
    const body = { model: 'claude-opus-4-8', max_tokens: maximum, system, tools, messages: [...history, marked] }
    const input = countTokens(JSON.stringify(body))
    const output = random.between(60, 1_500)
    const read = caches === 'none' ? 0 : cached
    const cost = usd(read, prices.read) + usd(input - read, prices.written[caches]) + usd(output, prices.output)
    turns.push({ body, input, cached: read, output, cost })
    cached = input
    const answer = { type: 'tool_use', id: `t${i}`, name: 'tool_1', input: { path: excerpt(40) } }
    const result = { type: 'tool_result', tool_use_id: `t${i}`, content: excerpt(random.between(200, 6_000)) }
    history = [...history, last, { role: 'assistant', content: [answer] }]
    last = { role: 'user', content: [result] }
  }
  return turns
}

async function runSession(
  { ask, tenant, provider, gateways }: Site,
  gateway: number,
  turns: readonly Turn[],
  memory: string,
  caches: Caches,
) {
  const name = `session-${memory}-${caches}`
  const path = `/v1/orgs/${tenant.id}/budgets`
  const scope = { scope_kind: 'workflow', scope_id: name, period: 'month' }
  const room = turns.reduce((sum, { cost }) => sum + cost, 0) / 10
  const { id } = await ask('POST', path, { name, ...scope, limit_usd: room.toFixed(9) })
  const leave = async (left: number) => {
    const { spent_usd } = await settled()
    await ask('PATCH', `${path}/${String(id)}`, { limit_usd: (Number(spent_usd) + left).toFixed(9) })
  }
  const settled = async () => {
    for (;;) {
      const budget = await ask('GET', `${path}/${String(id)}`)
      if (Number(budget['held_usd']) === 0) return budget
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const send = async ({ body, input, cached, output }: Turn): Promise<Response> => {
    provider.usual = { input, cached, output, ...(caches !== 'none' && { written: input - cached }) }
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'application/json',
      'x-weir-workflow': name,
    }
    for (;;) {
      const url = `${gateways[gateway]!.url}/v1/messages`
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      // A machine that is busy with other work may decide too late.
      if (answer.status !== 503) return answer
      await answer.text()
    }
  }
  const ratios: number[] = []
  const bounds = new Map<string, number>()
  let refused = 0
  let over = 0
  for (const turn of turns) {
    await leave(room)
    let answer = await send(turn)
    const text = await answer.text()
    if (answer.status === 200) {
      const held = Number(answer.headers.get('x-weir-reserved-usd'))
      const bound = String(answer.headers.get('x-weir-bound'))
      const granted = Number(/\d+/.exec(answer.headers.get('x-weir-fit') ?? '')?.[0] ?? maximum)
      ratios.push((held - usd(granted - fitFloor, prices.output)) / turn.cost)
      bounds.set(bound, (bounds.get(bound) ?? 0) + 1)
      if (held < turn.cost) over += 1
      continue
    }
    if (answer.status !== 402) throw new Error(`a turn was answered ${answer.status}: ${text}`)
    if (turn.cost <= room) refused += 1
    await leave(1_000)
    answer = await send(turn)
    await answer.text()
    if (answer.status !== 200) throw new Error(`a turn with room was answered ${answer.status}`)
  }
  const share = ((100 * refused) / turns.length).toFixed(1)
  console.log(
    `session of ${turns.length} turns, cache ${caches}, memory ${memory}: least hold / cost, median of ${ratios.length} admitted, ` +
      `${ratios.length === 0 ? '-' : median(ratios).toFixed(1)}; false refusals with a tenth of the budget left ${share} % (bar 1); ` +
      `${[...bounds].map(([bound, count]) => `${count} ${bound}`).join(', ')}; ${over} cost more than was held`,
  )
  if (over > 0) process.exitCode = 1
}
