import { keysOfLineage } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { SpentSince } from '../../money/budgets/budgets.ts'
import type { LimitScope } from '../../money/ledger/ledger.ts'
import { canonicalModel } from '../../money/prices/prices.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, parseId } from '../../values/id.ts'
import { isSameForm } from '../../values/normal-form.ts'
import { present } from '../../values/present.ts'
import { other } from './attribution.ts'
import { readCosts } from './queries.ts'
import type { dimensions } from './schema.ts'

type Dimension = (typeof dimensions)[number]
type Names = Readonly<Partial<Record<Dimension, string>>>

/** Tells whether usage under some names is in a scope; undefined where usage no longer says. */
type Membership = (names: Names) => boolean | undefined

interface Distinguished {
  readonly columns: readonly Dimension[]
  readonly contains: Membership
}

const inColumn = (column: Dimension, isIn: (name: string) => boolean): Distinguished => ({
  columns: [column],
  contains: (names) => (names[column] === other ? undefined : isIn(present(names[column]))),
})

/** Returns how usage distinguishes a scope; tags and customers are refused before. */
async function distinguished(tx: Tx, orgId: string, { scopeKind, scopeId }: LimitScope): Promise<Distinguished> {
  if (scopeKind === 'org') return { columns: [], contains: () => true }
  if (scopeKind === 'model') return inColumn('model', (name) => canonicalModel(name, undefined).model === scopeId)
  if (scopeKind === 'provider') return ofProvider(scopeId)
  if (scopeKind === 'key') {
    const keys = await keysOfLineage(tx, orgId, present(parseId('key', scopeId)))
    const names = new Set(keys.map((id) => formatId('key', id)))
    return inColumn('key_id', (name) => names.has(name))
  }
  if (scopeKind === 'tag' || scopeKind === 'customer')
    throw new TypeError(`usage does not distinguish a ${scopeKind} together with others`)
  return inColumn(`${scopeKind}_id`, (name) => isSameForm(name, scopeId))
}

/** A provider may be known by the model alone. */
const ofProvider = (scopeId: string): Distinguished => ({
  columns: ['model', 'provider'],
  contains: ({ model = '', provider = '' }) =>
    provider === other || (provider === '' && model === other)
      ? undefined
      : canonicalModel(model, provider).provider === scopeId,
})

/**
 * Sums what the runs of a scope have cost that started within a window, from usage. Exact under the organization's ledger lock:
 * usage changes in the transactions that move money.
 */
export const spentSince: SpentSince = async (tx, orgId, scopes, window) => {
  const parts = await Promise.all(scopes.map((scope) => distinguished(tx, orgId, scope)))
  const columns = [...new Set(parts.flatMap((part) => part.columns))]
  let spent = 0n
  for (const { cost, ...names } of await readCosts(tx, orgId, window, columns)) {
    const found = new Set(parts.map(({ contains }) => contains(names)))
    if (cost === 0n || found.has(false)) continue
    if (found.has(undefined)) throw notTold()
    spent += cost
  }
  return spent
}

const notTold = () =>
  new ApiError(
    'conflict',
    {},
    {
      message: `Some of the usage since counts_from is counted under ${other}, because there were too many names: it cannot be told whether it belongs to this budget. Leave counts_from out, or choose a later one.`,
    },
  )
