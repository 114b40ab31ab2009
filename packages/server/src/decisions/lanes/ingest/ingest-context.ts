import type { StoredResponses } from '../../../access/idempotency/idempotency.ts'
import type { PipelinedConnection } from '../../../platform/infra/pipelined-connection.ts'
import type { CustomerHints } from '../customer-hints.ts'
import type { OrgConfig } from '../operations.ts'

export interface IngestContext {
  readonly connection: PipelinedConnection
  readonly orgConfigOf: (orgId: string) => OrgConfig
  readonly responses: StoredResponses
  readonly estimatedDbTimeMs: number
  readonly customerHints: CustomerHints
}
