import { isRecord } from '../../values/records.ts'
import { attributeNamed, groupKind, groupSchema } from './attributes.ts'
import type { ScimFilter } from './filter.ts'
import { fieldOf, type PatchOperation } from './patch.ts'
import { badFilter, badSyntax, badValue, ScimError } from './refusals.ts'
import { metaOf, type ResourceFacts, textIn } from './user-document.ts'

/** Most users that one request may name. */
export const maxNamedMembers = 5_000

/** A group as a directory describes one. */
export interface GroupDocument {
  readonly displayName: string
  readonly externalId: string | undefined
  readonly members: readonly string[]
}

/** Changes of a group: its members are not read for it, however many they are. */
export interface GroupChange {
  readonly displayName?: string
  readonly externalId?: string | null
  /** True when the members are only those that are added. */
  readonly replacesMembers: boolean
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export function readGroup(body: unknown): GroupDocument {
  if (!isRecord(body)) throw badSyntax('The body must be an object.')
  return {
    displayName: requireName(textIn(body, 'displayName')),
    externalId: textIn(body, 'externalId'),
    members: [...new Set(membersIn(fieldOf(body, 'members')))],
  }
}

function requireName(name: string | undefined): string {
  if (name === undefined) throw badValue('A group needs a displayName.')
  return name
}

/** Returns the ids of members, given as a list, as one object, or as text. */
function membersIn(value: unknown): string[] {
  const listed = Array.isArray(value) ? value : value == null ? [] : [value]
  if (listed.length > maxNamedMembers) throw tooManyMembers()
  return listed.map((each: unknown) => {
    const id = isRecord(each) ? fieldOf(each, 'value') : each
    if (typeof id !== 'string' || id === '')
      throw badValue('A member must be an object with the id of a user as value.')
    return id
  })
}

const tooManyMembers = () => badValue(`One request may name at most ${maxNamedMembers} members.`)

/** Reads a patch of a group, its operations one after another. */
export function readGroupChange(operations: readonly PatchOperation[]): GroupChange {
  let names: { displayName?: string; externalId?: string | null } = {}
  let replacesMembers = false
  const added = new Set<string>()
  const removed = new Set<string>()
  const add = (id: string) => {
    removed.delete(id)
    added.add(id)
  }
  const remove = (id: string) => {
    added.delete(id)
    removed.add(id)
  }
  const empty = () => {
    replacesMembers = true
    added.clear()
    removed.clear()
  }
  for (const { op, path, value } of operations) {
    const name = attributeNamed(groupKind.attributes, path.name)?.name
    if (name === 'members') {
      const ids = path.filter ? idsIn(path.filter) : membersIn(value)
      if (op === 'add') ids.forEach(add)
      else if (op === 'remove' && ids.length > 0) ids.forEach(remove)
      else if (op === 'remove' || !path.filter) {
        empty()
        if (op === 'replace') ids.forEach(add)
      } else throw new ScimError(400, 'Members are added and removed, and cannot be changed.', 'mutability')
      if (added.size + removed.size > maxNamedMembers) throw tooManyMembers()
    } else if (name === 'displayName' || name === 'externalId') names = { ...names, ...nameChange(name, op, value) }
    else if (name === 'id' || name === 'meta') throw new ScimError(400, `${name} cannot be changed.`, 'mutability')
  }
  return { ...names, replacesMembers, added: [...added], removed: [...removed] }
}

function nameChange(name: 'displayName' | 'externalId', op: PatchOperation['op'], value: unknown) {
  const text = op === 'remove' ? undefined : textIn({ [name]: value }, name)
  return name === 'displayName' ? { displayName: requireName(text) } : { externalId: text ?? null }
}

/** Returns the ids that a filter of members names: `value eq "…"`, several of them joined by `or`. */
function idsIn(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsIn)
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.name.name.toLowerCase() === 'value')
    return [String(filter.value)]
  throw badFilter('Members are selected by value eq only.')
}

/** A member of a group, as it is on the wire. */
export interface GroupMember {
  readonly value: string
  readonly display: string
}

/** Returns a group as it is on the wire; without members where they were not asked for. */
export const groupView = (
  group: Omit<GroupDocument, 'members'>,
  members: readonly GroupMember[] | undefined,
  facts: ResourceFacts,
) => ({
  schemas: [groupSchema],
  id: facts.id,
  ...(group.externalId !== undefined && { externalId: group.externalId }),
  displayName: group.displayName,
  ...(members && { members: members.map((member) => ({ ...member, type: 'User' })) }),
  meta: metaOf('Group', facts),
})
