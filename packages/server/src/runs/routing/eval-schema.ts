import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { Count, Id, Moment, Nullable, PathId, Timestamp } from '../../contract/wire.ts'
import { Model, Provider } from '../../records/run-log/run-log.ts'
import { Milliseconds, maxResults, maxTokens, OptionalProvider, Score, Suite } from './schema.ts'

const result = Type.Object({
  suite: Suite,
  model: Model,
  provider: OptionalProvider,
  score: { ...Score, description: 'The score on the scale of your suite; higher is better.' },
  samples: Type.Integer({
    minimum: 1,
    maximum: maxTokens,
    description: 'The number of cases that the score is based on.',
    examples: [200],
  }),
  latency_ms: Type.Optional({ ...Nullable(Milliseconds), description: 'The measured latency of the model.' }),
  measured_at: Type.Optional({
    ...Moment,
    description: 'The time of the measurement; by default now. It cannot be in the future.',
  }),
})

export type ResultInput = Static<typeof result>
export const EvalsInput = Type.Object(
  {
    results: Type.Array(result, {
      minItems: 1,
      maxItems: maxResults,
      description: 'The results are stored together or not at all.',
    }),
  },
  {
    title: 'EvalsInput',
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
  { title: 'EvalResult', description: 'The result of an evaluation.' },
)

export type EvalView = Static<typeof EvalResult>
export const PostedEvals = Type.Object(
  { data: Type.Array(EvalResult, { description: 'In the order of `results`.' }) },
  { title: 'PostedEvals', description: 'The stored results.' },
)
export const EvalPath = Type.Object({ id: PathId('org'), eval_id: PathId('evalResult') })
export const EvalList = ListOf(EvalResult)
export const EvalListQuery = ListQuery({ created_at: 'time' }, { suite: Suite, model: Model, provider: Provider })
