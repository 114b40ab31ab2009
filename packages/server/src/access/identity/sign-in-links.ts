import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Sql } from '../../platform/infra/sql.ts'
import type { Caller, Callers } from './callers.ts'
import { idOf, parseLinkCode } from './key-format.ts'
import { ownerOfSignInLink, takeSignInLink } from './queries.ts'
import type { Verification } from './verification.ts'

/**
 * Creates the two uses of a link that signs in once: looking at it, and signing in. Each guess costs a query, so a source that has failed
 * too often waits. `requireEntry` refuses those who may not sign in now.
 */
export function createSignInLinks(
  sql: Sql,
  callers: Callers,
  verification: Verification,
  requireEntry: (request: FastifyRequest, caller: Caller) => void,
) {
  async function find(request: FastifyRequest, text: string) {
    const code = verification.isOver(request) ? undefined : parseLinkCode(text)
    if (!code) return verification.refuse(request)
    const link = { id: idOf(code), digest: hash('sha256', code.secret, 'buffer') }
    const ownerId = await ownerOfSignInLink(sql, link.id, link.digest)
    const caller = ownerId === undefined ? undefined : await callers.find(ownerId)
    return caller ? { ...link, caller } : verification.refuse(request)
  }

  return {
    /** Returns as whom a link would sign in now, without using it up, or throws a refusal. */
    peek: async (request: FastifyRequest, text: string): Promise<Caller> => {
      const { caller } = await find(request, text)
      requireEntry(request, caller)
      return caller
    },
    /** Uses a link up and returns as whom it signs in, or throws a refusal. Whoever may not come in now can come later with the same link. */
    take: async (request: FastifyRequest, text: string): Promise<Caller> => {
      const { id, digest, caller } = await find(request, text)
      request.bearer = caller
      requireEntry(request, caller)
      // Of several who open the link at once, one uses it up.
      if ((await takeSignInLink(sql, id, digest)) === undefined) return verification.refuse(request)
      callers.used(caller)
      return caller
    },
  }
}
