import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Platform } from '../../platform/infra/platform.ts'
import { authenticText, readAuthenticText } from '../../values/authentic-text.ts'
import { deriveKeyring } from '../../values/keyring.ts'
import { isRecord } from '../../values/records.ts'
import { ceremonySeconds } from './ceremony-options.ts'
import { useChallenge } from './queries.ts'

/** Purposes of a challenge: to sign in, to add a passkey in a session, or to choose one of several organizations. */
export type ChallengePurpose = 'sign_in' | 'enrolment' | 'choice'

/** A challenge that a browser holds in a cookie. */
export interface HeldChallenge {
  readonly purpose: ChallengePurpose
  /** The session in which a passkey is added, or the person who chooses. */
  readonly subject: string
  /** Bytes that an authenticator signs. They follow from the cookie, and do not reveal it. */
  readonly challenge: Buffer
  /** Uses it up; false when somebody has before. */
  readonly use: () => Promise<boolean>
}

/**
 * Challenges of this installation. Nothing is stored until one is answered, so that asking costs nothing: the browser keeps the
 * challenge, sealed against change, and shows it with the answer. Only what was answered is remembered, so that none is twice.
 */
export interface Challenges {
  readonly issue: (
    purpose: ChallengePurpose,
    subject?: string,
  ) => { readonly token: string; readonly challenge: Buffer }
  /** Returns the challenge of a token that we made for this purpose; undefined for any other, and once it is too old. */
  readonly open: (token: string | undefined, purpose: ChallengePurpose) => HeldChallenge | undefined
}

const nonceBytes = 32
const maxTokenLength = 1_000

const challengeOf = (token: string) => createHmac('sha256', token).update('weir passkey challenge').digest()

export function createChallenges({ config, clock, sql }: Platform): Challenges {
  const keyring = deriveKeyring(config.masterKeys(), 'passkey challenges')

  return {
    issue: (purpose, subject = '') => {
      const endsMs = clock.now().getTime() + ceremonySeconds * 1_000
      const text = JSON.stringify({ purpose, subject, endsMs, nonce: randomBytes(nonceBytes).toString('base64url') })
      const token = authenticText(keyring, Buffer.from(text))
      return { token, challenge: challengeOf(token) }
    },
    open: (token, purpose) => {
      if (token === undefined || token.length > maxTokenLength) return undefined
      const text = readAuthenticText(keyring, token)
      if (text === undefined) return undefined
      const read: unknown = JSON.parse(text.toString())
      if (!isRecord(read) || read['purpose'] !== purpose) return undefined
      const endsAt = new Date(Number(read['endsMs']))
      if (clock.now() >= endsAt) return undefined
      return {
        purpose,
        subject: String(read['subject']),
        challenge: challengeOf(token),
        use: () => useChallenge(sql.db, hash('sha256', token, 'buffer'), endsAt),
      }
    },
  }
}
