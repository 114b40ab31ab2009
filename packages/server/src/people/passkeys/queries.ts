import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { NewPasskey } from './verification.ts'

/** Passkeys belong to people and to no organization: each function of the database takes an exact id, and none lists. */
type Handle = Tx | Sql['db']

export interface PasskeyRow {
  readonly id: string
  readonly person_id: string
  readonly credential_id: Buffer
  readonly public_key: Buffer
  readonly counter: bigint
  readonly is_backup_eligible: boolean
  readonly is_backed_up: boolean
  readonly name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

export async function findPasskey(db: Handle, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const { rows } = await raw<PasskeyRow>`select * from passkey_by_credential(${credentialId})`.execute(db)
  return rows[0]
}

export async function passkeysOfPerson(db: Handle, personId: string): Promise<readonly PasskeyRow[]> {
  const { rows } = await raw<PasskeyRow>`select * from passkeys_of_person(${personId})`.execute(db)
  return rows
}

/** Stores a passkey; undefined when it is known, or when the person has too many. */
export async function insertPasskey(
  tx: Tx,
  {
    id,
    personId,
    name,
    most,
    passkey,
  }: { id: string; personId: string; name: string; most: number; passkey: NewPasskey },
): Promise<PasskeyRow | undefined> {
  const { rows } = await raw<PasskeyRow>`
    select * from add_passkey(${id}, ${personId}, ${Buffer.from(passkey.credentialId, 'base64url')}, ${passkey.publicKey},
                              ${passkey.counter}, ${passkey.isBackupEligible}, ${passkey.isBackedUp}, ${name}, ${most})`.execute(
    tx,
  )
  return rows[0]
}

/** Notes the use of a passkey; false when its authenticator has counted backwards meanwhile. */
export async function notePasskeyUse(db: Handle, id: string, counter: number, isBackedUp: boolean): Promise<boolean> {
  const { rows } = await raw<{ used: boolean }>`select use_passkey(${id}, ${counter}, ${isBackedUp}) as used`.execute(
    db,
  )
  return one(rows).used
}

export async function updatePasskeyName(tx: Tx, personId: string, id: string, name: string) {
  const { rows } = await raw<PasskeyRow>`select * from rename_passkey(${personId}, ${id}, ${name})`.execute(tx)
  return rows[0]
}

/** Deletes a passkey; undefined where it is the last way in of its person. */
export async function deletePasskey(tx: Tx, personId: string, id: string): Promise<PasskeyRow | undefined> {
  const { rows } = await raw<PasskeyRow>`select * from remove_passkey(${personId}, ${id})`.execute(tx)
  return rows[0]
}

export async function replaceRecoveryCodes(tx: Tx, personId: string, digests: readonly Buffer[]) {
  await raw`select replace_recovery_codes(${personId}, ${digests}::bytea[])`.execute(tx)
}

export async function countRecoveryCodes(db: Handle, personId: string): Promise<number> {
  const { rows } = await raw<{ left: number }>`select count_recovery_codes(${personId}) as left`.execute(db)
  return one(rows).left
}

/** Uses a recovery code up; returns whose it was. */
export async function takeRecoveryCode(db: Handle, digest: Buffer): Promise<string | undefined> {
  const { rows } = await raw<{ person: string | null }>`select take_recovery_code(${digest}) as person`.execute(db)
  return one(rows).person ?? undefined
}

/** Uses a challenge up; false when it was answered before. */
export async function useChallenge(db: Handle, digest: Buffer, expiresAt: Date): Promise<boolean> {
  const { rows } = await raw<{ used: boolean }>`select use_passkey_challenge(${digest}, ${expiresAt}) as used`.execute(
    db,
  )
  return one(rows).used
}

/** A membership through which a person may enter. */
export interface DoorRow {
  readonly member_id: string
  readonly org_id: string
  readonly org_name: string
  readonly email: string
}

export async function doorsOfPerson(db: Handle, personId: string): Promise<readonly DoorRow[]> {
  const { rows } = await raw<DoorRow>`select * from doors_of_person(${personId})`.execute(db)
  return rows
}
