import type { PriceInput } from '../money/prices/prices.ts'
import { CommandRefused } from '../platform/infra/command-refused.ts'
import { isRecord, recordIn } from '../values/records.ts'
import { errorOf } from '../values/thrown.ts'

/** The installation's prices as a running server has answered them. */
export interface InstallationState {
  readonly url: string
  readonly key: string
  readonly prices: readonly PriceInput[]
  /** The state that a change must replace. */
  readonly tag: string
}

const timeoutMs = 60_000

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

async function ask(url: string, key: string, init: Sent) {
  try {
    const headers = { authorization: `Bearer ${key}`, ...init.headers }
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(new URL('/v1/admin/prices', url), { ...init, headers, signal, redirect: 'error' })
    const body: unknown = await answer.json()
    return { status: answer.status, tag: answer.headers.get('etag') ?? '', body }
  } catch (error) {
    const { message, cause } = errorOf(error)
    throw new CommandRefused(`${url} cannot be asked: ${cause instanceof Error ? cause.message : message}`, {
      cause: error,
    })
  }
}

/** Reads the prices of the installation; without an address there are none. */
export async function readInstallation(url: string | undefined, key: string): Promise<InstallationState> {
  if (url === undefined) return { url: '', key, prices: [], tag: '' }
  if (!URL.canParse(url)) throw new CommandRefused(`--url ${url} is no address. Write it as https://weir.example.com.`)
  if (key === '') throw new CommandRefused('--operator-key is missing; or set WEIR_OPERATOR_KEY.')
  const { status, tag, body } = await ask(url, key, {})
  const prices = recordIn(body)['prices']
  if (status !== 200 || !Array.isArray(prices)) throw refused(status, body)
  return { url, key, tag, prices: prices.map(inputOf) }
}

/** Returns an entry as it is sent: what the server adds is left out. */
function inputOf(price: unknown): PriceInput {
  const { id: _id, created_at: _created, ...input } = recordIn(price)
  return input as PriceInput
}

/** Replaces the prices, unless somebody has changed them since they were read. */
export async function writeInstallation({ url, key, tag }: InstallationState, prices: readonly PriceInput[]) {
  const { status, body } = await ask(url, key, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'if-match': tag },
    body: JSON.stringify({ prices }),
  })
  if (status === 412)
    throw new CommandRefused('The prices were changed meanwhile, and nothing is applied. Run it again to compare anew.')
  if (status !== 200) throw refused(status, body)
}

function refused(status: number, body: unknown) {
  const { message, details } = recordIn(recordIn(body)['error'])
  const fields = recordIn(details)['fields']
  const faults = (Array.isArray(fields) ? fields : [])
    .filter(isRecord)
    .slice(0, 10)
    .map(({ field, message: why }) => `\n  ${String(field)}: ${String(why)}`)
  return new CommandRefused(
    `The server answered ${status}: ${typeof message === 'string' ? message : 'it gave no reason'}${faults.join('')}`,
  )
}
