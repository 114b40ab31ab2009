import { isRecord } from '../../values/records.ts'
import { isEmail } from '../members/members.ts'
import { userSchema } from './attributes.ts'
import { booleanIn } from './filter-match.ts'
import { fieldOf } from './patch.ts'
import { badSyntax, badValue } from './refusals.ts'

/** A user as a directory describes one; what is not kept was left out. */
export interface UserDocument {
  readonly userName: string
  readonly externalId: string | undefined
  readonly active: boolean
  readonly displayName: string | undefined
  readonly name: UserName
  readonly emails: readonly UserEmail[]
}

export interface UserName {
  readonly formatted?: string
  readonly givenName?: string
  readonly familyName?: string
}

export interface UserEmail {
  readonly value: string
  readonly type?: string
  readonly primary?: boolean
}

const maxText = 200
const maxIdentifier = 254
const maxEmails = 10
const maxEmailLength = 254

/** Reads a user, from the body of a request or after a patch. Whether they are active need not be said. */
export function readUser(body: unknown, activeByDefault = true): UserDocument {
  if (!isRecord(body)) throw badSyntax('The body must be an object.')
  const userName = textIn(body, 'userName', maxIdentifier)
  if (userName === undefined) throw badValue('A user needs a userName.')
  const name = fieldOf(body, 'name')
  const active = fieldOf(body, 'active')
  const isActive = active == null ? activeByDefault : booleanIn(active)
  if (isActive === undefined) throw badValue('active must be true or false.')
  return {
    userName,
    externalId: textIn(body, 'externalId', maxIdentifier),
    active: isActive,
    displayName: textIn(body, 'displayName'),
    name: isRecord(name) ? readName(name) : {},
    emails: readEmails(fieldOf(body, 'emails')),
  }
}

const readName = (name: Record<string, unknown>): UserName => {
  const parts = ['formatted', 'givenName', 'familyName'].map((part) => [part, textIn(name, part)] as const)
  return Object.fromEntries(parts.filter(([, text]) => text !== undefined))
}

function readEmails(listed: unknown): UserEmail[] {
  const emails = Array.isArray(listed) ? listed : listed == null ? [] : [listed]
  if (emails.length > maxEmails) throw badValue(`A user has at most ${maxEmails} emails.`)
  const read = emails.flatMap((each: unknown): UserEmail[] => {
    const fields = typeof each === 'string' ? { value: each } : each
    if (!isRecord(fields)) throw badValue('An email must be an object with a value.')
    const value = textIn(fields, 'value', maxEmailLength)
    if (value === undefined) return []
    if (!isEmail(value)) throw badValue('An email has a value that is no address.')
    const type = textIn(fields, 'type')
    const isPrimary = booleanIn(fieldOf(fields, 'primary')) === true
    return [{ value, ...(type !== undefined && { type }), ...(isPrimary && { primary: true }) }]
  })
  // One address is primary: where several claim it, the first.
  const first = read.findIndex(({ primary }) => primary)
  return read.map(({ primary, ...email }, i) => (primary && i === first ? { ...email, primary } : email))
}

/** Returns a text of bounded length without control characters; undefined where there is none. */
export function textIn(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  maxLength = maxText,
): string | undefined {
  const given = fieldOf(fields, name)
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'string') throw badValue(`${name} must be text.`)
  const text = given.trim()
  if (text.length > maxLength) throw badValue(`${name} has at most ${maxLength} characters.`)
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw badValue(`${name} has characters that are not text.`)
  return text === '' ? undefined : text
}

/** Returns the address of the member: the primary one, that of work, the first, or a user name that is one. */
export function addressOf({ emails, userName }: UserDocument): string {
  const chosen =
    emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type?.toLowerCase() === 'work') ?? emails[0]
  if (chosen) return chosen.value
  if (!isEmail(userName)) throw badValue('A user needs an email, or a userName that is one.')
  return userName
}

/** Returns the name of the member, as it is shown; undefined where the directory gave none. */
export function shownNameOf({ displayName, name }: UserDocument): string | undefined {
  const parts = [name.givenName, name.familyName].filter((part) => part !== undefined)
  return displayName ?? name.formatted ?? (parts.length > 0 ? parts.join(' ').slice(0, maxText) : undefined)
}

/** Facts about a resource that the service itself knows. */
export interface ResourceFacts {
  readonly id: string
  readonly created: string
  readonly lastModified: string
  readonly location: string
}

export const metaOf = (resourceType: 'User' | 'Group', { created, lastModified, location }: ResourceFacts) => ({
  resourceType,
  created,
  lastModified,
  location,
})

/** Returns a user as it is on the wire. */
export const userView = (user: UserDocument, facts: ResourceFacts) => ({
  schemas: [userSchema],
  id: facts.id,
  ...(user.externalId !== undefined && { externalId: user.externalId }),
  userName: user.userName,
  ...(Object.keys(user.name).length > 0 && { name: user.name }),
  ...(user.displayName !== undefined && { displayName: user.displayName }),
  emails: user.emails,
  active: user.active,
  meta: metaOf('User', facts),
})
