import { auditKeyring, recordAll } from '../../access/audit/audit.ts'
import { actorOf, type ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, createForeignDigests, type ForeignDigests } from '../../access/identity/identity.ts'
import { ApiError, type FieldFault, isApiError, validationFailed } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { restrictToOrgs } from '../../platform/infra/sql.ts'
import { recordAccessChange } from '../../platform/nodes/nodes.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'
import { elementAt, present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { eventFieldsOf, lockOrgOfKeys, mintAllFor } from '../keys/keys.ts'
import {
  awardForeignKey,
  type Contest,
  type ContestedRow,
  contestClaims,
  countForeignKeys,
  endForeignKey,
  type ForeignKeyRow,
  findByMacs,
  findForeignKey,
  insertForeignKeys,
  type NewForeignKey,
} from './queries.ts'
import type {
  ContestedForeignKeyView,
  ForeignKeysInput,
  ForeignKeyView,
  RegisteredForeignKeys,
  Registration,
} from './schema.ts'
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
  contested_at: timestampOrNull(row.contested_at),
  created_at: timestamp(row.created_at),
})

export const contestedView = (row: ContestedRow): ContestedForeignKeyView => ({
  id: formatId('foreignKey', row.id),
  org_id: formatId('org', row.org_id),
  contest_id: row.contest_id,
  status: row.held ? 'active' : 'contested',
  uses: Number(row.uses),
  last_used_at: timestampOrNull(row.last_used_at),
  contested_at: timestamp(row.contested_at),
  created_at: timestamp(row.created_at),
})

/**
 * Registers foreign keys, each with a key of its own that it stands for. One that the organization has already is left as it is; one that
 * another organization has, or had, is contested.
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
  const { ends, faults } = endsOf(wanted, platform.config.foreignKeyDays, now)
  // Two that register the same keys at once take turns.
  await lockOrgOfKeys(tx, orgId)
  const known = await knownAmong(tools, orgId, wanted, digests, now)
  const fresh = wanted.flatMap((one, i) =>
    known.has(one.sha256) ? [] : [{ ...one, place: i, endsAt: elementAt(ends, i) }],
  )
  if ((await countForeignKeys(tx, orgId)) + BigInt(fresh.length) > maxForeignKeys)
    throw new ApiError('conflict', {}, { message: `An organization can have ${maxForeignKeys} foreign keys.` })
  if (faults.length > 0) throw validationFailed([...faults, ...(await faultsOfKeys(platform, tools, caller, fresh))])
  if (fresh.length > 0) {
    const contests = await contestClaims(
      tx,
      orgId,
      fresh.map(({ sha256 }) => digests.all(sha256)),
    )
    const rows = await registerAll(platform, tools, caller, fresh, digests)
    await insertForeignKeys(
      tx,
      orgId,
      rows.map((row, i) => ({ ...row, contest_id: contests.get(i)?.contest ?? null })),
    )
    await contestOthers(platform, tools, orgId, [...contests.values()])
    accessChanged()
  }
  const made = new Set(fresh.map(({ sha256 }) => sha256))
  const all = await knownAmong(tools, orgId, wanted, digests, now)
  return { data: wanted.map(({ sha256 }) => registeredView(all.get(sha256), made.has(sha256))) }
}

/** Has every process read again what it remembers of the keys of others, and tells the operator. */
async function contestOthers({ log }: Platform, { tx }: ChangeTools, orgId: string, contests: readonly Contest[]) {
  if (contests.length === 0) return
  const others = [...new Set(contests.flatMap((contest) => contest.others))].toSorted()
  for (const other of others) await recordAccessChange(tx, other)
  log.warn(
    { org_id: formatId('org', orgId), others: others.map((id) => formatId('org', id)), foreign_keys: contests.length },
    'foreign keys of other organizations were claimed; decide at /v1/admin/contested-foreign-keys',
  )
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

/** A foreign key that the organization does not have yet, with its place in the request. */
interface Fresh extends Registration {
  readonly place: number
  readonly endsAt: Date
}

/** Mints the keys for which foreign ones stand. */
function mintKeys(platform: Platform, { tx }: ChangeTools, caller: Caller, fresh: readonly Fresh[]) {
  const requests = fresh.map(({ sha256: _digest, ends_at: _ends, endsAt: _end, place: _place, ...labels }) => ({
    ...labels,
    role: powers.role,
    scopes: [...powers.scopes],
  }))
  return mintAllFor(platform, tx, caller, requests, (i, field) => `keys.${elementAt(fresh, i).place}.${field}`)
}

/** Returns what speaks against the keys themselves, in a request that is refused in any case. */
async function faultsOfKeys(...request: Parameters<typeof mintKeys>): Promise<readonly FieldFault[]> {
  try {
    await mintKeys(...request)
    return []
  } catch (error) {
    if (isApiError(error, 'validation_failed')) return error.details.fields
    throw error
  }
}

async function registerAll(
  platform: Platform,
  tools: ChangeTools,
  caller: Caller,
  fresh: readonly Fresh[],
  digests: ForeignDigests,
): Promise<Omit<NewForeignKey, 'contest_id'>[]> {
  const { audit, emit } = tools
  // Their own secrets are shown to nobody: a rotation shows that of a successor, while the foreign key works on for the overlap.
  const minted = await mintKeys(platform, tools, caller, fresh)
  return minted.map(({ view }, i) => {
    const { sha256, endsAt } = elementAt(fresh, i)
    const id = newUuid()
    const foreign = { id: formatId('foreignKey', id), ends_at: timestamp(endsAt) }
    audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: { ...view, foreign_key: foreign } })
    emit({ kind: 'key.created', subject: view.id, data: { ...eventFieldsOf(view), expires_at: view.expires_at } })
    return { id, key_id: requireId('key', view.id), ends_at: endsAt, ...digests.current(sha256) }
  })
}

