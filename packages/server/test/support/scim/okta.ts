/** Requests in the shapes in which Okta sends them, with its fields in its order. */

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patch = (Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

/** Looks a user up before creating them. */
export const lookUp = (userName: string) =>
  `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}&startIndex=1&count=100`

export const createUser = (userName: string, externalId: string) => ({
  schemas: [userSchema],
  userName,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: userName, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId,
  groups: [],
  password: '1mz050nq',
  active: true,
})

/** Replaces a user with what was read of them, changed. */
export const updateUser = (read: object, name: { givenName: string; familyName: string }) => ({
  ...read,
  schemas: [userSchema],
  name: { ...name, formatted: `${name.givenName} ${name.familyName}` },
  displayName: `${name.givenName} ${name.familyName}`,
  title: 'Countess',
})

export const setActive = (active: boolean) => patch([{ op: 'replace', value: { active } }])

export const createGroup = (displayName: string) => ({ schemas: [groupSchema], displayName, members: [] })

export const groupLookUp = (displayName: string) =>
  `/Groups?filter=${encodeURIComponent(`displayName eq "${displayName}"`)}&startIndex=1&count=100`

export const renameGroup = (id: string, displayName: string) => patch([{ op: 'replace', value: { id, displayName } }])

export const addMembers = (...users: readonly { id: string; userName: string }[]) =>
  patch([{ op: 'add', path: 'members', value: users.map(({ id, userName }) => ({ value: id, display: userName })) }])

export const removeMember = (id: string) => patch([{ op: 'remove', path: `members[value eq "${id}"]` }])

export const replaceMembers = (...ids: readonly string[]) =>
  patch([{ op: 'replace', path: 'members', value: ids.map((value) => ({ value })) }])

/** Replaces a group with all its members, as older integrations do. */
export const updateGroup = (id: string, displayName: string, ...ids: readonly string[]) => ({
  schemas: [groupSchema],
  id,
  displayName,
  members: ids.map((value) => ({ value })),
})
