import type { FastifyReply } from 'fastify'
import type { LinkClaims } from './claims.ts'
import { answerHeader } from './signature.ts'

/** Something that signs answers as this cell. */
interface Signer {
  readonly signAnswer: (claims: LinkClaims, status: number, body: string) => string
}

/** Answers another cell with a value, signed as the answer to its request. */
export function sendSigned(
  reply: FastifyReply,
  link: Signer,
  claims: LinkClaims,
  { status, value }: { readonly status: number; readonly value: object },
) {
  const body = JSON.stringify(value)
  return reply
    .code(status)
    .header(answerHeader, link.signAnswer(claims, status, body))
    .type('application/json')
    .serializer(String)
    .send(body)
}
