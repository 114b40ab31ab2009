import { hash } from 'node:crypto'
import { Counter } from 'prom-client'
import type { Platform } from '../platform/infra/platform.ts'
import { WriteBehind } from '../platform/infra/write-behind.ts'
import { timeOfUuid, uuidAt } from '../values/id.ts'
import { Lru } from '../values/lru.ts'
import { present } from '../values/present.ts'
import { minuteMs } from '../values/time.ts'
import { addListed, type ListedRow } from './refusal-queries.ts'
import type { Explanation } from './schema.ts'

const flushEveryMs = 200
const maxWaiting = 10_000
/** Most different refusals of one organization that are buffered at once; more would be of no use to a reader. */
const maxOfOrg = 1_000

/** The surface on which a call was refused. */
export type RefusalSurface = 'edge' | 'run' | 'bulk'

/** A refused call, as it is listed. */
export interface RefusedCall {
  readonly orgId: string
  readonly surface: RefusalSurface
  readonly message: string
  readonly body: Explanation
}

/** Buffer of refusals on their way into the list that organizations read. */
export interface RefusalList {
  readonly add: (call: RefusedCall) => void
  readonly close: () => Promise<void>
}

/**
 * Lists refusals outside the refused request. Equal ones of a minute are one row with a count, whichever process they came
 * through; once an organization's day is full they are only counted.
 */
export function createRefusalList(platform: Pick<Platform, 'sql' | 'config' | 'metrics' | 'log'>): RefusalList {
  const { sql, config, metrics } = platform
  const unlisted = new Counter({
    name: 'svc_refusals_unlisted_total',
    help: 'Refusals that are missing from the list: more different ones than a day of an organization may have, or the database was unavailable.',
    registers: [metrics],
  })
  let waitingOfOrgs = new Map<string, number>()
  /** Days of organizations that take no further row. */
  const fullDays = new Lru<string, true>(maxWaiting)
  const buffer = new WriteBehind<WaitingRow>(platform, {
    name: 'listed_refusals',
    everyMs: flushEveryMs,
    maxWaiting,
    write: async (rows) => {
      waitingOfOrgs = new Map()
      const orgIds = [...new Set(rows.map(({ org_id }) => org_id))]
      const left = await sql.asOrgs(orgIds, (tx) => addListed(tx, rows, config.refusalRowsPerDay, fullDays))
      for (const { org_id, day } of left) fullDays.set(`${org_id} ${day}`, true)
      unlisted.inc(countOf(left))
    },
    onLost: (rows) => unlisted.inc(countOf(rows)),
  })

  function add({ orgId, surface, message, body }: RefusedCall) {
    const id = idOf(surface, body)
    const key = `${orgId} ${id}`
    const alike = buffer.waiting(key)
    if (alike) {
      alike.count += 1
      alike.last_at = body.decided_at
      return
    }
    const waitingOfOrg = waitingOfOrgs.get(orgId) ?? 0
    if (waitingOfOrg >= maxOfOrg) {
      unlisted.inc()
      return
    }
    waitingOfOrgs.set(orgId, waitingOfOrg + 1)
    const input = body.inputs as Readonly<Record<string, string | undefined>>
    buffer.add(key, {
      org_id: orgId,
      id,
      day: body.decided_at.slice(0, 10),
      error_code: present(body.error_code),
      decided_by: body.decided_by,
      surface,
      key_id: body.key_id,
      model: input['model'] ?? null,
      workflow_id: input['workflow_id'] ?? null,
      deployment_id: input['deployment_id'] ?? null,
      department_id: input['department_id'] ?? null,
      customer_id: input['customer_id'] ?? null,
      user_id: input['user_id'] ?? null,
      chain_id: input['chain_id'] ?? null,
      count: 1,
      first_at: body.decided_at,
      last_at: body.decided_at,
      message,
      body,
    })
  }

  return { add, close: () => buffer.close() }
}

type WaitingRow = ListedRow & { count: number; last_at: string }

const countOf = (rows: readonly { readonly count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

/** Returns the id of a row, derived from what its refusals have in common: the minute, the reason and the account. */
function idOf(surface: RefusalSurface, { decided_at, error_code, decided_by, key_id, inputs }: Explanation): string {
  const minute = Math.floor(Date.parse(decided_at) / minuteMs) * minuteMs
  const { model, provider, workflow_id, deployment_id, department_id, customer_id, user_id, chain_id } = inputs
  const alike = [error_code, decided_by, surface, key_id, model, provider]
  const account = [
    workflow_id,
    deployment_id,
    department_id,
    customer_id,
    chain_id,
    ...(user_id === undefined ? [] : [user_id]),
  ]
  return uuidAt(minute, hash('sha256', JSON.stringify([...alike, ...account]), 'buffer').subarray(0, 16))
}

/** The minute of a row. */
export const minuteOf = (id: string) => new Date(timeOfUuid(id))
