import type { FastifyRequest } from 'fastify'
import type { PageSession } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { formatId } from '../../values/id.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import type { OidcRefusal } from '../oidc/oidc.ts'
import type { SamlRefusal } from '../saml/saml.ts'
import type { AdmissionRefusal, ArrivingBrowser, VouchedPerson } from '../sso/sso.ts'
import type { Arrival, SignInHooks } from './arrival.ts'

/** Returns the connection as the author of what happens at the door: nobody is known there yet. */
export const authorOf = ({ org_id: orgId, id }: ConnectionRow) => {
  const connection_id = formatId('connection', id)
  return { orgId, actor: { kind: 'system', id: connection_id, role: 'none', connection_id } } as const
}

/** Returns the browser that comes to an organization, with the member as whom it is signed in there already. */
export const visitOf = (
  { clientAddress }: FastifyRequest,
  session: PageSession | undefined,
  orgId: string,
): ArrivingBrowser => ({
  address: clientAddress,
  signedInAs:
    session?.state === 'live' && session.caller.kind === 'person' && session.caller.orgId === orgId
      ? session.caller.id
      : undefined,
})

export type SsoRefusal = OidcRefusal | SamlRefusal | AdmissionRefusal | 'request_unknown' | 'subject_unsound'

/** Creates what records why somebody was refused. They are told no more than that they were. */
export const createSsoRefusal =
  ({ attempts }: Pick<SignInHooks, 'attempts'>, { refused }: Pick<Arrival, 'refused'>) =>
  (request: FastifyRequest, connection: ConnectionRow, reason: SsoRefusal, person?: VouchedPerson) => {
    refused(connection.kind)
    attempts.refusedAtDoor(request, authorOf(connection), 'sign_in.refused', {
      reason,
      subject: person?.subject ?? null,
      email: person?.email ?? null,
    })
    return reason === 'org_suspended' || reason === 'ip_not_allowed'
      ? new ApiError(reason)
      : new ApiError('forbidden', {}, { message: messageOf(reason) })
  }

/**
 * Creates what judges an answer of a provider: returns what it proves, or throws the refusal. A source whose answers were refused too often
 * waits, so that nobody makes us do much work, or ask a provider often, with answers that are none.
 */
export const createJudgement =
  ({ identification }: Pick<SignInHooks, 'identification'>, refuse: ReturnType<typeof createSsoRefusal>) =>
  async <T>(
    request: FastifyRequest,
    connection: ConnectionRow,
    judge: () => Promise<{ readonly proved: T } | { readonly refusal: SsoRefusal }>,
  ): Promise<T> => {
    let refusal: SsoRefusal | undefined
    const find = async () => {
      const judged = await judge()
      if ('proved' in judged) return judged
      refusal = judged.refusal
      return undefined
    }
    const { proved } = await identification.guess(request, find).catch((error: unknown) => {
      throw refusal === undefined ? error : refuse(request, connection, refusal)
    })
    return proved
  }

/** Reasons that lie with the organization, not with the provider's answer. */
const ofOrganization = new Set<SsoRefusal>([
  'no_role',
  'email_missing',
  'member_removed',
  'turned_off',
  'email_not_verified',
  'member_in_use',
  'email_disowned',
  'member_known_otherwise',
  'not_a_member',
  'domain_not_proved',
])

function messageOf(reason: SsoRefusal): string {
  if (reason === 'request_unknown')
    return 'This sign-in was begun elsewhere, was used before, or took too long. Begin again.'
  if (ofOrganization.has(reason))
    return 'Your provider knows you, but the organization does not let you in. Ask one of its administrators: its audit log says why.'
  return 'The provider’s answer was refused. Begin again; if that does not help, ask an administrator of the organization: its audit log says why.'
}
