import type { App } from '../../contract/routes.ts'
import { type CounterBuffer, createCounterBuffer } from '../../platform/infra/counter-buffer.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { timestamp } from '../../values/timestamp.ts'
import { addUses, type ForeignUse } from './queries.ts'

/** Header that tells a caller when the foreign key that it presents stops working. */
export const foreignKeyHeader = 'x-svc-foreign-key-ends'

export const createForeignUses = (platform: Platform): CounterBuffer<ForeignUse> =>
  createCounterBuffer<ForeignUse>(platform, { name: 'foreign_key_uses', write: addUses })

/** Counts every call with a foreign key that was let in, and says in the answer when the key stops working. */
export function countForeignUses(app: App, { clock }: Pick<Platform, 'clock'>, uses: CounterBuffer<ForeignUse>) {
  app.addHook('onRequest', ({ principal }, reply, done) => {
    const foreign = principal?.foreign
    if (principal && foreign) {
      const { id, endsAtMs, rehash } = foreign
      const at = clock.now().toISOString()
      const kept = { mac: rehash?.mac.toString('hex') ?? null, mac_key_id: rehash?.mac_key_id ?? null }
      uses.add(id, { org_id: principal.orgId, id, count: 1, at, ...kept })
      void reply.header(foreignKeyHeader, timestamp(new Date(endsAtMs)))
    }
    done()
  })
}
