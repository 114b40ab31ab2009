import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, Nullable, OwnId, Usd } from '../../contract/wire.ts'

const maxComparedModels = 20

const Tokens = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000_000, description, examples: [1_000] })

const input = Type.Object(
  {
    models: Type.Array(
      Type.Object({
        model: Type.String({ ...OwnId, description: 'The model, in any spelling.', examples: ['gpt-4o'] }),
        provider: Type.Optional(
          Type.String({ minLength: 1, maxLength: 100, description: 'Who serves it.', examples: ['openai'] }),
        ),
      }),
      { minItems: 1, maxItems: maxComparedModels },
    ),
    input_tokens: Tokens('Input tokens of one call, cached ones included.'),
    output_tokens: Tokens('Output tokens of one call.'),
    cache_read_input_tokens: Type.Optional(Tokens('The input tokens that are read from a cache.')),
    cache_creation_input_tokens: Type.Optional(Tokens('The input tokens that are written to a cache.')),
    calls: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'How many such calls.' }),
    ),
  },
  {
    title: 'PriceComparisonInput',
    examples: [
      { models: [{ model: 'gpt-4o' }, { model: 'gpt-4o-mini' }], input_tokens: 2_000, output_tokens: 500, calls: 100 },
    ],
  },
)
export type PriceComparisonInput = Static<typeof input>
export const PriceComparisonInput = withCheck(input, cacheFaults)

function cacheFaults(body: Partial<PriceComparisonInput>): FieldFault[] {
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = body
  if (cache_read_input_tokens + cache_creation_input_tokens <= input_tokens) return []
  const message = 'Cached tokens are a part of the input: at most input_tokens together.'
  return [{ field: 'cache_read_input_tokens', code: 'out_of_range', message }]
}

const Sum = Type.String({
  ...Usd,
  pattern: '^(0|[1-9][0-9]{0,28})(\\.[0-9]{1,9})?$',
  maxLength: 40,
  description: 'US dollars as a decimal string, exact to nine decimals.',
  examples: ['0.0125'],
})

const ComparedModel = Type.Object(
  {
    model: Type.String({ examples: ['gpt-4o'] }),
    provider: Nullable(Type.String({ examples: ['openai'] })),
    price_id: Nullable(
      Type.String({
        description: 'The entry that prices it; null for a model without a price.',
        examples: ['list:gpt-4o'],
      }),
    ),
    cost_of_call_usd: Nullable({ ...Sum, description: 'What one call costs.' }),
    cost_usd: Nullable({ ...Sum, description: 'What all of them cost.' }),
  },
  { title: 'ComparedModel' },
)

export const PriceComparison = Type.Object(
  {
    calls: Count,
    data: Type.Array(ComparedModel, { description: 'One for each model, in the order of the request.' }),
  },
  { title: 'PriceComparison', description: 'What the calls would cost with each model.' },
)
export type PriceComparison = Static<typeof PriceComparison>
