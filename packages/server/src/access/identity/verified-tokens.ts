import { hash } from 'node:crypto'
import { Lru } from '../../values/lru.ts'
import type { Caller } from './caller.ts'

/** Longest header that is remembered: longer ones than tokens take are not worth their digest. */
const maxLength = 256

/** A token whose secret was verified, with the caller that it was verified for. */
export interface VerifiedToken {
  readonly publicId: string
  readonly caller: Caller
}

/**
 * Tokens that were verified, by the digest of the `Authorization` header that presented them. A secret has 256 random bits, so a plain
 * hash of it reveals nothing, and costs less than everything else about a token: its checksum, its parts, and a keyed hash. The secret
 * itself is not kept. Who recognizes a token still has to ask whether its caller is the cached one.
 */
export class VerifiedTokens {
  private readonly byDigest: Lru<string, VerifiedToken>
  private readonly digests = new WeakMap<Caller, string>()

  constructor(max: number) {
    this.byDigest = new Lru(max)
  }

  find(authorization: string): VerifiedToken | undefined {
    return authorization.length > maxLength ? undefined : this.byDigest.get(digestOf(authorization))
  }

  /** Remembers a token in one spelling of its header, the last: so a caller has one entry, however it spells the header. */
  add(authorization: string, publicId: string, caller: Caller) {
    this.forget(caller)
    if (authorization.length > maxLength) return
    const digest = digestOf(authorization)
    this.digests.set(caller, digest)
    this.byDigest.set(digest, { publicId, caller })
  }

  forget(caller: Caller) {
    const digest = this.digests.get(caller)
    if (digest !== undefined && this.byDigest.get(digest)?.caller === caller) this.byDigest.delete(digest)
  }

  clear() {
    this.byDigest.clear()
  }
}

const digestOf = (authorization: string) => hash('sha256', authorization, 'base64')
