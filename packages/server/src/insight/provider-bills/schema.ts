import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, Id, IsoDate, Nullable, OneOf, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { billFormats } from './bill-files.ts'
import { billers, tokenKinds } from './bill-lines.ts'
import { reasons } from './reasons.ts'

const maxFiles = 12
/** Longest file, and longest bill, in characters. */
const maxFileLength = 4_000_000
const maxBillLength = 8_000_000

const example = JSON.stringify({
  object: 'page',
  data: [
    {
      object: 'bucket',
      start_time: 1_793_491_200,
      end_time: 1_793_577_600,
      results: [
        {
          object: 'organization.costs.result',
          amount: { value: 4.25, currency: 'usd' },
          line_item: 'gpt-4o-2024-08-06, input',
        },
      ],
    },
  ],
})

const day = { ...IsoDate, pattern: '^2[0-9]{3}-[0-9]{2}-[0-9]{2}$' }
const input = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        name: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
            description: 'Name of the file, to find it again.',
            examples: ['costs-november.json'],
          }),
        ),
        text: Type.String({
          minLength: 1,
          maxLength: maxFileLength,
          description:
            'Text of the file: an answer of `/v1/organization/costs` or `/v1/organization/usage/completions` of OpenAI, of `cost_report` or `usage_report/messages` of Anthropic, a list of such pages, or the CSV of the console of either.',
          examples: [example],
        }),
      }),
      {
        minItems: 1,
        maxItems: maxFiles,
        description:
          'The bill: files of one provider, 8,000,000 characters in all. Costs and usage tell more together.',
      },
    ),
    from: Type.Optional({ ...day, description: 'First UTC day to compare; by default the first of the files.' }),
    to: Type.Optional({ ...day, description: 'UTC day before which to stop; by default the one after the last.' }),
    tolerance_usd: Type.Optional({
      ...Usd,
      description: 'Amount by which a model may differ on a day and still count as equal.',
      default: '0.01',
      examples: ['0.01'],
    }),
    tolerance_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        default: 0,
        description: 'Tokens by which each kind may differ on a day.',
        examples: [0],
      }),
    ),
  },
  {
    title: 'ReconciliationInput',
    examples: [{ files: [{ name: 'costs-november.json', text: example }] }],
  },
)
export type ReconciliationInput = Static<typeof input>

