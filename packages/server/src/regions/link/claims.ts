import type { AnsweredRequest } from '../../access/changes/changes.ts'
import { isRecord } from '../../values/records.ts'

/**
 * Uses of a signature: to ask another cell something itself, to hand a caller's request on, to report that one was refused, or to move an
 * organization.
 */
export type LinkPurpose = 'internal' | 'forward' | 'refusal' | 'move'

/** Facts about a caller that the cell at which a request arrived vouches for. */
export interface ForwardedCaller {
  /** Address of the client. */
  readonly address: string
  /** `Host` that the client sent; absent when it sent none. */
  readonly host?: string
}

/** Statement of a cell about a request that it sends to another. */
export interface LinkClaims {
  /** Id of the link key that signs. */
  readonly key: string
  readonly purpose: LinkPurpose
  readonly from: string
  readonly to: string
  readonly atMs: number
  /** Random text that makes the statement good for one request. */
  readonly nonce: string
  /** Digest of the body of an internal request or of one that moves an organization; of every other, of the headers that name its caller. */
  readonly digest: string
  /** Keyed digests of the master keys, by their ids. */
  readonly masterKeys: Readonly<Record<string, string>>
  readonly caller?: ForwardedCaller
  /** The refused request. */
  readonly refused?: AnsweredRequest
}

const maxMasterKeys = 100

/** Encodes claims as one word. */
export const encodeClaims = (claims: LinkClaims): string => Buffer.from(JSON.stringify(claims)).toString('base64url')

/** Decodes claims; undefined for anything that is none. They are not trusted before their signature is verified. */
export function decodeClaims(text: string): LinkClaims | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  return isClaims(value) ? value : undefined
}

function isClaims(value: unknown): value is LinkClaims {
  if (!isRecord(value)) return false
  const { purpose, atMs, nonce, masterKeys, caller, refused } = value
  return (
    ['key', 'from', 'to', 'digest'].every((name) => typeof value[name] === 'string') &&
    (purpose === 'internal' || purpose === 'forward' || purpose === 'refusal' || purpose === 'move') &&
    Number.isSafeInteger(atMs) &&
    typeof nonce === 'string' &&
    /^[\w-]{22}$/.test(nonce) &&
    isRecord(masterKeys) &&
    Object.keys(masterKeys).length <= maxMasterKeys &&
    Object.values(masterKeys).every((digest) => typeof digest === 'string') &&
    (caller === undefined ? purpose === 'internal' || purpose === 'move' : purpose !== 'move' && isCaller(caller)) &&
    (purpose === 'refusal' ? isAnswered(refused) : refused === undefined)
  )
}

const isAnswered = (value: unknown): value is AnsweredRequest =>
  isRecord(value) &&
  ['method', 'path', 'traceId'].every((name) => typeof value[name] === 'string') &&
  Number.isSafeInteger(value['status']) &&
  (value['template'] === undefined || typeof value['template'] === 'string')

const isCaller = (value: unknown): value is ForwardedCaller =>
  isRecord(value) &&
  typeof value['address'] === 'string' &&
  (value['host'] === undefined || typeof value['host'] === 'string')
