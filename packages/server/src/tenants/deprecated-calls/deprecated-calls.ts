import { type Caller, isPinned, makerText } from '../../access/identity/identity.ts'
import {
  type Deprecation,
  deprecatedRoutes,
  findDeprecatedRoute,
  viewOfDeprecated,
} from '../../contract/deprecations/deprecations.ts'
import { pageRequest, pageResponse, readWindow } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { CallCounter } from './call-counter.ts'
import { type CallSort, type CallsRow, listCalls } from './queries.ts'
import type { DeprecatedCalls } from './schema.ts'

export { type CallCounter, createCallCounter } from './call-counter.ts'

/** Counts every call of a deprecated route whose caller was let in. */
export function countDeprecatedCalls(app: App, calls: CallCounter) {
  app.addHook('onRequest', ({ deprecatedRoute, principal }, _reply, done) => {
    if (deprecatedRoute && principal) calls.count(principal, deprecatedRoute)
    done()
  })
}

const defaultDays = 30

type Query = Parameters<typeof pageRequest>[0] & {
  readonly from?: string
  readonly to?: string
  readonly caller_id?: string
}

/** Returns one page of the calls of routes that are deprecated now. A pinned key sees those of keys within its pins. */
export async function listDeprecatedCalls(
  { sql, clock, addresses }: Pick<Platform, 'sql' | 'clock' | 'addresses'>,
  registry: readonly Deprecation[],
  caller: Caller,
  query: Query,
) {
  const { orgId, pins } = caller
  const now = clock.now()
  const asked = pageRequest<CallSort>(query, 'last_called_at')
  const rows = await sql.asOrgs([orgId], (tx) =>
    listCalls(tx, orgId, asked, {
      routes: deprecatedRoutes(registry).map(({ method, route }) => ({ method, route })),
      window: readWindow(query, { from: new Date(now.getTime() - defaultDays * dayMs), to: now }),
      callerId: query.caller_id === undefined ? undefined : callerIdIn(query.caller_id),
      pins: isPinned(caller) ? pins : undefined,
    }),
  )
  const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
  return { ...answer, data: answer.data.map((row) => viewOf(row, registry, addresses.docsUrl())) }
}

/** Returns the id in a filter, whichever kind of caller it names. */
const callerIdIn = (text: string): string =>
  present(parseId('key', text) ?? parseId('member', text) ?? parseId('grant', text))

const viewOf = (row: CallsRow, registry: readonly Deprecation[], docsUrl: string): DeprecatedCalls => ({
  ...viewOfDeprecated(present(findDeprecatedRoute(registry, row.method, row.route)), docsUrl),
  caller_id: makerText({ kind: row.caller_kind, id: row.caller_id }),
  name: row.name,
  calls: Number(row.calls),
  first_day: row.first_day,
  last_called_at: timestamp(row.last_called_at),
})
