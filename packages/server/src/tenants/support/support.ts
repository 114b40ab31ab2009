import { actorOf, type ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, mintKey, secretKeyring, secretMac } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { insertGrant, lockGrant, revokeGrant } from './queries.ts'
import type { GrantInput, GrantView } from './schema.ts'
import type { EndTraces } from './traces.ts'
import { grantView } from './view.ts'

export { closeGrants, closeGrantsJob } from './grant-closure.ts'
export type { EndTraces } from './traces.ts'
export { grantView } from './view.ts'

/**
 * Issues a grant that lets an operator into one organization, within one scope and for a limited time, recorded in that
 * organization's audit log.
 */
export async function issueGrant(
  platform: Platform,
  { tx, audit }: ChangeTools,
  operator: Caller,
  orgId: string,
  input: GrantInput,
) {
  const minted = mintKey(platform.config.cell)
  const { id, bytes } = secretKeyring(platform).current
  const row = await insertGrant(tx, orgId, {
    id: minted.id,
    operator_key_id: operator.id,
    scope: input.scope,
    reason: input.reason,
    mac: secretMac(bytes, minted.secret),
    mac_key_id: id,
    durationSeconds: input.duration_seconds,
    latestEnd: Number.isFinite(operator.expiresAtMs) ? new Date(operator.expiresAtMs) : null,
  })
  const view = grantView(row, platform.clock.now())
  audit({ action: 'support_grant.issued', target: { kind: 'support_grant', id: view.id }, after: view })
  return { ...view, token: minted.text }
}

/** Revokes a grant, by an operator or by the customer; repeating it has no effect, and an expired grant stays expired. */
export async function endGrant(
  platform: Platform,
  endTraces: EndTraces,
  tools: ChangeTools,
  caller: Caller,
  orgId: string,
  id: string,
): Promise<GrantView> {
  const { tx, audit, accessChanged } = tools
  const found = await lockGrant(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const now = platform.clock.now()
  const before = grantView(found, now)
  if (before.status === 'revoked') return before
  if (before.status === 'expired') throw new ApiError('conflict', {}, { message: 'The grant has already expired.' })
  const after = grantView(await revokeGrant(tx, orgId, id, actorOf(caller)), now)
  await endTraces(tools, orgId, id)
  audit({ action: 'support_grant.revoked', target: { kind: 'support_grant', id: after.id }, before, after })
  accessChanged()
  return after
}
