import type { Caller } from '../../access/identity/identity.ts'
import { findChainUsage } from '../../money/chains/chains.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import type { Cache } from '../../platform/nodes/nodes.ts'
import { parseId } from '../../values/id.ts'
import { type AttemptFields, attemptOf, type ChainPosition, callingKeyOf, type RunAttempt } from './attempt.ts'
import { judgeAttempt, type RuleSet } from './evaluation.ts'
import { type PolicyRefusal, policyRefusal } from './refusal.ts'
import type { PolicyVerdict } from './rule.ts'

/** The fields of a call that its caller states, except the model. */
export interface CallFields extends Omit<AttemptFields, 'provider'> {
  readonly chain_id?: string
  readonly parent_run_id?: string
}

/** The result of evaluating the rules for a call with one model. */
export interface Ruling {
  readonly attempt: RunAttempt
  readonly verdict: PolicyVerdict
  readonly refusal: PolicyRefusal | undefined
}

/** The rules of an organization, ready to be evaluated for one call with any model. */
export interface CallEvaluator {
  readonly set: RuleSet
  readonly evaluate: (model: { model: string; provider?: string | null | undefined }, estimatedNano: bigint) => Ruling
}

export type PolicyEvaluator = (
  caller: Caller,
  fields: CallFields,
  options: { readonly atMs: number; readonly reload?: boolean },
) => Promise<CallEvaluator>

/** Creates the evaluator of an organization's rules. It reads the database only when a rule uses the chain. */
export function createPolicyEvaluator({ sql }: { readonly sql: Sql }, rules: Cache<RuleSet>): PolicyEvaluator {
  return async (caller, fields, { atMs, reload = false }) => {
    const set = await (reload ? rules.reload(caller.orgId) : rules.get(caller.orgId))
    const chain = set.usesChain ? await chainPositionOf(sql, caller.orgId, fields) : noChain
    const key = callingKeyOf(caller)
    return {
      set,
      evaluate: ({ model, provider }, estimatedNano) => {
        const attempt = attemptOf({ ...fields, provider }, { atMs, model, estimatedNano, key, chain })
        const verdict = judgeAttempt(set, attempt)
        return { attempt, verdict, refusal: policyRefusal(verdict, attempt) }
      },
    }
  }
}

const noChain: ChainPosition = { id: '', depth: 1, costNano: 0n }

/** Returns the position that a run would have in its chain, as last committed. */
async function chainPositionOf(
  sql: Sql,
  orgId: string,
  { chain_id, parent_run_id }: CallFields,
): Promise<ChainPosition> {
  const parentId = parent_run_id === undefined ? undefined : parseId('run', parent_run_id)
  if (chain_id === undefined && parentId === undefined) return noChain
  const standing = await sql.asOrgs([orgId], (tx) => findChainUsage(tx, orgId, { chainId: chain_id, parentId }))
  if (!standing) return noChain
  return { id: standing.chainId, depth: standing.parentDepth + 1, costNano: standing.costNano }
}
