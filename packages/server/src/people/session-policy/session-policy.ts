import type { ChangeTools } from '../../access/changes/changes.ts'
import type { Caller, SessionWay } from '../../access/identity/identity.ts'
import type { Config } from '../../config.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId } from '../../values/id.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import {
  findSessionPolicy,
  lockSessionPolicyShared,
  type SessionPolicyRow,
  tightenSessions,
  upsertSessionPolicy,
} from './queries.ts'
import type { SessionPolicy, SessionPolicyInput } from './schema.ts'

const viewOf = (row: SessionPolicyRow | undefined): SessionPolicy => ({
  idle_seconds: row?.idle_seconds ?? null,
  max_seconds: row?.max_seconds ?? null,
  key_sign_in: row?.key_sign_in ?? 'allow',
  sso: row?.sso ?? 'optional',
  created_at: timestampOrNull(row?.created_at ?? null),
  updated_at: timestampOrNull(row?.updated_at ?? null),
})

export const getPolicy = async (tx: Tx, orgId: string): Promise<SessionPolicy> =>
  viewOf(await findSessionPolicy(tx, orgId))

/** Sets what the organization demands of sessions, and brings those that there are under it. */
export async function putPolicy(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  wanted: DesiredState<SessionPolicyInput>,
): Promise<SessionPolicy> {
  await lockOrg(tx, orgId)
  const before = viewOf(await findSessionPolicy(tx, orgId))
  replaces(before)
  const { idle_seconds = null, max_seconds = null, key_sign_in = 'allow', sso = 'optional' } = wanted(before)
  const row = await upsertSessionPolicy(tx, orgId, { idle_seconds, max_seconds, key_sign_in, sso })
  await tightenSessions(tx, orgId, row)
  const after = viewOf(row)
  audit({ action: 'session_policy.set', target: { kind: 'session_policy', id: formatId('org', orgId) }, before, after })
  accessChanged()
  return after
}

/**
 * Returns how long a session that is opened now may last, by the installation and by its organization; throws where the organization
 * refuses this way in. The policy cannot change until the transaction ends.
 */
export async function sessionBounds(
  { sessionIdleSeconds, sessionMaxSeconds }: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
  tx: Tx,
  { orgId, kind }: Pick<Caller, 'orgId' | 'kind'>,
  way: SessionWay,
): Promise<{ idleSeconds: number; maxSeconds: number }> {
  await lockSessionPolicyShared(tx, orgId)
  const policy = await findSessionPolicy(tx, orgId)
  if (kind !== 'person' && policy?.key_sign_in === 'refuse')
    throw new ApiError('forbidden', {}, { message: 'Your organization does not let keys open sessions.' })
  if (kind === 'person' && policy?.sso === 'required' && way !== 'oidc' && way !== 'saml')
    throw new ApiError(
      'forbidden',
      {},
      { message: 'Your organization asks you to sign in with its identity provider.' },
    )
  const maxSeconds = Math.min(sessionMaxSeconds, policy?.max_seconds ?? sessionMaxSeconds)
  const idleSeconds = Math.min(maxSeconds, sessionIdleSeconds, policy?.idle_seconds ?? sessionIdleSeconds)
  return { idleSeconds, maxSeconds }
}
