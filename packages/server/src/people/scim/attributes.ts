/** The attributes of users and groups that are kept. Filters, patches and `/Schemas` follow from them. */

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

export interface ScimAttribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'dateTime' | 'reference'
  readonly description: string
  readonly isMultiple?: true
  readonly isRequired?: true
  readonly isReadOnly?: true
  readonly isCaseExact?: true
  readonly isUnique?: true
  readonly parts?: readonly ScimAttribute[]
}

/** Attributes that every resource has, beside those of its schema. */
const ownAttributes: readonly ScimAttribute[] = [
  { name: 'id', type: 'string', description: 'Id that the service gave.', isReadOnly: true, isCaseExact: true },
  {
    name: 'meta',
    type: 'complex',
    description: 'Facts about the resource.',
    isReadOnly: true,
    parts: [
      { name: 'created', type: 'dateTime', description: 'Time of its creation.', isReadOnly: true },
      { name: 'lastModified', type: 'dateTime', description: 'Time of its last change.', isReadOnly: true },
    ],
  },
]

const externalId: ScimAttribute = {
  name: 'externalId',
  type: 'string',
  description: 'Id that the directory gave.',
  isCaseExact: true,
}

export const userAttributes: readonly ScimAttribute[] = [
  {
    name: 'userName',
    type: 'string',
    description: 'Name of the user, unique in the organization.',
    isRequired: true,
    isUnique: true,
  },
  externalId,
  {
    name: 'name',
    type: 'complex',
    description: 'Parts of the name.',
    parts: [
      { name: 'formatted', type: 'string', description: 'Whole name.' },
      { name: 'givenName', type: 'string', description: 'First name.' },
      { name: 'familyName', type: 'string', description: 'Last name.' },
    ],
  },
  { name: 'displayName', type: 'string', description: 'Name as it is shown.' },
  {
    name: 'emails',
    type: 'complex',
    description: 'E-mail addresses. The primary one is that of the member.',
    isMultiple: true,
    parts: [
      { name: 'value', type: 'string', description: 'The address.', isRequired: true },
      { name: 'type', type: 'string', description: 'Kind of address, such as work.' },
      { name: 'primary', type: 'boolean', description: 'True for the one that is used.' },
    ],
  },
  {
    name: 'active',
    type: 'boolean',
    description: 'False for a user who may not sign in; their sessions and keys have ended.',
  },
]

export const groupAttributes: readonly ScimAttribute[] = [
  {
    name: 'displayName',
    type: 'string',
    description: 'Name of the group, unique in the organization. Rules give roles by it.',
    isRequired: true,
    isUnique: true,
  },
  externalId,
  {
    name: 'members',
    type: 'complex',
    description: 'Users in the group.',
    isMultiple: true,
    parts: [
      { name: 'value', type: 'string', description: 'Id of a user.', isRequired: true, isCaseExact: true },
      { name: 'display', type: 'string', description: 'User name.', isReadOnly: true },
      { name: 'type', type: 'string', description: 'Always User.', isReadOnly: true },
    ],
  },
]

/** A kind of resource: its schema, and all attributes that filters can name. */
export interface ScimResourceKind {
  readonly name: 'User' | 'Group'
  readonly schema: string
  readonly attributes: readonly ScimAttribute[]
}

export const userKind: ScimResourceKind = {
  name: 'User',
  schema: userSchema,
  attributes: [...userAttributes, ...ownAttributes],
}
export const groupKind: ScimResourceKind = {
  name: 'Group',
  schema: groupSchema,
  attributes: [...groupAttributes, ...ownAttributes],
}

/** Finds an attribute by its name, which is the same in any case. */
export const attributeNamed = (attributes: readonly ScimAttribute[], name: string): ScimAttribute | undefined => {
  const wanted = name.toLowerCase()
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted)
}