/** Returns when each ends, and what speaks against those that end too late, that everybody knows, and that are there twice. */
function endsOf(
  wanted: readonly Registration[],
  days: number,
  now: Date,
): { readonly ends: Date[]; readonly faults: FieldFault[] } {
  if (days === 0)
    throw new ApiError(
      'conflict',
      {},
      { message: 'This installation takes no keys of other gateways (SVC_FOREIGN_KEY_DAYS).' },
    )
  const latest = new Date(now.getTime() + days * dayMs)
  const ends = wanted.map(({ ends_at }) => (ends_at === undefined ? latest : new Date(ends_at)))
  const first = new Map<string, number>()
  for (const [i, { sha256 }] of wanted.entries()) if (!first.has(sha256)) first.set(sha256, i)
  const faults = wanted.flatMap(({ sha256 }, i): FieldFault[] => {
    const end = elementAt(ends, i)
    const digestFault =
      first.get(sha256) !== i
        ? 'Must not repeat another key.'
        : isWellKnown(sha256) && 'This is a key that everybody knows, such as sk-1234.'
    const endFault = end <= now ? 'Must be in the future.' : end > latest && `Must be at most ${days} days from now.`
    return [
      ...(digestFault ? [{ field: `keys.${i}.sha256`, code: 'invalid_value' as const, message: digestFault }] : []),
      ...(endFault ? [{ field: `keys.${i}.ends_at`, code: 'out_of_range' as const, message: endFault }] : []),
    ]
  })
  return { ends, faults }
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

/**
 * Decides for an organization whose claim of a foreign key is contested: its key is taken, and the claims of others end, each on the record
 * of its own organization.
 */
export async function awardForeign(
  { clock, config }: Platform,
  { tx, audit, accessChanged }: ChangeTools,
  caller: Caller,
  orgId: string,
  id: string,
): Promise<ForeignKeyView> {
  const before = await findForeignKey(tx, orgId, id, clock.now())
  if (!before) throw new ApiError('not_found')
  if (before.contested_at === null || (before.status !== 'contested' && before.status !== 'active'))
    throw new ApiError('conflict', {}, { message: 'Only a contested foreign key that has not ended can be awarded.' })
  const ended = await awardForeignKey(tx, orgId, id)
  const byOrg = [...Map.groupBy(ended, ({ org_id }) => org_id)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  await restrictToOrgs(tx, [...new Set([caller.orgId, orgId, ...byOrg.map(([other]) => other)])])
  for (const [other, rows] of byOrg) {
    await recordAccessChange(tx, other)
    const entries = rows.map((row) => ({
      actor: actorOf(caller),
      action: 'foreign_key.ended',
      target: { kind: 'foreign_key', id: formatId('foreignKey', row.id) },
      after: { reason: 'awarded_to_another_organization' },
      address: null,
      traceId: '',
    }))
    await recordAll(tx, auditKeyring(config.masterKeys()), other, entries)
  }
  accessChanged()
  const view = foreignKeyView(present(await findForeignKey(tx, orgId, id, clock.now())))
  audit({
    action: 'foreign_key.awarded',
    target: { kind: 'foreign_key', id: view.id },
    before: foreignKeyView(before),
    after: view,
  })
  return view
}
