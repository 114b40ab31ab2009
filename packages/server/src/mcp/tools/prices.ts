import { type Static, Type } from 'typebox'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { Closed, Data, DataOrNull, Money, MoneyOrNull, Time, Whole, Word, WordOrNull } from '../fields.ts'
import { phrase, time, usd } from '../phrases.ts'
import { defineTool, type ToolContext } from '../tool.ts'

const mostModels = 10
const tokens = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }))

const input = Closed({
  models: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    minItems: 1,
    maxItems: mostModels,
    description: 'The models to compare.',
  }),
  input_tokens: tokens('Input tokens of one call, cached ones included. Give the shape of a call, or a workflow_id.'),
  output_tokens: tokens('Output tokens of one call.'),
  cache_read_input_tokens: tokens('The input tokens that are read from a cache.'),
  calls: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'How many such calls; 1 by default.' }),
  ),
  workflow_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Instead of a shape: prices what this workflow has used, every run as the average one.',
    }),
  ),
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, description: 'With workflow_id: of so many days; 30 by default.' }),
  ),
})
type Asked = Static<typeof input>

const Shape = Closed({
  calls: Whole('How many calls.'),
  input_tokens: Whole('Input tokens of each.'),
  output_tokens: Whole('Output tokens of each.'),
  cache_read_input_tokens: Whole('Those of the input that are read from a cache.'),
})

/** Calls of one shape, and their cost, if they were made. */
interface Priced {
  readonly shape: Static<typeof Shape>
  readonly spentUsd: string | null
}

/** Returns what a workflow has used as so many calls of its average shape. */
async function usedBy({ api, me, now }: ToolContext, workflowId: string, days: number): Promise<Priced> {
  const query = {
    workflow_id: workflowId,
    from: timestamp(new Date(now.getTime() - days * dayMs)),
    granularity: 'month',
    limit: 1,
  } as const
  const isOfAll = me.kind === 'support' || me.scopes.includes('usage:read')
  const usage = await (isOfAll ? api.get('/v1/orgs/{id}/usage', { query }) : api.get('/v1/me/usage', { query }))
  if (typeof usage !== 'object') throw new Error('usage is no picture')
  const { runs, cost_usd, ...used } = usage.totals
  const average = (sum: number) => (runs === 0 ? 0 : Math.round(sum / runs))
  return {
    spentUsd: cost_usd,
    shape: {
      calls: runs,
      input_tokens: average(used.input_tokens),
      output_tokens: average(used.output_tokens),
      cache_read_input_tokens: Math.min(average(used.cache_read_input_tokens), average(used.input_tokens)),
    },
  }
}

const shapeIn = ({ calls = 1, input_tokens = 0, output_tokens = 0, cache_read_input_tokens = 0 }: Asked): Priced => ({
  spentUsd: null,
  shape: { calls, input_tokens, output_tokens, cache_read_input_tokens },
})

export const compareModelsCost = defineTool({
  name: 'compare_models_cost',
  title: 'Compare models by cost',
  description:
    'What calls of one shape would cost with each of several models, at the prices in effect for you; or what a workflow of the last days would have cost with them. Exact for a shape; for a workflow every run is priced as the average one.',
  input,
  output: Closed({
    shape: Shape,
    is_average: Type.Boolean({ description: 'Whether every call is priced as the average one.' }),
    spent_usd: MoneyOrNull('What the workflow did cost.'),
    models: Type.Array(
      Closed({
        model: Data('The model.'),
        price_id: WordOrNull('The price that was used; null for a model without one.'),
        cost_of_call_usd: MoneyOrNull('What one call costs.'),
        cost_usd: MoneyOrNull('What all of them cost.'),
      }),
      { description: 'In the order of the arguments.' },
    ),
  }),
  answer: async (context, asked) => {
    const { workflow_id: workflowId, days = 30 } = asked
    const { shape, spentUsd } = workflowId === undefined ? shapeIn(asked) : await usedBy(context, workflowId, days)
    const { data } = await context.api.ask('/v1/orgs/{id}/prices/compare', {
      body: { ...shape, calls: Math.max(1, shape.calls), models: asked.models.map((model) => ({ model })) },
    })
    const isUnused = shape.calls === 0
    const models = data.map(({ model, price_id, cost_of_call_usd, cost_usd }) => ({
      model,
      price_id,
      cost_of_call_usd,
      cost_usd: isUnused && cost_usd !== null ? '0' : cost_usd,
    }))
    return {
      data: { shape, is_average: workflowId !== undefined, spent_usd: spentUsd, models },
      lines: [
        phrase`${shape.calls} calls with ${shape.input_tokens} tokens in (${shape.cache_read_input_tokens} cached) and ${shape.output_tokens} out each:`,
        ...models.map(({ model, cost_usd, cost_of_call_usd }) =>
          cost_usd === null || cost_of_call_usd === null
            ? phrase`- ${model} has no price.`
            : phrase`- ${model}: ${usd(cost_usd)}, ${usd(cost_of_call_usd)} each`,
        ),
        ...(spentUsd === null ? [] : [phrase`They did cost ${usd(spentUsd)}. Every run is priced as the average one.`]),
      ],
    }
  },
})

const mostUnpriced = 50

export const unpricedModels = defineTool({
  name: 'unpriced_models',
  title: 'Models without a price',
  description: 'Models that were asked for and have no price, so that their calls are refused or held at a ceiling.',
  input: Closed({}),
  output: Closed({
    calls_without_price: Word('What becomes of such calls.'),
    ceiling_usd: MoneyOrNull('What they are held at, if they are.'),
    models: Type.Array(
      Closed({
        model: Data('The model.'),
        provider: DataOrNull('The provider that was named.'),
        first_seen_at: Time('When it was first asked for.'),
        last_seen_at: Time('When it was last asked for.'),
      }),
    ),
    models_not_shown: Whole('How many more there are.'),
    min_hold_usd: Money('What every priced call holds at least.'),
  }),
  answer: async ({ api }) => {
    const prices = await api.get('/v1/orgs/{id}/prices')
    const models = prices.unpriced_models.slice(0, mostUnpriced)
    return {
      data: {
        calls_without_price: prices.unpriced,
        ceiling_usd: prices.unpriced_ceiling_usd,
        models,
        models_not_shown: prices.unpriced_models.length - models.length,
        min_hold_usd: prices.min_hold_usd,
      },
      lines: [
        phrase`${prices.unpriced_models.length} models have no price.`,
        ...models.map(
          ({ model, provider, last_seen_at }) =>
            phrase`- ${model} of provider ${provider}, last asked for at ${time(last_seen_at)}`,
        ),
      ],
    }
  },
})
