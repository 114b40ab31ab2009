import { setTimeout as pause } from 'node:timers/promises'
import { often } from '../activities.ts'
import type { Drill } from '../drill.ts'
import type { Installation } from '../installation.ts'

const read = ({ ask, owner }: Installation) => ask('GET', '/v1/runs', undefined, owner)

export const processes: readonly Drill[] = [
  {
    name: 'the worker dies',
    alerts: ['WeirWorkerAbsent', 'WeirPartitionsUnknown'],
    cause: ({ parts }) => parts.worker.kill(),
    cure: ({ parts }) => parts.worker.start(),
  },
  {
    name: 'the api dies',
    alerts: ['WeirApiAbsent'],
    cause: ({ parts }) => parts.api.kill(),
    cure: ({ parts }) => parts.api.start(),
  },
  {
    name: 'a gateway dies',
    alerts: ['WeirGatewayDown'],
    cause: ({ parts }) => parts.gateway.kill(),
    cure: ({ parts }) => parts.gateway.start(),
  },
  {
    name: 'an earlier release was forgotten',
    alerts: ['WeirVersionsMixed', 'WeirPriceCatalogOld'],
    cause: ({ parts, earlierRelease }) => parts.api.restart({ command: [process.execPath, earlierRelease(), 'api'] }),
    cure: ({ parts }) => parts.api.restart(),
  },
  {
    name: 'a process stalls again and again',
    alerts: ['WeirEventLoopBusy'],
    async whileWrong({ parts }) {
      parts.worker.signal('SIGSTOP')
      await pause(320)
      parts.worker.signal('SIGCONT')
      await pause(100)
    },
  },
  {
    name: 'a process has little room',
    alerts: ['WeirRequestsShed'],
    cause: ({ parts }) => parts.api.restart({ environment: { SVC_MAX_IN_FLIGHT: '1' } }),
    whileWrong: read,
    cure: ({ parts }) => parts.api.restart(),
  },
  {
    name: 'connections to PostgreSQL are too few',
    alerts: ['WeirDatabasePoolExhausted'],
    cause: ({ parts }) => parts.api.restart({ environment: { SVC_DATABASE_POOL_SIZE: '2' } }),
    async whileWrong(installation) {
      const { database } = installation
      await database.hold('lock table runs in access exclusive mode')
      await Promise.all([pause(150).then(() => database.release()), often(10, 10, () => read(installation))])
    },
    cure: ({ parts }) => parts.api.restart(),
  },
  {
    name: 'Redis is gone',
    alerts: ['WeirRateLimitsFallBack'],
    async cause({ ask, orgId, operator, parts }) {
      await ask('PUT', `/v1/admin/orgs/${orgId}/rate-limits`, { read_rpm: 100_000, policies: [] }, operator)
      await parts.redis.kill()
    },
    whileWrong: read,
    whileWell: read,
    cure: ({ parts }) => parts.redis.start(),
  },
]
