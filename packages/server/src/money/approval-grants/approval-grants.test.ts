import { expect, test } from 'vitest'
import { formatId, newUuid } from '../../values/id.ts'
import type { ApprovalGrant, Charge, OrgLimits } from '../ledger/ledger.ts'
import { emptyBalance } from '../ledger/ledger.ts'
import { approvalKind } from './approval-grants.ts'

const ruleId = newUuid()
const approval: ApprovalGrant = {
  id: newUuid(),
  maxRuns: 3n,
  maxAmountNano: 5n,
  expiresAtMs: 1_000,
  ruleId,
  reason: 'Ask first.',
  attempted: 'refund',
}
const charge = (of: ApprovalGrant | undefined): Charge => ({ usd: 1n, tokens: 1n, runs: 1n, approval: of })
const org: OrgLimits = { version: 1n, limits: [], customerDefault: null, topUps: [] }
const bound = (of: ApprovalGrant | undefined, nowMs: number) => approvalKind.bind(charge(of), org, undefined, nowMs)

test('a grant is claimed in runs, and in dollars where an amount was approved', () => {
  const limitsOf = (of: ApprovalGrant) => bound(of, 999).map(({ unit, allowances }) => [unit, allowances[0]!.limit])
  expect(limitsOf(approval)).toEqual([
    ['runs', 3n],
    ['usd', 5n],
  ])
  expect(limitsOf({ ...approval, maxAmountNano: null })).toEqual([['runs', 3n]])
  expect(bound(undefined, 999)).toEqual([])
})

test('from the moment at which it expires on it refuses whatever is left of it, in the words of its rule', () => {
  const [claim, ...others] = bound(approval, 1_000)
  expect(others).toEqual([])
  expect(claim).toMatchObject({ mode: 'fixed', exceeded: { current: 3n, attempted: 1n } })
  const error = claim!.kind.refuse({
    claim: claim!,
    allowance: claim!.allowances[0]!,
    balance: emptyBalance,
    attempted: 1n,
    available: 0n,
    total: { limit: 3n, spent: 0n, held: 0n },
    isPreFlight: true,
    isKnown: true,
  })
  expect({ code: error.code, details: error.details }).toEqual({
    code: 'policy_approval_required',
    details: { reason: 'Ask first.', attempted: 'refund', rule_id: formatId('rule', ruleId) },
  })
})
