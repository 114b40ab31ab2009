import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { calcPrice, type Usage } from '@pydantic/genai-prices'

/**
 * A provider that believes whoever comes with a permit: it runs what is asked, as far as it can make sense of the model's name, and
 * bills the key by a price list of its own.
 */

/** A call as its caller sends it to the provider. */
export interface ProviderCall {
  /** The reservation or run that allows it. */
  readonly permit: string
  readonly model: string
  readonly tier: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cache: 'none' | 'read' | 'write'
}

/** A line of the provider's ledger. */
export interface Bill {
  readonly key: string
  readonly permit: string
  readonly model: string
  readonly nano: number
}

/** Models that the provider runs, by its own names, with who makes them. */
export const runnable: Readonly<Record<string, string>> = {
  'gpt-4o': 'openai',
  'gpt-4o-mini': 'openai',
  'gpt-4.1-nano': 'openai',
  'gpt-5.2-pro': 'openai',
  'claude-sonnet-4-5': 'anthropic',
  'gemini-2.5-pro': 'google',
}

/** After the last change of price in the list, at an hour at which nothing is cheaper. */
const timestamp = new Date('2026-11-17T08:00:00Z')
const lookalikes: Readonly<Record<string, string>> = { о: 'o', а: 'a', е: 'e', р: 'p', с: 'c' }

/** Returns the model that a provider with the best will reads in a name; undefined where there is none. */
export function readModel(name: string): string | undefined {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[оаерс]/g, (letter) => lookalikes[letter] ?? letter)
    .replace(/[\p{Cf}\p{Cc}\s]/gu, '')
    .replace(/[_\p{Pd}]/gu, '-')
  return plain
    .split('/')
    .map((part) => part.replace(/(-\d{4}-\d{2}-\d{2}|[:@-]latest)$/, ''))
    .find((part) => Object.hasOwn(runnable, part))
}

/** Returns the price of a call by the provider's own list, in nano-dollars. What is urgent costs double; there is never room for less. */
export function priceOfCall(model: string, call: Omit<ProviderCall, 'permit' | 'model'>): number {
  const usage: Usage = {
    input_tokens: call.inputTokens,
    output_tokens: call.outputTokens,
    ...(call.cache === 'read' && { cache_read_tokens: call.inputTokens }),
    ...(call.cache === 'write' && { cache_write_tokens: call.inputTokens }),
  }
  const price = calcPrice(usage, model, { providerId: runnable[model] ?? '', timestamp })
  if (!price) throw new Error(`the provider has no price of ${model}`)
  return Math.round(price.total_price * 1e9) * (call.tier === 'priority' ? 2 : 1)
}

export interface ProviderServer {
  readonly url: string
  readonly bills: Bill[]
  readonly close: () => void
}

export async function openProvider(): Promise<ProviderServer> {
  const bills: Bill[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString()) as ProviderCall
      const model = readModel(call.model)
      if (model !== undefined)
        bills.push({
          key: request.headers.authorization ?? '',
          permit: call.permit,
          model,
          nano: priceOfCall(model, call),
        })
      response.writeHead(model === undefined ? 404 : 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, bills, close: () => server.close() }
}
