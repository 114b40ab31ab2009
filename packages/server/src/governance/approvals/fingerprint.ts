import { hash } from 'node:crypto'
import type { Rule, RunAttempt } from '../policies/policies.ts'

/**
 * Returns the hash by which two attempts count as the same one: the same key attempts the same thing for the same customer and user. Token
 * counts and cost may differ. So may tags and metadata, unless the rule uses them: then the approver has approved those and no
 * others.
 */
export const fingerprintOf = ({ expression }: Pick<Rule, 'expression'>, attempt: RunAttempt): Buffer =>
  hash(
    'sha256',
    JSON.stringify([
      attempt.key.id,
      attempt.model,
      attempt.provider,
      attempt.operation,
      attempt.action,
      attempt.workflowId,
      attempt.deploymentId,
      attempt.departmentId,
      attempt.customerId,
      /\btags\b/.test(expression) ? attempt.tags.toSorted() : [],
      /\bmetadata\b/.test(expression) ? Object.entries(attempt.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)) : [],
      // Left out where there is none, as in fingerprints from before users were named.
      ...(attempt.userId === '' ? [] : [attempt.userId]),
    ]),
    'buffer',
  )
