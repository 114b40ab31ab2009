import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Platform } from '../../platform/infra/platform.ts'
import { authenticText, readAuthenticText } from '../../values/authentic-text.ts'
import { deriveKeyring } from '../../values/keyring.ts'
import { recordIn } from '../../values/records.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import { type SignInSecrets, secretsOf } from '../oidc/oidc.ts'
import type { VouchedPerson } from './admission.ts'
import { insertAnswer, setAnswer, takeAnswer } from './queries.ts'

/** Time that somebody has to sign in at their provider. */
export const signInSeconds = 600
const secretBytes = 32
const maxTokenLength = 4_000
const maxCodeLength = 100

const digest = (text: string) => hash('sha256', text, 'buffer')
const newSecret = () => randomBytes(secretBytes).toString('base64url')
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))

/** A sign-in that a browser has come back with. */
export interface BegunSignIn {
  readonly secrets: SignInSecrets
  readonly returnTo: string | undefined
}

/**
 * Sign-ins at the providers of connections. One that has begun is kept by its browser, in a token that nobody can change, so that beginning
 * costs nothing that a stranger could fill up. Only what was answered is stored, so that nothing is answered twice.
 */
export interface SignIns {
  /** Begins a sign-in; returns the token that the browser keeps. The secrets of the sign-in follow from it. */
  readonly begin: (connection: ConnectionRow, returnTo: string | undefined) => string
  /** Takes the sign-in that a browser began with a connection, once; undefined when it began none with this state, or long ago. */
  readonly take: (
    connection: ConnectionRow,
    token: string | undefined,
    state: string | null,
  ) => Promise<BegunSignIn | undefined>
  /** Returns the id of a request to a SAML provider, which its answer names. We know it again, and the browser it is of. */
  readonly requestIdOf: (connection: ConnectionRow, token: string) => string
  /** Claims the request that an answer of a SAML provider names: true once, for one that was made for this connection. */
  readonly claimAnswer: (connection: ConnectionRow, requestId: string) => Promise<boolean>
  /**
   * Keeps the person whom a claimed answer names, for the browser that began the sign-in. Returns the secret of the browser that brought the
   * answer: only one that is both can finish. Otherwise somebody could begin a sign-in, let another answer it at their provider, and come for
   * the answer.
   */
  readonly keepAnswer: (connection: ConnectionRow, requestId: string, person: VouchedPerson) => Promise<string>
  /** Takes the person whom the answer to a browser's sign-in names, once; undefined when it began none, or did not bring the answer. */
  readonly takeAnswered: (
    connection: ConnectionRow,
    token: string | undefined,
    code: unknown,
  ) => Promise<{ readonly person: VouchedPerson; readonly returnTo: string | undefined } | undefined>
}

export function createSignIns({ config, clock, sql }: Pick<Platform, 'config' | 'clock' | 'sql'>): SignIns {
  const tokens = deriveKeyring(config.masterKeys(), 'sso sign-ins')
  const requests = deriveKeyring(config.masterKeys(), 'sso requests')
  const nowMs = () => clock.now().getTime()
  const nextEndMs = () => nowMs() + signInSeconds * 1_000
  /** Returns until when an answered sign-in is remembered: longer than it lasts, as the clocks of processes differ. */
  const rememberedUntil = () => new Date(nextEndMs() + signInSeconds * 1_000)

  /** Reads the token of a sign-in that was begun with a connection and is not over. */
  function open({ id }: ConnectionRow, token: string | undefined): BegunSignIn | undefined {
    const bytes = token === undefined || token.length > maxTokenLength ? undefined : readAuthenticText(tokens, token)
    if (token === undefined || bytes === undefined) return undefined
    const { connectionId, returnTo, endsMs } = recordIn(JSON.parse(bytes.toString()))
    if (connectionId !== id || nowMs() >= Number(endsMs)) return undefined
    return { secrets: secretsOf(token), returnTo: typeof returnTo === 'string' ? returnTo : undefined }
  }

  /** Reads the id of a request that was made for a connection; returns the state of its sign-in, also when that is over. */
  function stateOf({ id }: ConnectionRow, requestId: string) {
    const [connectionId, endsMs, state = ''] =
      readAuthenticText(requests, requestId.slice(1))?.toString().split(' ') ?? []
    return connectionId === id ? { state, isOver: nowMs() >= Number(endsMs) } : undefined
  }

  /** Puts on record that a sign-in was answered; false when it was before. */
  const use = ({ org_id: orgId, id }: ConnectionRow, state: string) =>
    sql.asOrgs([orgId], (tx) => insertAnswer(tx, orgId, id, digest(state), rememberedUntil()))

  return {
    begin: ({ id }, returnTo) => {
      const text = JSON.stringify({ connectionId: id, returnTo, endsMs: nextEndMs(), nonce: newSecret() })
      return authenticText(tokens, Buffer.from(text))
    },
    take: async (connection, token, state) => {
      const begun = open(connection, token)
      if (!begun || state === null || !isSame(state, begun.secrets.state)) return undefined
      return (await use(connection, state)) ? begun : undefined
    },
    requestIdOf: ({ id }, token) =>
      `_${authenticText(requests, Buffer.from([id, nextEndMs(), secretsOf(token).state].join(' ')))}`,
    claimAnswer: async (connection, requestId) => {
      const request = stateOf(connection, requestId)
      return request !== undefined && !request.isOver && use(connection, request.state)
    },
    keepAnswer: async (connection, requestId, person) => {
      const { org_id: orgId, id } = connection
      const code = newSecret()
      const state = stateOf(connection, requestId)?.state ?? ''
      await sql.asOrgs([orgId], (tx) => setAnswer(tx, orgId, id, digest(state), digest(code), person))
      return code
    },
    takeAnswered: async (connection, token, code) => {
      const begun = open(connection, token)
      if (!begun || typeof code !== 'string' || code.length > maxCodeLength) return undefined
      const { org_id: orgId, id } = connection
      const answer = await sql.asOrgs([orgId], (tx) =>
        takeAnswer(tx, orgId, id, digest(begun.secrets.state), digest(code)),
      )
      // The answer is as `keepAnswer` wrote it.
      return answer === undefined ? undefined : { person: answer as VouchedPerson, returnTo: begun.returnTo }
    },
  }
}
