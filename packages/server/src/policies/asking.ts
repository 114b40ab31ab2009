import { findStanding } from '../chains/chains.ts'
import type { Caller } from '../identity/identity.ts'
import type { Sql } from '../infra/sql.ts'
import type { Remembered } from '../nodes/nodes.ts'
import { parseId } from '../values/id.ts'
import { type Attempt, type AttemptedChain, type AttemptFields, attemptOf, keyOf } from './attempt.ts'
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
  readonly attempt: Attempt
  readonly verdict: PolicyVerdict
  readonly refusal: PolicyRefusal | undefined
}

/** The rules of an organization, ready to be evaluated for one call with any model. */
export interface Rulings {
  readonly set: RuleSet
  readonly on: (model: { model: string; provider?: string | null | undefined }, estimatedNano: bigint) => Ruling
}

export type AskRules = (
  caller: Caller,
  fields: CallFields,
  options: { readonly atMs: number; readonly isAnew?: boolean },
) => Promise<Rulings>

/** Creates the evaluator of an organization's rules. It reads the database only when a rule uses the chain. */
export function askRules({ sql }: { readonly sql: Sql }, rules: Remembered<RuleSet>): AskRules {
  return async (caller, fields, { atMs, isAnew = false }) => {
    const set = await (isAnew ? rules.anew(caller.orgId) : rules.of(caller.orgId))
    const chain = set.usesChain ? await standingOf(sql, caller.orgId, fields) : outsideChains
    const key = keyOf(caller)
    return {
      set,
      on: ({ model, provider }, estimatedNano) => {
        const attempt = attemptOf({ ...fields, provider }, { atMs, model, estimatedNano, key, chain })
        const verdict = judgeAttempt(set, attempt)
        return { attempt, verdict, refusal: policyRefusal(verdict, attempt) }
      },
    }
  }
}

const outsideChains: AttemptedChain = { id: '', depth: 1, costNano: 0n }

/** Returns the position that a run would have in its chain, as last committed. */
async function standingOf(sql: Sql, orgId: string, { chain_id, parent_run_id }: CallFields): Promise<AttemptedChain> {
  const parentId = parent_run_id === undefined ? undefined : parseId('run', parent_run_id)
  if (chain_id === undefined && parentId === undefined) return outsideChains
  const standing = await sql.asOrgs([orgId], (tx) => findStanding(tx, orgId, { chainId: chain_id, parentId }))
  if (!standing) return outsideChains
  return { id: standing.chainId, depth: standing.parentDepth + 1, costNano: standing.costNano }
}
