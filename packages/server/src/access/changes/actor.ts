import { formatId } from '../../values/id.ts'
import type { Actor } from '../audit/audit.ts'
import { type Caller, makerText } from '../identity/identity.ts'

/** Returns a caller as the audit log names it. */
export const actorOf = (caller: Caller): Actor => ({
  kind: caller.kind,
  id: makerText(caller),
  role: caller.role,
  ...(caller.person && { email: caller.person.email }),
  ...(caller.session?.connectionId && { connection_id: formatId('connection', caller.session.connectionId) }),
  ...(caller.session && { session_id: formatId('session', caller.session.id) }),
  ...(caller.operatorKeyId && { operator_key_id: formatId('key', caller.operatorKeyId) }),
})
