import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, parseId } from '../../values/id.ts'
import { groupKind } from './attributes.ts'
import type { ScimFilter } from './filter.ts'
import { matchesFilter } from './filter-match.ts'
import { countGroupMembers, type GroupRow, groupsOfMembers, listGroups } from './group-queries.ts'
import { viewOfGroup } from './groups.ts'
import type { ScimPage } from './list-response.ts'
import { badFilter } from './refusals.ts'

/** Most members in one answer: a page with large groups has fewer of them. */
const maxShownMembers = 20_000

/** Finds a page of groups; fewer than asked for where their members would be too many. */
export async function findGroups(
  tx: Tx,
  orgId: string,
  filter: ScimFilter | undefined,
  page: ScimPage,
  showsMembers: boolean,
): Promise<{ rows: readonly GroupRow[]; total: number }> {
  const all = await listGroups(tx, orgId)
  const matches = filter ? await matching(tx, orgId, filter, all) : all
  const offset = page.startIndex - 1
  const rows = matches.slice(offset, offset + page.count)
  return { total: matches.length, rows: showsMembers ? await withinBounds(tx, orgId, rows) : rows }
}

async function withinBounds(tx: Tx, orgId: string, rows: readonly GroupRow[]): Promise<GroupRow[]> {
  const counts = await countGroupMembers(
    tx,
    orgId,
    rows.map(({ id }) => id),
  )
  let shown = 0
  return rows.filter(({ id }, i) => {
    shown += counts.get(id) ?? 0
    return i === 0 || shown <= maxShownMembers
  })
}

/** Evaluates a filter. Of the members only those that it names are read, so it can compare them for equality only. */
async function matching(tx: Tx, orgId: string, filter: ScimFilter, groups: readonly GroupRow[]): Promise<GroupRow[]> {
  matchesFilter(filter, {}, groupKind.attributes)
  const ids = namedMembers(filter)
    .map((text) => parseId('member', text))
    .filter((id) => id !== undefined)
  const inGroups = ids.length === 0 ? [] : await groupsOfMembers(tx, orgId, ids)
  const membersOf = Map.groupBy(inGroups, ({ group_id }) => group_id)
  return groups.filter((row) => {
    const members = membersOf.get(row.id)?.map(({ member_id }) => ({ value: formatId('member', member_id) })) ?? []
    return matchesFilter(filter, { ...viewOfGroup(row, undefined, ''), members }, groupKind.attributes)
  })
}

/** Returns the ids of members that a filter compares; throws where it asks for anything else about members. */
function namedMembers(filter: ScimFilter, isInside = false): string[] {
  if ('filters' in filter) return filter.filters.flatMap((each) => namedMembers(each, isInside))
  if (filter.kind === 'not') return namedMembers(filter.filter, isInside)
  const name = filter.name.name.toLowerCase()
  if (filter.kind === 'has') {
    if (name !== 'members') throw badFilter('Only members have values that can be selected.')
    return namedMembers(filter.filter, true)
  }
  const isMember = isInside
    ? name === 'value'
    : name === 'members' && (filter.name.part ?? 'value').toLowerCase() === 'value'
  if (!isInside && name !== 'members') return []
  if (!isMember || filter.kind !== 'compare' || !['eq', 'ne'].includes(filter.operator))
    throw badFilter('Members can be compared by value, with eq and ne only.')
  return [String(filter.value)]
}