const isDay = (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

export const ReconciliationInput = withCheck(input, ({ files, from, to }: ReconciliationInput): FieldFault[] => {
  const length = files.reduce((sum, { text }) => sum + text.length, 0)
  const missing = Object.entries({ from, to }).filter(([, text]) => text !== undefined && !isDay(text))
  const isBackwards = missing.length === 0 && from !== undefined && to !== undefined && from >= to
  return [
    ...(length > maxBillLength
      ? [
          {
            field: 'files',
            code: 'too_many' as const,
            message: `All files together: at most ${maxBillLength} characters.`,
          },
        ]
      : []),
    ...missing.map(([field]) => ({ field, code: 'invalid_value' as const, message: 'Must be an existing date.' })),
    ...(isBackwards ? [{ field: 'to', code: 'out_of_range' as const, message: 'Must be later than "from".' }] : []),
  ]
})

/** An amount that can be below zero. */
const Signed = (description: string, value = '-0.5') =>
  Type.String({
    pattern: '^-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,9})?$',
    maxLength: 30,
    description: `${description} US dollars as a decimal string, exact to nine decimals.`,
    examples: [value],
  })
const bill = (description: string) => Nullable(Signed(description, '4.25'))

const Tokens = Type.Object(
  Object.fromEntries(
    tokenKinds.map((kind) => [
      kind,
      Type.Object({
        booked: Type.Integer({ examples: [1_000_000] }),
        billed: Type.Integer({ examples: [1_000_000] }),
        difference: Type.Integer({ description: 'What is billed beyond what is booked.', examples: [0] }),
      }),
    ]),
  ),
  {
    title: 'ReconciliationTokens',
    description: '`input` without what was read from a cache or written into one.',
  },
)

const Difference = Type.Object(
  {
    date: { ...IsoDate, description: 'UTC day.', examples: ['2026-11-01'] },
    model: Type.String({
      description: 'Name under which both sides are compared; for a charge that is for no model, what it is for.',
      examples: ['gpt-4o'],
    }),
    names: Type.Array(Type.String(), { description: 'As the bill and the runs spell it.', examples: [['gpt-4o']] }),
    reason: OneOf([...reasons], { description: 'Likely reason.', examples: ['missing_here'] }),
    runs: { ...Count, examples: [0] },
    booked_usd: Signed('What the runs cost.', '0'),
    billed_usd: bill('What the provider asks; null where the files have no amounts for the day.'),
    difference_usd: Nullable(Signed('What is billed beyond what is booked.', '4.25')),
    tokens: Nullable(Tokens),
    tiers: Type.Array(Type.String(), {
      description: 'Tiers of service in the bill beside the standard one.',
      examples: [['batch']],
    }),
  },
  { title: 'ReconciliationDifference' },
)

const summary = {
  provider: OneOf([...billers], { examples: ['openai'] }),
  from: { ...IsoDate, description: 'First UTC day.', examples: ['2026-11-01'] },
  to: { ...IsoDate, description: 'The UTC day after the last.', examples: ['2026-11-02'] },
  tolerance_usd: Usd,
  tolerance_tokens: { ...Count, examples: [0] },
  files: Type.Array(
    Type.Object(
      {
        name: Nullable(Type.String({ examples: ['costs-november.json'] })),
        format: OneOf([...billFormats], { examples: ['openai-costs'] }),
        lines: { ...Count, examples: [1] },
        bytes: { ...Count, description: 'Length in UTF-8.', examples: [221] },
        sha256: Type.String({
          description: 'SHA-256 of the file in hexadecimal, as `sha256sum` prints it.',
          examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        }),
      },
      { title: 'ReconciledFile' },
    ),
  ),
  has_amounts: Type.Boolean({ description: 'The files have amounts.' }),
  has_tokens: Type.Boolean({ description: 'The files have tokens.' }),
  runs: { ...Count, description: 'Runs that were compared.', examples: [12] },
  compared: { ...Count, description: 'Models and days that were compared.', examples: [2] },
  equal: { ...Count, description: 'Those of them that are equal within the tolerance.', examples: [1] },
  booked_usd: Signed('What the runs cost.', '3.25'),
  billed_usd: bill('What the provider asks; null where the files have no amounts.'),
  difference_usd: bill('What is billed beyond what is booked.'),
  within_tolerance_usd: Signed('The part of it that is within the tolerance.', '0'),
  outside_usd: Signed('Amounts in the files on days that were not compared.', '0'),
  difference_count: { ...Count, examples: [1] },
  by_reason: Type.Array(
    Type.Object({
      reason: OneOf([...reasons], { examples: ['missing_here'] }),
      count: { ...Count, examples: [1] },
      difference_usd: Signed('What they add up to.', '4.25'),
    }),
    { description: 'All differences by their likely reason; the amounts are counted as 0 where the files have none.' },
  ),
  created_by: Type.String({
    description: 'Who sent the bill: `key_…`, `mbr_…` or `sgr_…`.',
    examples: ['key_01jbstbb4pex5vsknk084sn02q'],
  }),
  created_at: Timestamp,
}

const id = Id('reconciliation')

/** A reconciliation without its differences, as lists show it. */
export const ReconciliationSummary = Type.Object({ id, ...summary }, { title: 'ReconciliationSummary' })
export type ReconciliationSummary = Static<typeof ReconciliationSummary>

export const Reconciliation = Type.Object(
  {
    id,
    ...summary,
    differences: Type.Array(Difference, {
      description: 'The largest amounts first; at most 1,000 of them.',
    }),
    unlisted: Type.Object(
      { count: { ...Count, examples: [0] }, difference_usd: Signed('What they add up to.', '0') },
      { description: 'Differences beyond those that are listed.' },
    ),
  },
  { title: 'Reconciliation', description: 'A bill of a provider, compared with the runs of its days.' },
)
export type Reconciliation = Static<typeof Reconciliation>
export type ReconciliationDifference = Static<typeof Difference>

export const ReconciliationPath = Type.Object({ id: PathId('org'), reconciliation_id: PathId('reconciliation') })
export const ReconciliationList = ListOf(ReconciliationSummary)
export const ReconciliationListQuery = ListQuery({ created_at: 'time' }, {})
