import { randomBytes } from 'node:crypto'
import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Clock } from '../../platform/infra/clock.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { newUuid, requireId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import { findConnection } from '../connections/connections.ts'
import { domainOfEmail, normalDomain } from './domain-name.ts'
import {
  countDomains,
  type DomainRow,
  deleteDomain,
  findDomain,
  findDomainByName,
  insertDomain,
  updateDomain,
} from './queries.ts'
import type { DomainInput, DomainReplacement, DomainView } from './schema.ts'
import { domainView, recordOf } from './view.ts'

export { domainOfEmail } from './domain-name.ts'
export { checkDomains, checkDomainsJob } from './proofs.ts'
export { connectionOfDomain } from './queries.ts'

const maxDomains = 100
const tokenBytes = 16
const uniqueViolation = '23505'

/** Returns the connection that a body names, if the organization has it. */
async function connectionOf(tx: Tx, orgId: string, { connection_id = null }: DomainReplacement) {
  if (connection_id === null) return null
  const id = requireId('connection', connection_id)
  if (await findConnection(tx, orgId, id)) return id
  throw validationFailed([
    { field: 'connection_id', code: 'invalid_value', message: 'The organization has no such connection.' },
  ])
}

export async function claimDomain({ tx, audit }: ChangeTools, orgId: string, input: DomainInput): Promise<DomainView> {
  await lockOrg(tx, orgId)
  const domain = present(normalDomain(input.domain))
  if (await findDomainByName(tx, orgId, domain))
    throw new ApiError('conflict', {}, { message: 'The organization has this domain already.' })
  if ((await countDomains(tx, orgId)) >= maxDomains)
    throw new ApiError('conflict', {}, { message: `An organization can have at most ${maxDomains} domains.` })
  const row = await insertDomain(tx, orgId, {
    id: newUuid(),
    domain,
    description: input.description ?? '',
    token: randomBytes(tokenBytes).toString('hex'),
    connection_id: await connectionOf(tx, orgId, input),
  })
  const after = domainView(row)
  audit({ action: 'domain.created', target: { kind: 'domain', id: after.id }, after })
  return after
}

async function lockDomain({ tx, replaces }: ChangeTools, orgId: string, id: string): Promise<DomainRow> {
  await lockOrg(tx, orgId)
  const found = await findDomain(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  replaces(domainView(found))
  return found
}

export async function replaceDomain(
  tools: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<DomainReplacement>,
): Promise<DomainView> {
  const before = domainView(await lockDomain(tools, orgId, id))
  const desired = wanted(before)
  const connection_id = await connectionOf(tools.tx, orgId, desired)
  const { description = '' } = desired
  const after = domainView(await updateDomain(tools.tx, orgId, id, { description, connection_id }))
  tools.audit({ action: 'domain.changed', target: { kind: 'domain', id: after.id }, before, after })
  return after
}

export async function removeDomain(tools: ChangeTools, orgId: string, id: string) {
  const before = domainView(await lockDomain(tools, orgId, id))
  await deleteDomain(tools.tx, orgId, id)
  tools.audit({ action: 'domain.deleted', target: { kind: 'domain', id: before.id }, before })
}

/**
 * Takes down what DNS says of a domain. A record that is gone takes the proof back; where DNS could not be asked, everything stays. A
 * domain that another organization has proved stays that one's, unless its proof was displaced before.
 */
export async function noteProof(
  { tx, audit }: ChangeTools,
  clock: Clock,
  orgId: string,
  id: string,
  records: readonly string[],
): Promise<DomainView> {
  await lockOrg(tx, orgId)
  const found = await findDomain(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = domainView(found)
  const isProved = records.includes(recordOf(found).value)
  const now = clock.now()
  const verified_at = isProved ? (found.verified_at ?? now) : null
  const fields = { checked_at: now, verified_at, missed_days: 0, missed_at: null }
  const row = await updateDomain(tx, orgId, id, fields).catch((error: unknown) => {
    if (errorCode(error) !== uniqueViolation) throw error
    throw new ApiError('conflict', {}, { message: 'Another organization has proved this domain.' })
  })
  const after = domainView(row)
  if (after.status !== before.status)
    audit({
      action: isProved ? 'domain.verified' : 'domain.unverified',
      target: { kind: 'domain', id: after.id },
      before,
      after,
    })
  return after
}

/** True when an e-mail address is of a domain that the organization has proved. */
export async function isOfProvedDomain(tx: Tx, orgId: string, email: string): Promise<boolean> {
  const domain = domainOfEmail(email)
  const found = domain === undefined ? undefined : await findDomainByName(tx, orgId, domain)
  return found !== undefined && found.verified_at !== null
}
