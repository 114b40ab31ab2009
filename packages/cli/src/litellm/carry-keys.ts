import { createHash } from 'node:crypto'
import type { Client } from '../api/client.ts'
import { fieldOf, type Json, recordsOf, textOf } from '../values.ts'
import { inParallel } from './parallel.ts'
import type { KeyPlan } from './plan.ts'

const batchSize = 100
const atOnce = 4

export interface CarriedKeys {
  /** Ids of Weir keys by what LiteLLM has instead of the key. */
  readonly ids: Map<string, string>
  readonly made: number
  readonly there: number
  /** Keys that cannot be registered, each with why. */
  readonly refused: readonly { readonly what: string; readonly why: string }[]
}

interface Registrar {
  readonly client: Client
  readonly path: string
  readonly endsAt: Date | undefined
  readonly owners: ReadonlyMap<string, string>
  readonly onProgress: (done: number) => void
}

/** LiteLLM keeps the SHA-256 of a key, or, for keys of its earliest versions, the key itself. */
const digestOf = (token: string) =>
  /^[0-9a-f]{64}$/.test(token) ? token : createHash('sha256').update(token).digest('hex')

const batches = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, i) => items.slice(i * batchSize, (i + 1) * batchSize))

/** Finds the keys that are there already. */
export async function findKeys({ client, path }: Pick<Registrar, 'client' | 'path'>, keys: readonly KeyPlan[]) {
  const ids = new Map<string, string>()
  await inParallel(batches(keys), atOnce, async (batch) => {
    const body = { keys: batch.map(({ token, name }) => ({ sha256: digestOf(token), name })), dry_run: true }
    const { json } = await client.send('POST', `${path}/foreign-keys`, { body })
    const data = fieldOf(json, 'data')
    if (Array.isArray(data))
      for (const [i, row] of data.entries()) if (row !== null) ids.set(batch[i]?.token ?? '', textOf(row, 'key_id'))
  })
  return ids
}

/** Registers the keys that are not there yet. Those that have expired are only found, for the sake of their calls. */
export async function carryKeys(registrar: Registrar, keys: readonly KeyPlan[], now: Date): Promise<CarriedKeys> {
  const ids = await findKeys(registrar, keys)
  const there = ids.size
  const wanted = keys.filter(({ token, expiresAt }) => !ids.has(token) && !(expiresAt && expiresAt <= now))
  const refused: { what: string; why: string }[] = []
  await inParallel(batches(wanted), atOnce, async (batch) => {
    for (const [token, id] of await register(registrar, batch, refused)) ids.set(token, id)
    registrar.onProgress(ids.size)
  })
  return { ids, there, made: ids.size - there, refused }
}

/** Registers some; those that are refused are left out, and the others sent again. */
async function register(registrar: Registrar, keys: readonly KeyPlan[], refused: { what: string; why: string }[]) {
  const { client, path, endsAt, owners } = registrar
  const body = {
    keys: keys.map(({ token, name, pins, email, expiresAt }) => ({
      sha256: digestOf(token),
      name,
      pins,
      ...(owners.has(email) && { owner_id: owners.get(email) }),
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      ...(endsAt && { ends_at: endsAt.toISOString() }),
    })),
  }
  const answer = await client.send('POST', `${path}/foreign-keys`, { body, accepts: [422] })
  if (answer.status !== 422)
    return recordsOf(fieldOf(answer.json, 'data')).map(
      (row, i) => [keys[i]?.token ?? '', textOf(row, 'key_id')] as const,
    )
  const faults = recordsOf(fieldOf(fieldOf(fieldOf(answer.json, 'error'), 'details'), 'fields'))
  const whyByIndex = new Map(faults.map((fault) => [indexIn(fault), textOf(fault, 'message')]))
  const good = keys.filter((_, i) => !whyByIndex.has(i))
  for (const [i, { name }] of keys.entries()) {
    const why = whyByIndex.get(i)
    if (why !== undefined) refused.push({ what: name, why })
  }
  // A fault of no single key is one of the whole.
  if (good.length === keys.length || good.length === 0) return good.length === 0 ? [] : throwWhole(faults)
  return register(registrar, good, refused)
}

const indexIn = (fault: Json) => Number(/^keys\.(\d+)\./.exec(textOf(fault, 'field'))?.[1] ?? -1)

function throwWhole(faults: readonly Json[]): never {
  throw new Error(`the keys cannot be registered: ${faults.map((fault) => textOf(fault, 'message')).join(' ')}`)
}
