import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

const columns = [
  'idle_seconds',
  'max_seconds',
  raw<'allow' | 'refuse'>`key_sign_in`.as('key_sign_in'),
  raw<'optional' | 'required'>`sso`.as('sso'),
  'created_at',
  'updated_at',
] as const

export const findSessionPolicy = (tx: Tx, orgId: string) =>
  tx.selectFrom('session_policies').select(columns).where('org_id', '=', orgId).executeTakeFirst()

export type SessionPolicyRow = NonNullable<Awaited<ReturnType<typeof findSessionPolicy>>>

type Demands = Pick<SessionPolicyRow, 'idle_seconds' | 'max_seconds' | 'key_sign_in' | 'sso'>

export const upsertSessionPolicy = (tx: Tx, orgId: string, policy: Demands): Promise<SessionPolicyRow> =>
  tx
    .insertInto('session_policies')
    .values({ org_id: orgId, ...policy })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ ...policy, updated_at: raw`clock_timestamp()` }))
    .returning(columns)
    .executeTakeFirstOrThrow()

/** Keeps the policy of an organization from changing until the transaction ends; sessions are opened under it. */
export async function lockSessionPolicyShared(tx: Tx, orgId: string) {
  await tx.selectFrom('orgs').select('id').where('id', '=', orgId).forShare().execute()
}

/** Brings the sessions that there are under a policy. */
export async function tightenSessions(tx: Tx, orgId: string, { idle_seconds, max_seconds, key_sign_in, sso }: Demands) {
  await raw`
    update sessions set idle_seconds = least(idle_seconds, ${idle_seconds}::integer),
           expires_at = least(expires_at, created_at + make_interval(secs => ${max_seconds}::integer)),
           revoked_at = case when (member_id is null and ${key_sign_in}::text = 'refuse')
                               or (member_id is not null and ${sso}::text = 'required' and way not in ('oidc', 'saml'))
                             then clock_timestamp() end
     where org_id = ${orgId} and revoked_at is null`.execute(tx)
}
