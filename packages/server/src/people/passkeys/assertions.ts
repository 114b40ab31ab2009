import type { Platform } from '../../platform/infra/platform.ts'
import { credentialIn } from './ceremony-answers.ts'
import type { HeldChallenge } from './challenges.ts'
import { findPasskey, notePasskeyUse } from './queries.ts'
import type { RelyingParty } from './relying-party.ts'
import { type PasskeyRefusal, strictVerifier, verifyAssertionWith } from './verification.ts'

/** Returns a person as authenticators know them. */
export const handleOf = (personId: string) => Buffer.from(personId.replaceAll('-', ''), 'hex')

/** The reason why nobody was recognized, with the person whose passkey was presented, if it is known. */
export interface UnprovedPerson {
  readonly refusal: PasskeyRefusal | 'unknown_credential' | 'answered_before'
  readonly personId?: string
}

/** Returns the person who has answered a challenge with a passkey of theirs. A challenge is used up by the first right answer. */
export async function personBehind(
  { sql }: Pick<Platform, 'sql'>,
  text: string,
  party: RelyingParty,
  held: HeldChallenge,
): Promise<{ readonly personId: string } | UnprovedPerson> {
  const credentialId = credentialIn(text)
  const row = credentialId && (await findPasskey(sql.db, Buffer.from(credentialId, 'base64url')))
  if (!row) return { refusal: credentialId === undefined ? 'malformed' : 'unknown_credential' }
  const personId = row.person_id
  const stored = {
    credentialId: row.credential_id.toString('base64url'),
    publicKey: row.public_key,
    counter: Number(row.counter),
    isBackupEligible: row.is_backup_eligible,
    userHandle: handleOf(personId),
  }
  const outcome = await verifyAssertionWith(strictVerifier, text, { party, challenge: held.challenge }, stored)
  if ('refusal' in outcome) return { refusal: outcome.refusal, personId }
  if (!(await held.use())) return { refusal: 'answered_before', personId }
  const { counter, isBackedUp } = outcome.use
  return (await notePasskeyUse(sql.db, row.id, counter, isBackedUp)) ? { personId } : { refusal: 'counter', personId }
}
