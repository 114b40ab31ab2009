import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Computed, Count, Id, Moment, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../contract/wire.ts'
import { Model, Provider } from '../run-log/run-log.ts'
import { keyOf, strategies } from './route.ts'

export const maxModels = 500
export const maxRoutes = 200
export const maxResults = 500
const maxCandidates = 100
const maxMs = 3_600_000
const maxTokens = 1_000_000_000
const maxScore = 1_000_000_000

const times = { created_at: Timestamp, updated_at: Timestamp }

const OptionalProvider = Type.Optional({
  ...Nullable(Provider),
  description: 'The same name at another provider, or without one, is another model.',
})
const Region = Type.String({ ...OwnId, maxLength: 64, examples: ['eu-west-1'] })
const Capability = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]*$', maxLength: 50, examples: ['vision'] })
const Capabilities = Type.Array(Capability, { maxItems: 30, uniqueItems: true, examples: [['tools', 'vision']] })
const Milliseconds = Type.Integer({ minimum: 1, maximum: maxMs, examples: [900] })
const ContextTokens = Type.Integer({ minimum: 1, maximum: maxTokens, examples: [128_000] })
const Suite = Type.String({ ...OwnId, maxLength: 100, examples: ['support-quality'] })
const Score = Type.Number({ minimum: -maxScore, maximum: maxScore, examples: [0.93] })

export const ModelInput = Type.Object(
  {
    model: Model,
    provider: OptionalProvider,
    region: Type.Optional(Nullable(Region)),
    capabilities: Type.Optional({
      ...Capabilities,
      default: [],
      description: 'What it can do, in your own words: routes ask for them.',
    }),
    context_tokens: Type.Optional({
      ...Nullable(ContextTokens),
      description: 'What input and output may be together.',
    }),
    latency_ms: Type.Optional({
      ...Nullable(Milliseconds),
      description: 'How fast it answers, where the result of the suite does not say it.',
    }),
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'false: it is not chosen anywhere.' })),
  },
  {
    examples: [{ model: 'gpt-4o', provider: 'openai', region: 'eu-west-1', capabilities: ['tools'], latency_ms: 900 }],
  },
)
export type ModelInput = Static<typeof ModelInput>

export const RoutingModel = Type.Object(
  {
    id: Id('model'),
    model: Type.String({ examples: ['gpt-4o'] }),
    provider: Nullable(Type.String()),
    region: Nullable(Type.String()),
    capabilities: Type.Array(Type.String()),
    context_tokens: Nullable(Count),
    latency_ms: Nullable(Count),
    enabled: Type.Boolean(),
    price: Computed(
      Nullable(
        Type.Object(
          {
            price_id: Type.String({
              description: 'The entry of the price book.',
              examples: ['list:gpt-4o@2024-08-06'],
            }),
            input_usd_per_million: Usd,
            output_usd_per_million: Usd,
            cache_read_usd_per_million: Usd,
            cache_write_usd_per_million: Usd,
            max_output_tokens: Nullable(Count),
          },
          { description: 'What the price book says now; null: nobody has priced it.' },
        ),
      ),
    ),
    ...times,
  },
  { description: 'The model.' },
)
export type ModelView = Static<typeof RoutingModel>
export const ModelPath = Type.Object({ id: PathId('org'), model_id: PathId('model') })
export const ModelList = ListOf(RoutingModel)
export const ModelListQuery = ListQuery(
  { created_at: 'time', model: 'text' },
  { model: Model, provider: Provider, enabled: Type.Boolean() },
)

const result = Type.Object({
  suite: Suite,
  model: Model,
  provider: OptionalProvider,
  score: { ...Score, description: 'On the scale of your suite; more is better.' },
  samples: Type.Integer({
    minimum: 1,
    maximum: maxTokens,
    description: 'How many cases it stands on.',
    examples: [200],
  }),
  latency_ms: Type.Optional({ ...Nullable(Milliseconds), description: 'How fast the model answered.' }),
  measured_at: Type.Optional({ ...Moment, description: 'Left out: now. Not in the future.' }),
})
export type ResultInput = Static<typeof result>
export const EvalsInput = Type.Object(
  {
    results: Type.Array(result, {
      minItems: 1,
      maxItems: maxResults,
      description: 'They count together, or not at all.',
    }),
  },
  {
    examples: [
      { results: [{ suite: 'support-quality', model: 'gpt-4o', provider: 'openai', score: 0.93, samples: 200 }] },
    ],
  },
)
export type EvalsInput = Static<typeof EvalsInput>

export const EvalResult = Type.Object(
  {
    id: Id('evalResult'),
    suite: Type.String({ examples: ['support-quality'] }),
    model: Type.String({ examples: ['gpt-4o'] }),
    provider: Nullable(Type.String()),
    score: Type.Number({ examples: [0.93] }),
    samples: Count,
    latency_ms: Nullable(Count),
    measured_at: Timestamp,
    created_at: Timestamp,
  },
  { description: 'The result of an evaluation.' },
)
export type EvalView = Static<typeof EvalResult>
export const PostedEvals = Type.Object(
  { data: Type.Array(EvalResult, { description: 'In the order of `results`.' }) },
  { description: 'The results as they are kept.' },
)
export const EvalPath = Type.Object({ id: PathId('org'), eval_id: PathId('evalResult') })
export const EvalList = ListOf(EvalResult)
export const EvalListQuery = ListQuery({ created_at: 'time' }, { suite: Suite, model: Model, provider: Provider })

