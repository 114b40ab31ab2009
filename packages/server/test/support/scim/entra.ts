/** Requests in the shapes in which Microsoft Entra ID sends them: capitalized operations, booleans as text, paths with filters. */

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patch = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

/** The test of a connection: a user who does not exist. */
export const probe = '/Users?filter=userName+eq+%22c2f8a4d1-5a0e-4e4f-9d0b-3c1d7a1f0e55%22'

export const lookUp = (userName: string) => `/Users?filter=userName+eq+${encodeURIComponent(`"${userName}"`)}`

export const lookUpByMail = (mail: string) =>
  `/Users?filter=${encodeURIComponent(`emails[type eq "work"].value eq "${mail}"`)}`

export const createUser = (userName: string, externalId: string) => ({
  schemas: [userSchema, enterprise],
  externalId,
  userName,
  active: true,
  emails: [{ primary: true, type: 'work', value: userName }],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
  roles: [],
  [enterprise]: { department: 'Analysis', employeeNumber: '42' },
})

/** Changes attributes one by one, an extension's and unknown ones included. */
export const updateUser = (mail: string, familyName: string) =>
  patch(
    { op: 'Replace', path: 'emails[type eq "work"].value', value: mail },
    { op: 'Replace', path: 'name.familyName', value: familyName },
    { op: 'Replace', path: 'displayName', value: `Given ${familyName}` },
    { op: 'Add', path: `${enterprise}:department`, value: 'Research' },
    { op: 'Add', path: `${enterprise}:manager`, value: 'a1b2c3' },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 20 7946 0000' },
    { op: 'Add', path: 'addresses[type eq "work"].country', value: 'GB' },
  )

/** Changes several attributes in one operation without a path, whose names are paths. */
export const updateWithoutPath = (userName: string, givenName: string) =>
  patch({
    op: 'Replace',
    value: {
      userName,
      'name.givenName': givenName,
      'emails[type eq "work"].value': userName,
      [`${enterprise}:employeeNumber`]: '43',
    },
  })

export const rename = (userName: string) => patch({ op: 'Replace', path: 'userName', value: userName })
export const disable = patch({ op: 'Replace', path: 'active', value: 'False' })
export const enable = patch({ op: 'Replace', path: 'active', value: 'True' })
/** The same, as versions before the flag for the standard sent it. */
export const disableInOldForm = patch({ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] })

export const createGroup = (displayName: string, externalId: string) => ({
  schemas: [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
  externalId,
  displayName,
  meta: { resourceType: 'Group' },
})

export const readGroup = (id: string) => `/Groups/${id}?excludedAttributes=members`
export const groupLookUp = (displayName: string) =>
  `/Groups?excludedAttributes=members&filter=displayName+eq+${encodeURIComponent(`"${displayName}"`)}`
/** Asks whether somebody is in a group. */
export const membership = (id: string, memberId: string) =>
  `/Groups?filter=${encodeURIComponent(`id eq "${id}" and members eq "${memberId}"`)}&attributes=id`

export const renameGroup = (displayName: string) => patch({ op: 'Replace', path: 'displayName', value: displayName })
export const addMember = (id: string) => patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] })
export const removeMember = (id: string) => patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] })
export const removeMemberByFilter = (id: string) => patch({ op: 'Remove', path: `members[value eq "${id}"]` })
