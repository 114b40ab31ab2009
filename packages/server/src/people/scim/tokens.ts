import { hash } from 'node:crypto'
import type { ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, mintDirectoryToken } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import type { ScimTokenView } from './schema.ts'
import { countLiveTokens, findToken, insertToken, revokeToken, type ScimTokenRow } from './token-queries.ts'

/** Live tokens that an organization can have: two of each directory, so that one can be replaced. */
const maxLive = 10

export const tokenView = (row: ScimTokenRow): ScimTokenView => ({
  id: formatId('scimToken', row.id),
  org_id: formatId('org', row.org_id),
  name: row.name,
  status: row.revoked_at === null ? 'active' : 'revoked',
  last_used_at: timestampOrNull(row.last_used_at),
  revoked_at: timestampOrNull(row.revoked_at),
  created_at: timestamp(row.created_at),
})

const targetOf = ({ id }: ScimTokenView) => ({ kind: 'scim_token', id })

export const scimBase = ({ addresses }: Pick<Platform, 'addresses'>) => `${addresses.publicUrl()}/scim/v2`

/** The columns that say who was shown the secret: the token ends with them. */
const mintedBy = ({ kind, id }: Caller) => ({
  minted_by_key: kind === 'key' ? id : null,
  minted_by_member: kind === 'person' ? id : null,
})

/** Makes a token for a directory. Its secret is shown once and stored as a hash only. */
export async function makeToken(platform: Platform, { tx, audit }: ChangeTools, caller: Caller, name: string) {
  const { orgId } = caller
  await lockOrg(tx, orgId)
  if ((await countLiveTokens(tx, orgId)) >= maxLive)
    throw new ApiError('conflict', {}, { message: `An organization can have ${maxLive} tokens. Revoke one first.` })
  const { id, secret, text } = mintDirectoryToken(platform.config)
  const view = tokenView(
    await insertToken(tx, orgId, { id, name, digest: hash('sha256', secret, 'buffer'), ...mintedBy(caller) }),
  )
  audit({ action: 'scim_token.created', target: targetOf(view), after: view })
  return { ...view, secret: text, base_url: scimBase(platform) }
}

/** Ends a token; repeating it has no effect. Tokens are looked up at each request, so its next one is refused. */
export async function endToken({ tx, audit }: ChangeTools, orgId: string, id: string): Promise<ScimTokenView> {
  await lockOrg(tx, orgId)
  const found = await findToken(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = tokenView(found)
  if (before.status === 'revoked') return before
  const after = tokenView(await revokeToken(tx, orgId, id))
  audit({ action: 'scim_token.revoked', target: targetOf(after), before, after })
  return after
}
