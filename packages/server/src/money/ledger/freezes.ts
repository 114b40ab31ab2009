import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { Allowance, Charge, Freeze, Freezes } from './allowances.ts'
import { type FreezeRow, freezesOf } from './freeze-queries.ts'
import type { Claim, LimitKind } from './limit-kind.ts'

/** Refuses whatever would be charged to something that is frozen, before any limit is asked. */
export const freezeKind: LimitKind = {
  kind: 'freeze',
  journalNames: ['freeze'],
  idKind: 'freeze',
  guide: 'limits',
  surfaces: ['edge', 'route', 'start', 'record'],
  errors: ['frozen'],
  events: ['freeze.set', 'freeze.lifted'],
  thresholds: [],
  source: 'config',
  bind: (charge, { freezes }) => {
    if (!freezes) return []
    const found = freezes.org ?? (charge.keyId === undefined ? undefined : freezes.keys.get(charge.keyId))
    return found ? [claimOf(found, charge)] : []
  },
  refuse: ({ claim }) => {
    const { id, targetKind, target, reason, frozenAtMs } = present(claim.freeze)
    return new ApiError(
      'frozen',
      {
        freeze_id: formatId('freeze', id),
        target_kind: targetKind,
        target_id: target,
        reason,
        frozen_at: timestamp(new Date(frozenAtMs)),
      },
      { message: `${nameOf(present(claim.freeze))} is frozen: ${reason}` },
    )
  },
}

const nouns = { org: 'The organization', key: 'The key', limit: 'The limit' } as const
const nameOf = ({ targetKind, target }: Freeze) => (targetKind === 'org' ? nouns.org : `${nouns[targetKind]} ${target}`)

/** Returns claims with the one that refuses before all of them, if one is on a frozen limit. */
export function withFrozenLimits(claims: Claim[], charge: Charge, freezes: Freezes | undefined): Claim[] {
  if (!freezes || freezes.limits.size === 0) return claims
  for (const { allowances } of claims)
    for (const { limitId } of allowances) {
      const found = freezes.limits.get(limitId)
      if (found) return [claimOf(found, charge), ...claims]
    }
  return claims
}

const claimOf = (freeze: Freeze, { usd }: Charge): Claim => ({
  kind: freezeKind,
  unit: 'usd',
  mode: 'fixed',
  allowances: [allowanceOf(freeze)],
  exceeded: { current: 0n, attempted: usd },
  freeze,
})

/** Stands for a freeze where a refusal is explained; nothing is counted on it. */
const allowanceOf = ({ id }: Freeze): Allowance => ({
  key: id,
  limitId: id,
  kind: freezeKind.kind,
  subject: '',
  unit: 'usd',
  period: null,
  limit: 0n,
  enforcement: 'block',
  thresholds: [],
})

const targetKinds = ['org', 'key', 'limit'] as const

const freezeOf = (row: FreezeRow): Freeze => ({
  id: row.id,
  targetKind: present(targetKinds.find((kind) => kind === row.target_kind)),
  target: row.target,
  reason: row.reason,
  frozenAtMs: row.created_at.getTime(),
})

/** Loads everything that is frozen in an organization; undefined where nothing is, so that decisions need not look. */
export async function loadFreezes(tx: Tx, orgId: string): Promise<Freezes | undefined> {
  const rows = await freezesOf(tx, orgId)
  if (rows.length === 0) return undefined
  const byId = (kind: string) =>
    new Map(rows.filter((row) => row.target_kind === kind).map((row) => [row.target_id, freezeOf(row)]))
  return { org: byId('org').values().next().value, keys: byId('key'), limits: byId('limit') }
}
