import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, OneOf, Timestamp } from '../../contract/wire.ts'
import { isTimezone } from '../../values/period.ts'
import { KeyWithSecret } from '../keys/keys.ts'

const dimensions = ['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'user_id']

const Name = Type.String({ minLength: 1, maxLength: 100, examples: ['Acme'] })

export const Org = Type.Object(
  {
    id: Id('org'),
    name: Type.String(),
    status: OneOf(['active', 'suspended']),
    suspended_at: Nullable(Timestamp),
    suspension_reason: Nullable(Type.String({ description: 'As the operator gave it; null while it is active.' })),
    ip_allow_list: Type.Array(Type.String(), { description: 'Empty admits every address.' }),
    required_dimensions: Type.Array(Type.String()),
    residency: OneOf(['none', 'strict'], {
      description:
        '`strict`: its requests are served in its region only, and refused with `residency_violation` elsewhere.',
    }),
    home_region: Nullable(
      Type.String({
        description: 'Region in which it lives; null where the installation names none.',
        examples: ['eu'],
      }),
    ),
    timezone: Type.String({ description: 'Time zone of the times of day in rules.', examples: ['Europe/Berlin'] }),
    max_new_values_per_day: Nullable(
      Type.Integer({ description: 'As set; null for the default of the installation.' }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Org', description: 'The organization.' },
)
export type OrgView = Static<typeof Org>

export const OrgInput = Type.Object({ name: Name }, { title: 'OrgInput', examples: [{ name: 'Acme' }] })
export const CreatedOrg = Type.Object(
  {
    ...Org.properties,
    owner_key: KeyWithSecret,
  },
  { title: 'CreatedOrg', description: 'The organization, and its first key with its secret.' },
)

const orgReplacement = Type.Object(
  {
    name: Name,
    required_dimensions: Type.Optional(
      Type.Array(Type.Unsafe<string>({ type: 'string', enum: dimensions }), {
        maxItems: dimensions.length,
        uniqueItems: true,
        description: 'Dimensions that every run and decision of the organization must name; none if omitted.',
      }),
    ),
    timezone: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'An IANA time zone.',
      examples: ['Europe/Berlin'],
    }),
    max_new_values_per_day: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
          description:
            'New values per day (UTC) of each dimension that usage distinguishes; further ones are counted as `(other)`. null for the default of the installation.',
        }),
      ),
    ),
  },
  {
    title: 'OrgReplacement',
    examples: [{ name: 'Acme', timezone: 'Europe/Berlin', required_dimensions: ['department_id'] }],
  },
)
export type OrgReplacement = Static<typeof orgReplacement>
export const OrgReplacement = withCheck(orgReplacement, ({ timezone }: OrgReplacement) =>
  isTimezone(timezone)
    ? []
    : [{ field: 'timezone', code: 'invalid_value' as const, message: 'Must be an IANA time zone.' }],
)

export const SuspendInput = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) },
  { title: 'SuspendInput', examples: [{ reason: 'Invoice 4711 is unpaid.' }] },
)

export const IpAllowList = Type.Object(
  { ip_allow_list: Org.properties.ip_allow_list },
  { title: 'IpAllowList', description: 'The addresses from which keys are accepted.' },
)

export const Residency = Type.Object(
  { residency: Org.properties.residency, home_region: Org.properties.home_region },
  { title: 'Residency', description: 'Where the organization’s requests may be served.' },
)

export const ResidencyInput = Type.Object(
  {
    residency: Type.Enum(['none', 'strict'], {
      description:
        '`strict` binds the organization to the region in which it lives: whatever its keys send to a cell of another region is refused there, unread. `none` lets any cell hand its requests on.',
    }),
  },
  { title: 'ResidencyInput', examples: [{ residency: 'none' }] },
)
export type ResidencyInput = Static<typeof ResidencyInput>

export const OrgList = ListOf(Org)
export const OrgListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  {
    status: Type.Enum(['active', 'suspended']),
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Only names that contain this, ignoring case.' }),
  },
  'uuid',
  'oldest first',
)
