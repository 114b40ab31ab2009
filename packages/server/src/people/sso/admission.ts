import type { PageTools } from '../../access/changes/changes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { findOrg } from '../../tenants/orgs/orgs.ts'
import { formatId } from '../../values/id.ts'
import { createNetworkMatcher } from '../../values/network.ts'
import { present } from '../../values/present.ts'
import { brokenRule } from '../answer-rules/answer-rules.ts'
import { type ConnectionRow, lockConnection } from '../connections/connections.ts'
import { isOfProvedDomain } from '../domains/domains.ts'
import {
  addMember,
  changeMember,
  findMemberByEmail,
  isLastOwner,
  lockMember,
  type MemberRow,
  wasRemoved,
} from '../members/members.ts'
import type { OidcSubject } from '../oidc/oidc.ts'
import { type PersonRole, roleOf } from '../role-rules/role-rules.ts'
import { type AdmissionRefusal, type AdmissionRules, strictRules } from './admission-rules.ts'
import { hasIdentity, isWaiting, lockIdentity, setIdentity } from './queries.ts'

/** Somebody whom a provider vouches for, by whichever way it does. */
export type VouchedPerson = Pick<OidcSubject, 'subject' | 'email' | 'isEmailVerified' | 'name' | 'claims'>

/** The browser in which somebody comes from a provider. */
export interface ArrivingBrowser {
  readonly address: string
  /** The member as whom it is signed in already. */
  readonly signedInAs?: string | undefined
}

export type SsoAdmission = { readonly memberId: string } | { readonly refusal: AdmissionRefusal }

/**
 * Returns the role that a connection gives. Where it has rules they decide at every sign-in; where it has none, members keep the role that
 * they were given, and only newcomers get the default.
 */
function roleIn({ role_rules, default_role }: ConnectionRow, { claims }: VouchedPerson, standing?: PersonRole) {
  return role_rules.length === 0 ? (standing ?? default_role) : roleOf(role_rules, default_role, claims)
}

/**
 * Finds the member whom a provider vouches for, or makes them one. A member is found by the provider's name of them; by their e-mail address
 * only the first time, under rules. Where the organization lets nobody in nothing is changed.
 */
export const admit = (
  platform: Platform,
  tools: PageTools,
  connection: ConnectionRow,
  subject: VouchedPerson,
  visit: ArrivingBrowser,
): Promise<SsoAdmission> => admitUnder(strictRules, platform, tools, connection, subject, visit)

export async function admitUnder(
  rules: AdmissionRules,
  platform: Platform,
  tools: PageTools,
  { org_id: orgId, id: connectionId }: ConnectionRow,
  subject: VouchedPerson,
  { address, signedInAs }: ArrivingBrowser,
): Promise<SsoAdmission> {
  const shut = await refusalOfOrg(tools.tx, orgId, address)
  if (shut !== undefined) return { refusal: shut }
  // Somebody may sign in for the first time in two browsers at once, or while the connection is changed.
  const connection = await lockConnection(tools.tx, orgId, connectionId)
  if (!connection?.enabled) return { refusal: 'turned_off' }
  const knownId = await lockIdentity(tools.tx, orgId, connectionId, subject.subject)
  const known = knownId === undefined ? undefined : await lockMember(tools.tx, orgId, knownId)
  const isPresent = known !== undefined && known.removed_at === null
  const found = isPresent ? known : await newcomer(rules, tools, connection, subject, knownId !== undefined, signedInAs)
  if ('refusal' in found) return found
  const role = roleIn(connection, subject, found.role)
  if (role === null) return { refusal: 'no_role' }
  await setIdentity(tools.tx, orgId, connectionId, subject.subject, found.id)
  await keepRole(platform, tools, found, role)
  return { memberId: found.id }
}

/** Returns why an organization lets in nobody at all, or nobody from this address. */
async function refusalOfOrg(tx: Tx, orgId: string, address: string): Promise<AdmissionRefusal | undefined> {
  const { status, ip_allow_list } = present(await findOrg(tx, orgId))
  if (status === 'suspended') return 'org_suspended'
  const isListed = ip_allow_list.length === 0 || createNetworkMatcher(ip_allow_list).contains(address)
  return isListed ? undefined : 'ip_not_allowed'
}

/** Finds or makes the membership of somebody whom the provider calls by a name that is new here, or whose membership was removed. */
async function newcomer(
  rules: AdmissionRules,
  tools: PageTools,
  connection: ConnectionRow,
  subject: VouchedPerson,
  wasMember: boolean,
  signedInAs: string | undefined,
): Promise<MemberRow | { readonly refusal: AdmissionRefusal }> {
  const { tx } = tools
  const { org_id: orgId, id: connectionId } = connection
  const { email, isEmailVerified, name, claims } = subject
  if (email === null) return { refusal: 'email_missing' }
  const isEmailDisowned = claims['email_verified'] === false
  const isDomainProved = await isOfProvedDomain(tx, orgId, email)
  const namesake = await findMemberByEmail(tx, orgId, email)
  if (namesake) {
    const refusal = brokenRule(rules.namesakeRules, {
      isEmailVerified,
      isEmailDisowned,
      isDomainProved,
      isWaiting: signedInAs === namesake.id || (await isWaiting(tx, orgId, namesake.id)),
      isKnownOtherwise: await hasIdentity(tx, orgId, connectionId, namesake.id),
    })
    return refusal === undefined ? ((await lockMember(tx, orgId, namesake.id)) ?? namesake) : { refusal }
  }
  // Whom the organization has removed it must invite again.
  if (wasMember || (await wasRemoved(tx, orgId, email))) return { refusal: 'member_removed' }
  const refusal = brokenRule(rules.strangerRules, { isJit: connection.jit, isEmailDisowned, isDomainProved })
  if (refusal !== undefined) return { refusal }
  const role = roleIn(connection, subject)
  return role === null
    ? { refusal: 'no_role' }
    : addMember(tools, orgId, { email, name: name ?? '', role, isAccepted: true })
}

/** Gives a member the role that the rules say, whatever ends with it. The last owner stays one: nobody could undo it. */
async function keepRole(platform: Platform, tools: PageTools, row: MemberRow, role: PersonRole) {
  if (row.role === role) return
  if (!(await isLastOwner(tools.tx, row))) {
    await changeMember(platform, tools, row, { role }, { isDirectory: true })
    return
  }
  platform.log.warn(
    { member_id: formatId('member', row.id), role },
    'a rule of a connection would have lowered the last owner, who stays one',
  )
}