const Bar = Type.Object(
  {
    suite: Suite,
    min_score: { ...Score, description: 'The least score that passes.', examples: [0.9] },
    min_samples: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxTokens, default: 1, description: 'The least number of samples.' }),
    ),
    max_age_seconds: Type.Integer({
      minimum: 1,
      maximum: 157_680_000,
      description: 'How old the latest result may be: after that the model is out until it is measured again.',
      examples: [1_209_600],
    }),
  },
  { description: 'What the latest result of a model must be. null: any model may be chosen, measured or not.' },
)

const constraintFields = {
  capabilities: Type.Optional({ ...Capabilities, default: [], description: 'All of them.' }),
  regions: Type.Optional(
    Type.Array(Region, { maxItems: 50, uniqueItems: true, default: [], description: 'One of them; empty: any.' }),
  ),
  max_price_usd: Type.Optional({
    ...Nullable(Usd),
    description: 'What the whole call may cost at most, as it would be held.',
  }),
  max_latency_ms: Type.Optional(Nullable(Milliseconds)),
  min_context_tokens: Type.Optional(Nullable(ContextTokens)),
}

const Candidate = Type.Object({
  model: Model,
  provider: OptionalProvider,
  weight: Type.Optional({
    ...Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [90] })),
    description: 'Its share among the models that pass. Of a `weighted` route, and there of every candidate.',
  }),
})

const RouteName = Type.String({
  ...OwnId,
  maxLength: 100,
  description: 'What requests call it. Does not begin with `rte_`, as ids do.',
  examples: ['support-chat'],
})

const routeInput = Type.Object(
  {
    name: RouteName,
    strategy: Type.Enum([...strategies], {
      description:
        'Which of the models that pass: the one that costs least, answers fastest, has the best score, or by weight.',
    }),
    bar: Nullable(Bar),
    constraints: Type.Optional(
      Type.Object(constraintFields, {
        description: 'What a model does not say of itself it does not fulfil.',
        default: {},
      }),
    ),
    candidates: Type.Optional({
      ...Nullable(Type.Array(Candidate, { minItems: 1, maxItems: maxCandidates })),
      description: 'Models of the organization. null or left out: all of them, also those that are added later.',
    }),
  },
  {
    examples: [
      {
        name: 'support-chat',
        strategy: 'cheapest',
        bar: { suite: 'support-quality', min_score: 0.9, max_age_seconds: 1_209_600 },
        constraints: { capabilities: ['tools'] },
      },
    ],
  },
)
export type RouteInput = Static<typeof routeInput>
export const RouteInput = withCheck(routeInput, routeFaults)

function routeFaults({ name, strategy, bar, candidates }: RouteInput): FieldFault[] {
  const faults: FieldFault[] = []
  if (name.startsWith('rte_'))
    faults.push({ field: 'name', code: 'invalid_value', message: 'Only ids begin with rte_.' })
  if (strategy === 'best' && bar === null)
    faults.push({ field: 'bar', code: 'required', message: 'Which model is best is told by the suite of the bar.' })
  if (strategy === 'weighted' && candidates == null)
    faults.push({ field: 'candidates', code: 'required', message: 'A weighted route needs candidates with weights.' })
  return [...faults, ...candidateFaults(strategy, candidates ?? [])]
}

function candidateFaults(strategy: RouteInput['strategy'], candidates: NonNullable<RouteInput['candidates']>) {
  const seen = new Set<string>()
  return candidates.flatMap(({ model, provider = null, weight = null }, i): FieldFault[] => {
    const key = keyOf({ model, provider })
    const isRepeated = seen.has(key)
    seen.add(key)
    if (isRepeated)
      return [{ field: `candidates.${i}`, code: 'invalid_value', message: 'Another candidate is the same model.' }]
    if ((strategy === 'weighted') === (weight !== null)) return []
    return weight === null
      ? [{ field: `candidates.${i}.weight`, code: 'required', message: 'A weighted route needs this of each.' }]
      : [{ field: `candidates.${i}.weight`, code: 'invalid_value', message: 'Only a weighted route has weights.' }]
  })
}

export const ModelRoute = Type.Object(
  {
    id: Id('modelRoute'),
    name: Type.String({ examples: ['support-chat'] }),
    strategy: OneOf(['cheapest', 'fastest', 'best', 'weighted']),
    bar: Nullable(
      Type.Object({
        suite: Type.String(),
        min_score: Type.Number(),
        min_samples: Count,
        max_age_seconds: Count,
      }),
    ),
    constraints: Type.Object({
      capabilities: Type.Array(Type.String()),
      regions: Type.Array(Type.String()),
      max_price_usd: Nullable(Usd),
      max_latency_ms: Nullable(Count),
      min_context_tokens: Nullable(Count),
    }),
    candidates: Nullable(
      Type.Array(
        Type.Object({ model: Type.String(), provider: Nullable(Type.String()), weight: Nullable(Type.Integer()) }),
      ),
    ),
    ...times,
  },
  { description: 'The route.' },
)
export type RouteView = Static<typeof ModelRoute>
export const RoutePath = Type.Object({ id: PathId('org'), route_id: PathId('modelRoute') })
export const RouteList = ListOf(ModelRoute)
export const RouteListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { name: RouteName, strategy: Type.Enum([...strategies]) },
)
