import type { ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, createForeignDigests, type ForeignDigests } from '../../access/identity/identity.ts'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'
import { elementAt, present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { eventFieldsOf, lockOrgOfKeys, mintAllFor } from '../keys/keys.ts'
import {
  contestForeignKeys,
  countForeignKeys,
  endForeignKey,
  type ForeignKeyRow,
  findByMacs,
  findForeignKey,
  insertForeignKeys,
  type NewForeignKey,
} from './queries.ts'
import type { ForeignKeysInput, ForeignKeyView, RegisteredForeignKeys, Registration } from './schema.ts'
import { isWellKnown } from './well-known.ts'

export { countForeignUses, createForeignUses } from './uses.ts'

/** The most that an organization can have, ended ones included. */
const maxForeignKeys = 100_000n

/** All that a key may do for which a foreign one stands: spend. Its text is not ours, so nothing else may hang on it. */
const powers = { role: 'service', scopes: ['edge:decide', 'runs:write'] } as const

export const foreignKeyView = (row: ForeignKeyRow): ForeignKeyView => ({
  id: formatId('foreignKey', row.id),
  key_id: formatId('key', row.key_id),
  name: row.name,
  owner_id: row.owner_id === null ? null : formatId('member', row.owner_id),
  pins: row.pins,
  status: row.status,
  ends_at: timestamp(row.ends_at),
  uses: Number(row.uses),
  last_used_at: timestampOrNull(row.last_used_at),
  ended_at: timestampOrNull(row.ended_at),
  created_at: timestamp(row.created_at),
})

/**
 * Registers foreign keys, each with a key of its own that it stands for. One that the organization has already is left as it is. Whether
 * another organization has it does not show: then it works for neither.
 */
export async function registerForeignKeys(
  platform: Platform,
  tools: ChangeTools,
  caller: Caller,
  { keys: wanted, dry_run: isTrial = false }: ForeignKeysInput,
): Promise<RegisteredForeignKeys> {
  const { tx, accessChanged } = tools
  const { orgId } = caller
  const now = platform.clock.now()
  const digests = createForeignDigests(platform)
  if (isTrial) {
    const there = await knownAmong(tools, orgId, wanted, digests, now)
    return { data: wanted.map(({ sha256 }) => registeredView(there.get(sha256), false)) }
  }
  const ends = endsOf(wanted, platform.config.foreignKeyDays, now)
  // Two that register the same keys at once take turns.
  await lockOrgOfKeys(tx, orgId)
  const known = await knownAmong(tools, orgId, wanted, digests, now)
  const fresh = wanted.flatMap((one, i) => (known.has(one.sha256) ? [] : [{ ...one, endsAt: elementAt(ends, i) }]))
  if ((await countForeignKeys(tx, orgId)) + BigInt(fresh.length) > maxForeignKeys)
    throw new ApiError('conflict', {}, { message: `An organization can have ${maxForeignKeys} foreign keys.` })
  if (fresh.length > 0) {
    const rows = await registerAll(platform, tools, caller, fresh, digests)
    await insertForeignKeys(tx, orgId, rows)
    await contestForeignKeys(
      tx,
      orgId,
      fresh.flatMap(({ sha256 }) => digests.all(sha256)),
    )
    accessChanged()
  }
  const made = new Set(fresh.map(({ sha256 }) => sha256))
  const all = await knownAmong(tools, orgId, wanted, digests, now)
  return { data: wanted.map(({ sha256 }) => registeredView(all.get(sha256), made.has(sha256))) }
}

const registeredView = (row: ForeignKeyRow | undefined, created: boolean) =>
  row ? { ...foreignKeyView(row), created } : null

/** Returns the foreign keys that an organization has already, by their digests. */
async function knownAmong(
  { tx }: ChangeTools,
  orgId: string,
  wanted: readonly Registration[],
  digests: ForeignDigests,
  now: Date,
): Promise<Map<string, ForeignKeyRow>> {
  const digestOf = new Map(
    wanted.flatMap(({ sha256 }) => digests.all(sha256).map((mac) => [mac.toString('hex'), sha256] as const)),
  )
  const rows = await findByMacs(
    tx,
    orgId,
    [...digestOf.keys()].map((mac) => Buffer.from(mac, 'hex')),
    now,
  )
  return new Map(rows.map((row) => [present(digestOf.get(row.mac.toString('hex'))), row]))
}

async function registerAll(
  platform: Platform,
  { tx, audit, emit }: ChangeTools,
  caller: Caller,
  fresh: readonly (Registration & { readonly endsAt: Date })[],
  digests: ForeignDigests,
): Promise<NewForeignKey[]> {
  const requests = fresh.map(({ sha256: _digest, ends_at: _ends, endsAt: _end, ...labels }) => ({
    ...labels,
    role: powers.role,
    scopes: [...powers.scopes],
  }))
  // Their own secrets are shown to nobody: a rotation shows that of a successor, while the foreign key works on for the overlap.
  const minted = await mintAllFor(platform, tx, caller, requests)
  return minted.map(({ view }, i) => {
    const { sha256, endsAt } = elementAt(fresh, i)
    const id = newUuid()
    const foreign = { id: formatId('foreignKey', id), ends_at: timestamp(endsAt) }
    audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: { ...view, foreign_key: foreign } })
    emit({ kind: 'key.created', subject: view.id, data: { ...eventFieldsOf(view), expires_at: view.expires_at } })
    return { id, key_id: requireId('key', view.id), ends_at: endsAt, ...digests.current(sha256) }
  })
}

/** Returns when each ends; refuses those that end too late, that everybody knows, and that are there twice. */
function endsOf(wanted: readonly Registration[], days: number, now: Date): Date[] {
  if (days === 0)
    throw new ApiError(
      'conflict',
      {},
      { message: 'This installation takes no keys of other gateways (SVC_FOREIGN_KEY_DAYS).' },
    )
  const latest = new Date(now.getTime() + days * dayMs)
  const ends = wanted.map(({ ends_at }) => (ends_at === undefined ? latest : new Date(ends_at)))
  const seen = new Set<string>()
  const faults = wanted.flatMap(({ sha256 }, i): FieldFault[] => {
    const fault = (field: string, code: FieldFault['code'], message: string) => [
      { field: `keys.${i}.${field}`, code, message },
    ]
    const end = elementAt(ends, i)
    const isRepeated = seen.has(sha256)
    seen.add(sha256)
    if (isRepeated) return fault('sha256', 'invalid_value', 'Must not repeat another key.')
    if (isWellKnown(sha256))
      return fault('sha256', 'invalid_value', 'This is a key that everybody knows, such as sk-1234.')
    if (end <= now) return fault('ends_at', 'out_of_range', 'Must be in the future.')
    if (end > latest) return fault('ends_at', 'out_of_range', `Must be at most ${days} days from now.`)
    return []
  })
  if (faults.length > 0) throw validationFailed(faults)
  return ends
}

/** Ends a foreign key before its time. The key that it stands for lives on. */
export async function endForeign(
  { clock }: Platform,
  { tx, audit, accessChanged }: ChangeTools,
  orgId: string,
  id: string,
): Promise<ForeignKeyView> {
  const before = await findForeignKey(tx, orgId, id, clock.now())
  if (!before) throw new ApiError('not_found')
  if (await endForeignKey(tx, orgId, id)) accessChanged()
  const view = foreignKeyView(present(await findForeignKey(tx, orgId, id, clock.now())))
  if (before.ended_at === null)
    audit({
      action: 'foreign_key.ended',
      target: { kind: 'foreign_key', id: view.id },
      before: foreignKeyView(before),
      after: view,
    })
  return view
}
