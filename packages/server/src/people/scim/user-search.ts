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
const batch = 1_000

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
  for (const part of filter.kind === 'and' ? filter.filters : [filter]) {
    if (part.kind !== 'compare' || part.operator !== 'eq' || typeof part.value !== 'string') continue
    const name = part.name.name.toLowerCase()
    if (name === 'username') return findUsersNamed(tx, orgId, normalEmail(part.value))
    if (name === 'externalid') return findUsersByExternalId(tx, orgId, part.value)
    if (name === 'id') {
      const id = parseId('member', part.value)
      const row = id === undefined ? undefined : await findUser(tx, orgId, id)
      return row ? [row] : []
    }
  }
  return undefined
}
