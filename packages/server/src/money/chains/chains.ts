import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { formatDollars, formatUsd, parseUsd } from '../../values/money.ts'
import { normalForm } from '../../values/normal-form.ts'
import { one, present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  type Allowance,
  allowanceKey,
  amountOf,
  type ChainBounds,
  type ChainPlace,
  type Claim,
  claimOn,
  type LimitKind,
  type LimitUnit,
  limitIdIn,
  lockLedgerForConfigChange,
} from '../ledger/ledger.ts'
import { type ChainLimitRow, listChainLimits, replaceChainLimits } from './queries.ts'
import type { ChainBoundsInput, ChainLimits, ChainLimitsInput } from './schema.ts'

export { findChainUsage } from './queries.ts'
export { ChainBoundsInput } from './schema.ts'

/** The key of a chain's allowance. It depends on the chain's id alone, so every process computes the same one. */
export const chainKey = (chainId: string, unit: LimitUnit) => allowanceKey('chain', chainId, unit, '')

const allowanceOf = (chainId: string, unit: LimitUnit, limit: bigint | null): Allowance => ({
  key: chainKey(chainId, unit),
  limitId: chainKey(chainId, 'usd'),
  kind: 'chain',
  subject: chainId,
  unit,
  period: null,
  limit,
  enforcement: 'block',
  thresholds: [],
})

/** The cost and tokens that a chain of runs may use together, and its depth. Counted even where nothing bounds them. */
export const chainKind: LimitKind = {
  kind: 'chain',
  journalNames: ['chain'],
  idKind: 'chain',
  guide: 'runs',
  surfaces: ['start', 'record'],
  errors: ['chain_budget_exceeded'],
  events: ['chain.exceeded', 'chain.stopped'],
  thresholds: [],
  source: 'row',
  hasSubjectsOfCallers: true,
  bind: ({ chain }) => {
    if (!chain) return []
    const { chainId, maxCostNano, maxTokens } = chain
    return [
      claimOn(chainKind, allowanceOf(chainId, 'usd', maxCostNano)),
      ...depthClaims(chain),
      claimOn(chainKind, allowanceOf(chainId, 'tokens', maxTokens)),
    ]
  },
  refuse: ({ claim, allowance, balance, attempted }) => {
    if (claim.mode === 'fixed')
      return exceeded('depth', Number(balance.spent), Number(attempted), Number(allowance.limit))
    const current = balance.spent + balance.held
    return allowance.unit === 'usd'
      ? exceeded('cost', formatUsd(current), formatUsd(attempted), formatUsd(present(allowance.limit)))
      : exceeded('tokens', Number(current), Number(attempted), Number(allowance.limit))
  },
  eventOf: ({ allowance, spent, refused }) => {
    const id = limitIdIn(chainKind, allowance)
    const data = {
      chain_id: allowance.subject,
      reason: allowance.unit === 'usd' ? 'cost' : 'tokens',
      limit: amountOf(allowance, allowance.limit!),
      current: amountOf(allowance, spent + (refused?.held ?? 0n)),
    }
    if (!refused) return { kind: 'chain.exceeded', subject: id, data }
    return { kind: 'chain.stopped', subject: id, data: { ...data, attempted: amountOf(allowance, refused.attempted) } }
  },
}

/** Claims on the depth of a run, which follows from its parent's and does not change: nothing has to be counted. */
function depthClaims({ chainId, depth, maxDepth }: ChainPlace): Claim[] {
  if (maxDepth === null || depth <= maxDepth) return []
  const allowance = { ...allowanceOf(chainId, 'runs', BigInt(maxDepth)), key: chainKey(chainId, 'runs') }
  const passed = { current: BigInt(depth - 1), attempted: BigInt(depth) }
  return [{ kind: chainKind, unit: 'runs', mode: 'fixed', allowances: [allowance], exceeded: passed }]
}

function exceeded<T extends string | number>(reason: 'cost' | 'depth' | 'tokens', current: T, attempted: T, limit: T) {
  const shown = (amount: T) => (typeof amount === 'string' ? formatDollars(parseUsd(amount)) : String(amount))
  const message = `The chain’s ${reason} would exceed ${shown(limit)}: it stands at ${shown(current)}, and this run asks for ${shown(attempted)}.`
  return new ApiError(
    'chain_budget_exceeded',
    { reason, current, attempted, limit },
    { status: reason === 'cost' ? 402 : 429, message },
  )
}

