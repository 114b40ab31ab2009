import type { Platform } from '../../platform/infra/platform.ts'
import { auditKeyring, recordAll } from '../audit/audit.ts'
import type { RecordReplay } from '../idempotency/idempotency.ts'
import { actorOf } from './actor.ts'

/** Returns the recorder of replays in the audit log; the effect itself was recorded the first time. */
export function createReplayRecorder({ config }: Platform): RecordReplay {
  const keyring = auditKeyring(config.masterKeys())
  return async (tx, { caller, method, raw, headers, clientAddress, id }) => {
    const record = {
      actor: actorOf(caller),
      action: 'answer.replayed',
      target: { kind: 'request', id: `${method} ${raw.url?.replace(/\?.*$/s, '')}` },
      after: { idempotency_key: headers['idempotency-key'] },
      address: clientAddress,
      traceId: id,
    }
    await recordAll(tx, keyring, caller.orgId, [record])
  }
}
