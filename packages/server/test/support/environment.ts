import { services } from '../../scripts/private-services.ts'

const testMasterKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`

/** The environment of a process under test. */
export const environmentFor = (database: { ownerUrl: string; appUrl: string }, more: Record<string, string> = {}) => ({
  SVC_DATABASE_URL: database.appUrl,
  SVC_MIGRATE_DATABASE_URL: database.ownerUrl,
  SVC_REDIS_URL: services().redis.url,
  SVC_PORT: '0',
  SVC_MASTER_KEYS: testMasterKeys,
  SVC_DRAIN_SECONDS: '0',
  // A machine that is busy with other tests is no overload.
  SVC_MAX_EVENT_LOOP_DELAY_MS: '60000',
  SVC_DECISION_QUEUE_TIMEOUT_MS: '20000',
  // All tests fail from one address, and Redis counts them together.
  SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  ...more,
})
