import type { BulkRun } from './bulk-schema.ts'

/** A text that is equal for runs which meet the same limits in the same periods. */
export function accountKey(
  run: BulkRun,
  parentId: string | undefined,
  lineageId: string | undefined,
  bucketAtMs: number | undefined,
): string {
  const { workflow_id, deployment_id, department_id, customer_id, user_id, chain_id, model, provider, tags } = run
  return JSON.stringify([
    workflow_id,
    deployment_id,
    department_id,
    customer_id,
    user_id,
    chain_id,
    parentId,
    model,
    provider,
    tags,
    lineageId,
    bucketAtMs,
  ])
}
