import { type Static, Type } from 'typebox'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, Id, Nullable, OneOf, OwnId, Usd } from '../../contract/wire.ts'
import { amountFaults, decisionFields } from '../../decisions/decisions.ts'
import { Action, Metadata, OperationName, Tags } from '../../records/run-log/run-log.ts'
import { reasonCodes } from './reasons.ts'

export const RouteReference = Type.String({
  ...OwnId,
  maxLength: 100,
  description: 'The name or the ID of a route.',
  examples: ['support-chat'],
})

export const Sticky = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'On a `weighted` route, the same value selects the same model for as long as that model passes. Without it, the model is chosen at random.',
  examples: ['conversation-8812'],
})

const {
  model: _model,
  provider: _provider,
  managed: _managed,
  lease_seconds: _lease,
  min_output_tokens: _min,
  ...callFields
} = decisionFields

const input = Type.Object(
  {
    route: RouteReference,
    ...callFields,
    operation: Type.Optional(OperationName),
    action: Type.Optional(Action),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Metadata),
    sticky: Type.Optional(Sticky),
  },
  {
    title: 'RoutingInput',
    examples: [{ route: 'support-chat', input_tokens: 1_200, max_output_tokens: 500, department_id: 'support' }],
  },
)
export type RoutingInput = Static<typeof input>
export const RoutingInput = withCheck(input, amountFaults)

const named = { model: Type.String({ examples: ['gpt-4o'] }), provider: Nullable(Type.String()) }
const judged = {
  estimated_cost_usd: { ...Usd, description: 'The amount that would be held for the call.' },
  score: Nullable(
    Type.Number({ description: 'The score in the suite of the bar; `null` without a bar.', examples: [0.93] }),
  ),
  latency_ms: Nullable(Count),
}

export const RoutingDecision = Type.Object(
  {
    decision_id: {
      ...Id('decision'),
      description: 'The ID of the decision record, which explains the check of every limit. Kept for seven days.',
    },
    route_id: Id('modelRoute'),
    route: Type.String({ examples: ['support-chat'] }),
    ...named,
    ...judged,
    runners_up: Type.Array(Type.Object({ ...named, ...judged }), {
      description: 'The next models in order, at most 10.',
    }),
    excluded: Type.Array(
      Type.Object({
        ...named,
        reasons: Type.Array(
          Type.Object({
            code: OneOf(reasonCodes, { examples: ['below_bar'] }),
            message: Type.String(),
          }),
        ),
      }),
      { description: 'The models of the route that were excluded, with the reasons.' },
    ),
  },
  { title: 'RoutingDecision', description: 'The chosen model, the runners-up, and the excluded models with reasons.' },
)
export type RoutingDecision = Static<typeof RoutingDecision>
