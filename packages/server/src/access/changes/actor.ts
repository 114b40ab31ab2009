import { formatId } from '../../values/id.ts'
import type { Actor } from '../audit/audit.ts'
import type { Caller } from '../identity/identity.ts'

/** Returns a caller as the audit log names it. */
export const actorOf = (caller: Caller): Actor => ({
  kind: caller.kind,
  id: formatId(caller.kind === 'key' ? 'key' : 'grant', caller.id),
  role: caller.role,
  ...(caller.session && { session_id: formatId('session', caller.session.id) }),
  ...(caller.operatorKeyId && { operator_key_id: formatId('key', caller.operatorKeyId) }),
})
