import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { type AuditRecord, recordAlongside } from '../audit/audit.ts'
import {
  type Authority,
  authorityOf,
  type Caller,
  findAuthority,
  lockMemberShared,
  makerText,
} from '../identity/identity.ts'

/**
 * Refuses a member who has lost their role, or their membership, since the request was authorized: its body may have come much later. The
 * membership is locked, so that whoever ends it waits for the change.
 */
export async function holdStanding(tx: Tx, { orgId, id, role }: Caller) {
  const member = await lockMemberShared(tx, orgId, id)
  if (!member || member.removed_at !== null || member.deactivated_at !== null) throw new ApiError('session_revoked')
  if (member.role !== role) throw roleChanged()
}

interface Recording {
  readonly tx: Tx
  readonly keyring: Keyring
  readonly orgId: string
  readonly now: Date
}

/**
 * Puts a change on record, and refuses it when its caller has lost their authority since the request was authorized: it may have waited
 * long for its turn. Last of all, under the lock of the audit chain: what takes authority away in the same organization has committed
 * before, and is seen here, or commits after the change. Nothing is locked that a flood of changes could keep from being revoked.
 */
export async function recordWithAuthority(
  { tx, keyring, orgId, now }: Recording,
  caller: Caller,
  entries: readonly Pick<AuditRecord, 'action' | 'target'>[],
  records: readonly AuditRecord[],
) {
  const recorded = await recordAlongside(tx, keyring, orgId, records, authorityOf(caller))
  const authority = recorded === undefined ? await findAuthority(tx, caller) : recorded
  const refusal = refusalOf(caller, authority, now)
  if (refusal && !entries.some((entry) => endsItself(caller, entry))) throw refusal
}

function refusalOf(caller: Caller, authority: Authority | null, now: Date): ApiError | undefined {
  const hasEnded = authority?.is_ended !== false
  if (hasEnded && caller.kind === 'directory')
    return new ApiError('unauthorized', {}, { message: 'This token was revoked.' })
  if (caller.session && (hasEnded || authority.is_session_ended)) return new ApiError('session_revoked')
  if (hasEnded) return new ApiError('gone', {}, { message: 'This key was revoked.' })
  if (authority.expires_at !== null && new Date(authority.expires_at) <= now)
    return new ApiError(caller.session ? 'session_revoked' : 'key_expired')
  if (authority.is_org_suspended) return new ApiError('org_suspended')
  return authority.role === null || authority.role === caller.role ? undefined : roleChanged()
}

const roleChanged = () => new ApiError('forbidden', {}, { message: 'Your role has changed. Try again.' })

/** Acts by which a caller takes their own authority away. */
const endings =
  /^(?:key\.(?:revoked|rotated)|support_grant\.revoked|session\.revoked|member\.(?:changed|deactivated|removed))$/

function endsItself(caller: Caller, { action, target }: Pick<AuditRecord, 'action' | 'target'>) {
  const own = [makerText(caller), caller.session && formatId('session', caller.session.id)]
  return own.includes(target.id) && endings.test(action)
}
