import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKeyring, type Keyring, type MasterKeys } from '../../values/keyring.ts'
import { decodeClaims, encodeClaims, type LinkClaims } from './claims.ts'

/** Header that carries a signed statement between cells. Nobody else may send it. */
export const linkHeader = 'x-svc-cell-link'
/** Header by which a cell signs its answer to another. */
export const answerHeader = 'x-svc-cell-answer'

const maxHeaderLength = 8_192
const nonceBytes = 16
const masterDigestBytes = 16

/** The request that a statement is about, as it is on the wire. */
export interface SignedTarget {
  readonly method: string
  /** Path and query. */
  readonly target: string
}

/** Claims without those that every signature gets. */
export type NewClaims = Omit<LinkClaims, 'key' | 'atMs' | 'nonce' | 'masterKeys'>

/** Signatures with the link keys of this installation. */
export interface LinkSignatures {
  readonly sign: (
    what: SignedTarget,
    claims: NewClaims,
    nowMs: number,
  ) => { readonly header: string; readonly nonce: string }
  /** Returns the claims that are signed, or why they are not. */
  readonly verify: (what: SignedTarget, header: string) => LinkClaims | 'malformed' | 'unknown_key' | 'forged'
  readonly signAnswer: (claims: Pick<LinkClaims, 'key' | 'nonce'>, status: number, body: string) => string
  /** True for the answer to the request with this nonce, and to no other. */
  readonly isAnswer: (nonce: string, signature: string, status: number, body: string) => boolean
  /** True when the other side has a master key of ours, and none of the same name that differs. */
  readonly sharesMasterKeys: (claims: LinkClaims) => boolean
}

export function createLinkSignatures(linkKeys: MasterKeys, masterKeys: MasterKeys): LinkSignatures {
  const keyring: Keyring = deriveKeyring(linkKeys, 'cell link')
  const mac = (key: Buffer, ...lines: readonly string[]) => createHmac('sha256', key).update(lines.join('\n')).digest()
  const requestMac = (key: Buffer, { method, target }: SignedTarget, payload: string) =>
    mac(key, 'request', method, target, payload)
  const answerMac = (key: Buffer, nonce: string, status: number, body: string) =>
    mac(key, 'answer', nonce, String(status), hash('sha256', body, 'base64url'))

  const known = new Map<string, Readonly<Record<string, string>>>()
  /** Digests that reveal nothing to whoever lacks the link key, and even then nothing of a random key. */
  function masterDigests(key: { readonly id: string; readonly bytes: Buffer }): Readonly<Record<string, string>> {
    let digests = known.get(key.id)
    if (!digests) {
      digests = Object.fromEntries(
        masterKeys.map(({ id, bytes }) => [
          id,
          mac(key.bytes, 'master key', bytes.toString('base64url'))
            .subarray(0, masterDigestBytes)
            .toString('base64url'),
        ]),
      )
      known.set(key.id, digests)
    }
    return digests
  }

  return {
    sign: (what, claims, nowMs) => {
      const { current } = keyring
      const nonce = randomBytes(nonceBytes).toString('base64url')
      const payload = encodeClaims({
        ...claims,
        key: current.id,
        atMs: nowMs,
        nonce,
        masterKeys: masterDigests(current),
      })
      return { header: `${payload}.${requestMac(current.bytes, what, payload).toString('base64url')}`, nonce }
    },
    verify: (what, header) => {
      const [payload = '', signature = '', ...more] = header.length > maxHeaderLength ? [] : header.split('.')
      const claims = more.length === 0 ? decodeClaims(payload) : undefined
      if (!claims) return 'malformed'
      const key = keyring.find(claims.key)
      if (!key) return 'unknown_key'
      return isEqual(requestMac(key.bytes, what, payload), signature) ? claims : 'forged'
    },
    signAnswer: ({ key, nonce }, status, body) => {
      const made = keyring.find(key) ?? keyring.current
      return `${made.id}.${answerMac(made.bytes, nonce, status, body).toString('base64url')}`
    },
    isAnswer: (nonce, signature, status, body) => {
      const [id = '', given = ''] = signature.split('.')
      const key = keyring.find(id)
      return key !== undefined && isEqual(answerMac(key.bytes, nonce, status, body), given)
    },
    sharesMasterKeys: ({ key, masterKeys: theirs }) => {
      const linkKey = keyring.find(key)
      const ours = linkKey ? masterDigests(linkKey) : {}
      const shared = Object.keys(ours).filter((id) => Object.hasOwn(theirs, id))
      return shared.length > 0 && shared.every((id) => ours[id] === theirs[id])
    },
  }
}

function isEqual(expected: Buffer, text: string): boolean {
  const given = Buffer.from(text, 'base64url')
  // One spelling only, so that a signature cannot be sent again in another.
  return given.length === expected.length && given.toString('base64url') === text && timingSafeEqual(expected, given)
}

/** Digest of text, as claims carry it. */
export const digestOf = (text: string): string => hash('sha256', text, 'base64url')

/** Digest of the headers that name the caller of a forwarded request. */
export const credentialDigest = (headers: {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
}): string => digestOf(JSON.stringify([headers.authorization ?? null, headers.cookie ?? null]))