/** A chain from its row. */
export interface BoundedChain extends ChainBounds {
  readonly chainId: string
  readonly lastUsedAtMs: number
}

/** The bounds of new chains by workflow; `''` stands for all other workflows. */
export type BoundsByWorkflow = ReadonlyMap<string, ChainBounds>

/**
 * Returns the bounds of a chain that begins now: those set for its workflow, or for all, tightened by those its first run
 * requests. A run cannot loosen the organization's bounds.
 */
export function boundsOfNewChain(
  chainBounds: BoundsByWorkflow,
  workflowId: string | undefined,
  asked: ChainBoundsInput | undefined,
): ChainBounds {
  return tightestBounds(configuredBounds(chainBounds, workflowId) ?? unbounded, asked ? boundsOf(asked) : unbounded)
}

const unbounded: ChainBounds = { maxCostNano: null, maxTokens: null, maxDepth: null }

/** Returns the bounds that satisfy both. */
export const tightestBounds = (a: ChainBounds, b: ChainBounds): ChainBounds => ({
  maxCostNano: least(a.maxCostNano, b.maxCostNano),
  maxTokens: least(a.maxTokens, b.maxTokens),
  maxDepth: least(a.maxDepth, b.maxDepth),
})

/** Returns the bounds that the organization has set for chains of a workflow. */
export const configuredBounds = (chainBounds: BoundsByWorkflow, workflowId: string | undefined) =>
  (workflowId === undefined ? undefined : chainBounds.get(workflowId)) ?? chainBounds.get('')

function least<T extends bigint | number>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}

const boundsOf = ({ max_cost_usd, max_tokens, max_depth }: ChainBoundsInput): ChainBounds => ({
  maxCostNano: max_cost_usd == null ? null : parseUsd(max_cost_usd),
  maxTokens: max_tokens == null ? null : BigInt(max_tokens),
  maxDepth: max_depth ?? null,
})

export const loadChainBounds = async (tx: Tx, orgId: string): Promise<BoundsByWorkflow> =>
  new Map(
    (await listChainLimits(tx, orgId)).map((row) => [
      normalForm(row.workflow_id),
      { maxCostNano: row.max_cost_nano, maxTokens: row.max_tokens, maxDepth: row.max_depth },
    ]),
  )

export async function getChainLimits(tx: Tx, orgId: string): Promise<ChainLimits> {
  const rows = await listChainLimits(tx, orgId)
  const general = rows.find(({ workflow_id }) => workflow_id === '')
  return {
    default: general ? boundsView(general) : null,
    workflows: rows
      .filter(({ workflow_id }) => workflow_id !== '')
      .map((row) => ({ workflow_id: row.workflow_id, ...boundsView(row) })),
    updated_at: rows.length === 0 ? null : timestamp(one(rows).updated_at),
  }
}

const boundsView = ({ max_cost_nano, max_tokens, max_depth }: ChainLimitRow) => ({
  max_cost_usd: max_cost_nano === null ? null : formatUsd(max_cost_nano),
  max_tokens: max_tokens === null ? null : Number(max_tokens),
  max_depth,
})

/** Replaces the bounds of new chains. Chains that have begun keep theirs. */
export async function putChainLimits(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  wanted: DesiredState<ChainLimitsInput>,
) {
  await lockLedgerForConfigChange(tx, orgId)
  const before = await getChainLimits(tx, orgId)
  replaces(before)
  const { default: general, workflows = [] } = wanted(before)
  await replaceChainLimits(tx, orgId, [
    ...(general ? [rowOf('', general)] : []),
    ...workflows.map(({ workflow_id, ...own }) => rowOf(normalForm(workflow_id), own)),
  ])
  const after = await getChainLimits(tx, orgId)
  audit({ action: 'chain_limits.set', target: { kind: 'org', id: formatId('org', orgId) }, before, after })
  return after
}

function rowOf(workflowId: string, input: ChainBoundsInput): ChainLimitRow {
  const { maxCostNano, maxTokens, maxDepth } = boundsOf(input)
  return { workflow_id: workflowId, max_cost_nano: maxCostNano, max_tokens: maxTokens, max_depth: maxDepth }
}
