import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { exampleId, Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { idPattern } from '../../values/id.ts'
import { normalDomain } from './domain-name.ts'

const connection = {
  description: 'The connection by which people with an address of this domain sign in; null for none.',
  examples: [exampleId('connection')],
}
const fields = {
  description: Type.Optional(Type.String({ maxLength: 500, default: '', examples: ['the head office'] })),
  connection_id: Type.Optional(
    Type.Union([Type.String({ pattern: idPattern('connection'), maxLength: 40 }), Type.Null()], {
      default: null,
      ...connection,
    }),
  ),
}

export const DomainReplacement = Type.Object(fields, {
  title: 'DomainReplacement',
  examples: [{ description: 'the head office', connection_id: null }],
})
export type DomainReplacement = Static<typeof DomainReplacement>

const input = Type.Object(
  {
    domain: Type.String({
      minLength: 3,
      maxLength: 253,
      description: 'The part of e-mail addresses behind the @.',
      examples: ['acme.example'],
    }),
    ...fields,
  },
  { title: 'DomainInput', examples: [{ domain: 'acme.example' }] },
)
export type DomainInput = Static<typeof input>
export const DomainInput = withCheck(input, ({ domain }: DomainInput): FieldFault[] =>
  normalDomain(domain) === undefined
    ? [{ field: 'domain', code: 'invalid_format', message: 'Must be a domain such as acme.example.' }]
    : [],
)

const DomainRecord = Type.Object(
  {
    type: OneOf(['TXT']),
    name: Type.String({ examples: ['_weir-challenge.acme.example'] }),
    value: Type.String({ examples: ['weir-domain-verification=6f1ed002ab5595859014ebf0951522d9'] }),
  },
  { title: 'DomainRecord', description: 'The DNS record that proves the domain. Leave it in place.' },
)

export const Domain = Type.Object(
  {
    id: Id('domain'),
    org_id: Id('org'),
    domain: Type.String({ examples: ['acme.example'] }),
    description: Type.String({ examples: ['the head office'] }),
    status: OneOf(['pending', 'verified'], {
      description:
        '`verified` once its record was found in DNS, until it is missing on three days in a row or another organization proves the domain.',
    }),
    connection_id: Nullable(Type.String(connection)),
    record: DomainRecord,
    verified_at: Nullable(Timestamp),
    checked_at: Nullable({ ...Timestamp, description: 'The time of the last look at its record.' }),
    missed_days: Type.Integer({
      minimum: 0,
      description: 'The days in a row on which its record was missing. It is looked up once a day.',
      examples: [0],
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Domain', description: 'The domain, with the record that proves it.' },
)
export type DomainView = Static<typeof Domain>

export const DomainPath = Type.Object({ id: PathId('org'), domain_id: PathId('domain') })
export const DomainList = ListOf(Domain)
export const DomainListQuery = ListQuery({ created_at: 'time' }, { status: Type.Enum(['pending', 'verified']) })
