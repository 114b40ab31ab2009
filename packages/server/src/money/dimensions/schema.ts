import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Nullable, OneOf, OwnId, PathId, Timestamp } from '../../contract/wire.ts'
import { normalForm } from '../../values/normal-form.ts'
import { patternFault } from './known-names.ts'

/** Fields of a call whose values an organization can name. */
export const dimensionNames = [
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
  'action',
  'tags',
] as const
export type DimensionName = (typeof dimensionNames)[number]

export const onUnknowns = ['allow', 'default_limit', 'refuse'] as const

const maxValues = 1_000
const onUnknownText =
  'What becomes of a call with another value. `refuse`: it is 422. `default_limit`: it passes where the dimension has a default limit that blocks, and is held under it; not for `action` and `tags`. `allow`: it passes.'

const input = Type.Object(
  {
    values: Type.Optional(
      Type.Array(OwnId, {
        maxItems: maxValues,
        description: 'The values that are known, in any spelling of theirs.',
        examples: [['support', 'research']],
      }),
    ),
    pattern: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 500,
          description:
            'A regular expression (RE2) for the values that are known beside these. It must match the whole value; letter case makes no difference.',
          examples: ['team-[0-9]+'],
        }),
      ),
    ),
    on_unknown: Type.Enum([...onUnknowns], { description: onUnknownText, examples: ['refuse'] }),
  },
  { title: 'DimensionInput', examples: [{ values: ['support', 'research'], on_unknown: 'refuse' }] },
)
export type DimensionInput = Static<typeof input>

/** Field errors of settings: a pattern that cannot be used, a value that names nothing, nothing that would be known. */
function faultsOf({ values = [], pattern = null, on_unknown }: DimensionInput): FieldFault[] {
  const wrong = pattern === null ? undefined : patternFault(pattern)
  const isEmpty = values.length === 0 && pattern === null && on_unknown !== 'allow'
  return [
    ...values.flatMap((value, i) =>
      normalForm(value) === ''
        ? [{ field: `values.${i}`, code: 'empty' as const, message: 'Must have a character that can be seen.' }]
        : [],
    ),
    ...(wrong === undefined ? [] : [{ field: 'pattern', code: 'invalid_value' as const, message: wrong }]),
    ...(isEmpty
      ? [
          {
            field: 'values',
            code: 'required' as const,
            message: 'Give values, a pattern or both: nothing would be known.',
          },
        ]
      : []),
  ]
}
export const DimensionInput = withCheck(input, faultsOf)

export const Dimension = Type.Object(
  {
    dimension: OneOf(dimensionNames, { examples: ['department_id'] }),
    values: Type.Array(Type.String(), { description: 'In their normal form.', examples: [['support', 'research']] }),
    pattern: Nullable(Type.String({ examples: ['team-[0-9]+'] })),
    on_unknown: OneOf(onUnknowns, { description: onUnknownText, examples: ['refuse'] }),
    created_at: Nullable({ ...Timestamp, description: 'null where nothing has been set.' }),
    updated_at: Nullable({ ...Timestamp, description: 'null where nothing has been set.' }),
  },
  { title: 'Dimension', description: 'The values of a dimension that are known, and what becomes of others.' },
)
export type DimensionView = Static<typeof Dimension>

export const DimensionList = Type.Object(
  { data: Type.Array(Dimension) },
  { title: 'DimensionList', description: 'Every dimension, whether or not something is set for it.' },
)

export const DimensionPath = Type.Object({
  id: PathId('org'),
  dimension: Type.Unsafe<DimensionName>({
    type: 'string',
    enum: [...dimensionNames],
    'x-path-id': true,
    examples: ['department_id'],
  }),
})
