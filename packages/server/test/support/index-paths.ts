import pg from 'pg'
import type { BoundStatement } from '../../src/platform/infra/flight.ts'

/** Records the text of every statement that this process sends to PostgreSQL, until it is asked to stop. */
export function recordStatements() {
  const texts = new Set<string>()
  const { prototype } = pg.Client
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the client that it was taken from
  const original = prototype.query as (...args: unknown[]) => unknown
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [query] = args as [string | { text?: string; statements?: readonly BoundStatement[] }]
    if (typeof query === 'string') texts.add(query)
    else {
      if (query.text !== undefined) texts.add(query.text)
      for (const { statement } of query.statements ?? []) texts.add(statement.text)
    }
    return original.apply(this, args)
  } as typeof prototype.query
  return {
    texts,
    stop: () => {
      prototype.query = original as typeof prototype.query
    },
  }
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'TID Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

/**
 * Returns the scans of some tables for which a statement gives no condition that an index, or a place, could answer. Planned as if other
 * ways cost far too much, and for any parameters.
 */
export async function scansWithoutIndex(app: pg.Client, text: string, tables: readonly string[]): Promise<string[]> {
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)))
  await app.query(`begin`)
  try {
    await app.query(`set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan`)
    await app.query(`prepare looked_at as ${text}`)
    const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`
    const { rows } = await app.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
      `explain (format json) execute looked_at${values}`,
    )
    return faultsIn(rows[0]!['QUERY PLAN'][0].Plan, tables)
  } finally {
    await app.query('rollback')
    await app.query('deallocate all')
  }
}

function faultsIn(node: PlanNode, tables: readonly string[]): string[] {
  const { 'Relation Name': relation, 'Index Cond': condition, 'TID Cond': place, 'Node Type': type } = node
  // Days and other parts are named after their table.
  const isTable = relation !== undefined && tables.some((name) => relation === name || relation.startsWith(`${name}_2`))
  const isScan = type.includes('Scan') && type !== 'Bitmap Heap Scan'
  const own = isTable && isScan && condition === undefined && place === undefined ? [`${type} on ${relation}`] : []
  const bitmap = type === 'Bitmap Heap Scan' && isTable ? withoutCondition(node, relation) : []
  return [...own, ...bitmap, ...(node.Plans ?? []).flatMap((inner) => faultsIn(inner, tables))]
}

/** The index scans under a bitmap do not name their table. */
const withoutCondition = (node: PlanNode, relation: string): string[] =>
  (node.Plans ?? []).flatMap((inner) =>
    inner['Node Type'] === 'Bitmap Index Scan' && inner['Index Cond'] === undefined
      ? [`${inner['Node Type']} on ${relation}`]
      : withoutCondition(inner, relation),
  )
