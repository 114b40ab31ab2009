import type { ChangeTools } from '../../access/changes/changes.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { type PasskeyPower, requirePower } from './passkey-powers.ts'
import {
  countRecoveryCodes,
  deletePasskey,
  insertPasskey,
  type PasskeyRow,
  passkeysOfPerson,
  replaceRecoveryCodes,
  updatePasskeyName,
} from './queries.ts'
import { mintRecoveryCode, normalRecoveryCode, recoveryCodeCount, recoveryDigest } from './recovery-codes.ts'
import type { PasskeyView } from './schema.ts'
import type { NewPasskey } from './verification.ts'

type Tools = Pick<ChangeTools, 'tx' | 'audit'>
/** A page has no condition under which it removes something. */
type RemovalTools = Tools & Partial<Pick<ChangeTools, 'replaces'>>

/** Passkeys that one person can have. */
const maxPasskeys = 20

/** Everything with which a person proves who they are. */
export interface Proofs {
  readonly passkeys: readonly PasskeyRow[]
  readonly recoveryCodes: number
}

/** Returns the person who calls; throws for a key or a support grant, which are none. */
export function personIn({ person }: Pick<Caller, 'person'>): string {
  if (person === undefined) throw new ApiError('forbidden', {}, { message: 'Only a person has passkeys.' })
  return person.id
}

/** Reads what a person has, whatever the session may do with it. */
export async function proofsOf({ sql }: Pick<Platform, 'sql'>, personId: string): Promise<Proofs> {
  const [passkeys, recoveryCodes] = await Promise.all([
    passkeysOfPerson(sql.db, personId),
    countRecoveryCodes(sql.db, personId),
  ])
  return { passkeys, recoveryCodes }
}

export const hasProofs = ({ passkeys, recoveryCodes }: Proofs) => passkeys.length + recoveryCodes > 0

/** Returns the proofs of the person who calls; throws where their session lacks the power. */
export async function proofsWithPower(
  platform: Pick<Platform, 'sql' | 'clock'>,
  caller: Caller,
  power: PasskeyPower,
): Promise<Proofs> {
  const proofs = await proofsOf(platform, personIn(caller))
  requirePower(power, { caller, nowMs: platform.clock.now().getTime(), hasProofs: hasProofs(proofs) })
  return proofs
}

export const passkeyView = (row: PasskeyRow): PasskeyView => ({
  id: formatId('passkey', row.id),
  name: row.name,
  is_backed_up: row.is_backed_up,
  last_used_at: timestampOrNull(row.last_used_at),
  created_at: timestamp(row.created_at),
})

const targetOf = (row: PasskeyRow) => ({ kind: 'passkey', id: formatId('passkey', row.id) })

/** Adds a passkey to the person who calls. */
export async function addPasskey({ tx, audit }: Tools, caller: Caller, passkey: NewPasskey, name: string) {
  const row = await insertPasskey(tx, { id: newUuid(), personId: personIn(caller), name, most: maxPasskeys, passkey })
  if (!row) throw conflict(`This passkey is in use, or you have ${maxPasskeys} already. Remove one first.`)
  audit({ action: 'passkey.added', target: targetOf(row), after: passkeyView(row) })
}

/** Returns one of the passkeys of a person. */
export function passkeyAmong({ passkeys }: Pick<Proofs, 'passkeys'>, id: string): PasskeyRow {
  const row = passkeys.find((passkey) => passkey.id === id)
  if (!row) throw new ApiError('not_found')
  return row
}

export async function renamePasskey({ tx, audit }: Tools, caller: Caller, id: string, name: string) {
  const personId = personIn(caller)
  const before = passkeyView(passkeyAmong({ passkeys: await passkeysOfPerson(tx, personId) }, id))
  const row = await updatePasskeyName(tx, personId, id, name)
  if (!row) throw new ApiError('not_found')
  const after = passkeyView(row)
  audit({ action: 'passkey.renamed', target: targetOf(row), before, after })
  return after
}

/** Removes a passkey; 409 where nothing would be left to sign in with. */
export async function removePasskey({ tx, audit, replaces }: RemovalTools, caller: Caller, id: string) {
  const personId = personIn(caller)
  replaces?.(passkeyView(passkeyAmong({ passkeys: await passkeysOfPerson(tx, personId) }, id)))
  const row = await deletePasskey(tx, personId, id)
  if (!row)
    throw conflict(
      'This is your last passkey, and you have no recovery codes and no identity provider. Make codes first.',
    )
  audit({ action: 'passkey.removed', target: targetOf(row), before: passkeyView(row) })
}

/** Mints recovery codes and what is stored of them. */
export async function mintRecoveryCodes() {
  const codes = Array.from({ length: recoveryCodeCount }, mintRecoveryCode)
  const digests = await Promise.all(codes.map((code) => recoveryDigest(normalRecoveryCode(code) ?? '')))
  return { codes, digests }
}

/** Gives the person who calls new recovery codes in place of those that they had. */
export async function setRecoveryCodes({ tx, audit }: Tools, caller: Caller, digests: readonly Buffer[]) {
  const personId = personIn(caller)
  await replaceRecoveryCodes(tx, personId, digests)
  const target = { kind: 'person', id: formatId('person', personId) }
  audit({ action: 'recovery_codes.created', target, after: { count: digests.length } })
}

const conflict = (message: string) => new ApiError('conflict', {}, { message })
