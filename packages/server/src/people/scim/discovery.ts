import {
  groupAttributes,
  groupKind,
  type ScimAttribute,
  type ScimResourceKind,
  userAttributes,
  userKind,
} from './attributes.ts'
import { maxPageSize } from './list-response.ts'

/** Documents by which a directory learns what the service can do (RFC 7643, sections 5 to 7). */

const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const typeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

export const serviceProviderConfig = (base: string) => ({
  schemas: [configSchema],
  documentationUri: `${new URL(base).origin}/docs/scim`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxPageSize },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Token of the directory',
      description: 'A token that an owner of the organization makes for the directory, sent as a bearer token.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const kinds: readonly ScimResourceKind[] = [userKind, groupKind]

export const resourceTypes = (base: string) =>
  kinds.map(({ name, schema }) => ({
    schemas: [typeSchema],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: name === 'User' ? 'Members of the organization' : 'Groups of members, by which rules give roles',
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))

export const schemas = (base: string) =>
  kinds.map(({ name, schema }) => ({
    schemas: [schemaSchema],
    id: schema,
    name,
    description: name === 'User' ? 'A member of the organization' : 'A group of members',
    attributes: (name === 'User' ? userAttributes : groupAttributes).map(describe),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema}` },
  }))

const describe = (attribute: ScimAttribute): object => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.isMultiple === true,
  description: attribute.description,
  required: attribute.isRequired === true,
  ...(attribute.type === 'string' && { caseExact: attribute.isCaseExact === true }),
  mutability: attribute.isReadOnly ? 'readOnly' : 'readWrite',
  returned: 'default',
  uniqueness: attribute.isUnique ? 'server' : 'none',
  ...(attribute.parts && { subAttributes: attribute.parts.map(describe) }),
})
