import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Id, Timestamp } from '../contract/wire.ts'
import { KeyWithSecret } from '../keys/keys.ts'
import { isNetwork } from '../values/network.ts'
import { isTimezone } from '../values/period.ts'

const maxNetworks = 500
const dimensions = ['workflow_id', 'deployment_id', 'department_id', 'customer_id']

const Name = Type.String({ minLength: 1, maxLength: 100, examples: ['Acme'] })

export const Org = Type.Object({
  id: Id('org'),
  name: Type.String(),
  status: Type.String({ description: '`active` or `suspended`.' }),
  ip_allow_list: Type.Array(Type.String(), { description: 'Empty: every address.' }),
  required_dimensions: Type.Array(Type.String()),
  timezone: Type.String({ description: 'What rules mean by the time of day.', examples: ['Europe/Berlin'] }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type OrgView = Static<typeof Org>

export const OrgInput = Type.Object({ name: Name })
export const CreatedOrg = Type.Object({
  ...Org.properties,
  owner_key: KeyWithSecret,
})

const orgPatch = Type.Object(
  {
    name: Type.Optional(Name),
    required_dimensions: Type.Optional(
      Type.Array(Type.Unsafe<string>({ type: 'string', enum: dimensions }), {
        maxItems: dimensions.length,
        uniqueItems: true,
        description: 'Dimensions that every run and decision of the organization must name.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'An IANA time zone.', examples: ['Europe/Berlin'] }),
    ),
  },
  { minProperties: 1 },
)
export type OrgPatch = Static<typeof orgPatch>
export const OrgPatch = withCheck(orgPatch, ({ timezone }: OrgPatch) =>
  timezone === undefined || isTimezone(timezone)
    ? []
    : [{ field: 'timezone', code: 'invalid_value' as const, message: 'There is no such time zone.' }],
)

export const SuspendInput = Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) })

export const IpAllowListInput = withCheck(
  Type.Object({
    ip_allow_list: Type.Array(Type.String({ minLength: 1, maxLength: 49 }), {
      maxItems: maxNetworks,
      description: 'Addresses or CIDR networks; empty admits every address.',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
  }),
  ({ ip_allow_list }: { ip_allow_list: string[] }) =>
    ip_allow_list.flatMap((text, i) =>
      isNetwork(text)
        ? []
        : [
            {
              field: `ip_allow_list.${i}`,
              code: 'invalid_format' as const,
              message: 'This is no address and no CIDR network.',
            },
          ],
    ),
)

export const OrgList = ListOf(Org)
export const OrgListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { status: Type.Enum(['active', 'suspended']) },
)
