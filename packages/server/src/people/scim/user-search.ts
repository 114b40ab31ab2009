import type { Tx } from '../../platform/infra/sql.ts'
import { parseId } from '../../values/id.ts'
import { normalEmail } from '../members/members.ts'
import { userKind } from './attributes.ts'
import type { ScimFilter } from './filter.ts'
import { matchesFilter } from './filter-match.ts'
import type { ScimPage } from './list-response.ts'
import { countUsers, findUser, findUsersByExternalId, findUsersNamed, listUsers, type UserRow } from './queries.ts'
import { ScimError } from './refusals.ts'
import { viewOfUser } from './users.ts'

/** Most members that are looked through for a filter that no index answers. */
const maxScanned = 20_000
const batch = 5_000

interface Found {
  readonly rows: readonly UserRow[]
  readonly total: number
}

/** Finds a page of users. */
export async function findUsers(tx: Tx, orgId: string, filter: ScimFilter | undefined, page: ScimPage): Promise<Found> {
  const offset = page.startIndex - 1
  if (!filter)
    return {
      total: await countUsers(tx, orgId),
      rows: page.count === 0 ? [] : await listUsers(tx, orgId, offset, page.count),
    }
  const isWanted = (row: UserRow) => matchesFilter(filter, viewOfUser(row, ''), userKind.attributes)
  // Refuses a filter that cannot be answered, also where there is nobody.
  matchesFilter(filter, {}, userKind.attributes)
  const candidates = await candidatesOf(tx, orgId, filter)
  const matches = candidates ? candidates.filter(isWanted) : await scan(tx, orgId, isWanted)
  return { total: matches.length, rows: matches.slice(offset, offset + page.count) }
}

async function scan(tx: Tx, orgId: string, isWanted: (row: UserRow) => boolean): Promise<UserRow[]> {
  if ((await countUsers(tx, orgId)) > maxScanned)
    throw new ScimError(
      400,
      'There are too many users for this filter. Filter by userName, externalId or id.',
      'tooMany',
    )
  const matches: UserRow[] = []
  for (let offset = 0; ; offset += batch) {
    const rows = await listUsers(tx, orgId, offset, batch)
    matches.push(...rows.filter(isWanted))
    if (rows.length < batch) return matches
  }
}

/** Returns users among which are all that match, where the filter demands one value of what is indexed. */
async function candidatesOf(tx: Tx, orgId: string, filter: ScimFilter): Promise<UserRow[] | undefined> {
  for (const part of partsOf(filter)) {
    const [name, value] = equalityIn(part) ?? []
    if (value === undefined) continue
    if (name === 'username') return findUsersNamed(tx, orgId, normalEmail(value))
    if (name === 'externalid') return findUsersByExternalId(tx, orgId, value)
    if (name === 'id') {
      const id = parseId('member', value)
      const row = id === undefined ? undefined : await findUser(tx, orgId, id)
      return row ? [row] : []
    }
    // Members are known by their address; only one that is nobody's first address has to be looked for.
    const addressed = name === 'emails' ? await findUsersNamed(tx, orgId, normalEmail(value)) : []
    if (addressed.length > 0) return addressed
  }
  return undefined
}

const partsOf = (filter: ScimFilter) => (filter.kind === 'and' ? filter.filters : [filter])

/** Returns the attribute and the text that a filter demands it to have; undefined where it demands something else. */
function equalityIn(filter: ScimFilter): readonly [name: string, value: string] | undefined {
  if (filter.kind === 'has') {
    const inner = partsOf(filter.filter)
      .map(equalityIn)
      .find((each) => each?.[0] === 'value')
    return inner && [filter.name.name.toLowerCase(), inner[1]]
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return undefined
  if ((filter.name.part ?? 'value').toLowerCase() !== 'value') return undefined
  return [filter.name.name.toLowerCase(), filter.value]
}
