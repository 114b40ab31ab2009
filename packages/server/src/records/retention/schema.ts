import { type Static, Type } from 'typebox'
import { Nullable, Timestamp } from '../../contract/wire.ts'

const maxRawDays = 3_650

export const RetentionPolicyInput = Type.Object(
  {
    raw_days: Type.Integer({
      minimum: 1,
      maximum: maxRawDays,
      description: 'How many days after its start a run can be read.',
      examples: [90],
    }),
  },
  { title: 'RetentionPolicyInput', examples: [{ raw_days: 90 }] },
)
export type RetentionPolicyInput = Static<typeof RetentionPolicyInput>

export const RetentionPolicy = Type.Object(
  {
    raw_days: Type.Integer({ description: 'How many days after its start a run can be read.', examples: [90] }),
    class_days: Type.Integer({
      description:
        'Runs that are recorded from now on are stored for this many days: the shortest class that covers `raw_days`.',
      examples: [90],
    }),
    created_at: Nullable({ ...Timestamp, description: 'null while the default applies.' }),
    updated_at: Nullable(Timestamp),
  },
  { title: 'RetentionPolicy', description: 'The retention policy.' },
)
export type RetentionPolicy = Static<typeof RetentionPolicy>
