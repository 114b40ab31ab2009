import { type Static, Type } from 'typebox'
import { Count, Id, Nullable, Usd } from '../../contract/wire.ts'

const counted = (description: string) =>
  Type.Object({ runs: Count, usd: Usd }, { description, examples: [{ runs: 3, usd: '0.0375' }] })

const KeyReporting = Type.Object(
  {
    key_id: { ...Id('key'), description: 'The first key of its rotations.' },
    name: Nullable(Type.String({ examples: ['triage agent'] })),
    unreported: counted(
      'Reservations and started runs whose lease ended without a report, and what was held for them.',
    ),
    released: counted('Reservations that were released by hand, and what was held for them.'),
    overrun: counted('Runs that cost more than was held for them, and the part above it.'),
    late: counted(
      'Runs that were reported after their reservation had been released, by hand or with its lease, and what they cost.',
    ),
    held_at_usd: {
      ...Nullable(Usd),
      description:
        'The least that is held for a call of the key today, because its overrun has passed `max_overrun_usd`.',
    },
  },
  { title: 'KeyReporting', description: 'What the reports of a key leave open.' },
)
export type KeyReporting = Static<typeof KeyReporting>

export const KeyReportingList = Type.Object(
  { data: Type.Array(KeyReporting) },
  { title: 'KeyReportingList', description: 'Keys with something to show, those with the largest amounts first.' },
)

export const ReportingQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 400,
      default: 30,
      description: 'How many days back, today included; days are in UTC.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
})
