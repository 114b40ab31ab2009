import { type Static, Type } from 'typebox'
import { DailyQuery, ListOf, ListQuery, windowFilters } from '../../contract/lists.ts'
import { Count, Id, IdFilter, Moment, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import {
  Action,
  dimensionFields,
  Metadata,
  Model,
  maxRunTokens,
  OperationName,
  Provider,
  Tags,
} from '../../records/run-log/run-log.ts'
import { approvers, effects, targets } from './rule.ts'

export const maxRules = 1_000
const maxPriority = 1_000_000
const maxExpression = 4_096

export const RulePath = Type.Object({ id: PathId('org'), rule_id: PathId('rule') })

const Flag = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ description, default: byDefault }))

const whoApproves =
  'Who decides where the effect is `require_approval`. `anyone`: a key or a person. `person`: a person who has signed in, and no key. `another_person`: a person who neither answers for the asking key nor was shown its secret, nor that of a key that created it. Nobody decides who was created or invited by the asking key.'

export const RuleInput = Type.Object(
  {
    name: Type.String({ ...OwnId, maxLength: 100, examples: ['No frontier models at night'] }),
    effect: Type.Enum([...effects], { examples: ['block'] }),
    target: Type.Enum([...targets], {
      description:
        'Rules that target the `model` are evaluated for every run, rules that target the `action` for runs that name one.',
      examples: ['model'],
    }),
    priority: Type.Integer({
      minimum: 0,
      maximum: maxPriority,
      description: 'Lower values are evaluated first; among equals, the rule that was created first.',
      examples: [100],
    }),
    expression: Type.String({
      minLength: 1,
      maxLength: maxExpression,
      description: 'The condition under which the rule applies, in CEL.',
      examples: ['run.model.startsWith("gpt-5") && time.hour >= 20'],
    }),
    reason: Type.String({
      ...OwnId,
      maxLength: 500,
      description: 'The message for callers whose run the rule refuses.',
      examples: ['Frontier models are for working hours.'],
    }),
    enabled: Flag('Whether the rule is evaluated.', true),
    shadow: Flag('Matches are recorded, but nothing is refused.', false),
    approver: Type.Optional(Type.Enum([...approvers], { default: 'anyone', description: whoApproves })),
  },
  {
    title: 'RuleInput',
    examples: [
      {
        name: 'No frontier models at night',
        effect: 'block',
        target: 'model',
        priority: 100,
        expression: 'run.model.startsWith("gpt-5") && time.hour >= 20',
        reason: 'Frontier models are for working hours.',
      },
    ],
  },
)
export type RuleInput = Static<typeof RuleInput>

export const RuleView = Type.Object(
  {
    id: Id('rule'),
    name: Type.String(),
    effect: OneOf(['block', 'require_approval', 'allow']),
    target: OneOf(['model', 'action']),
    priority: Count,
    expression: Type.String(),
    reason: Type.String(),
    enabled: Type.Boolean(),
    shadow: Type.Boolean(),
    approver: OneOf(['anyone', 'person', 'another_person'], { description: whoApproves }),
    version: { ...Count, description: 'Incremented by every change. An approval is valid for one version.' },
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Rule', description: 'The rule.' },
)
export type RuleView = Static<typeof RuleView>
export const RuleList = ListOf(RuleView)
export const RuleListQuery = ListQuery(
  { created_at: 'time', priority: 'int32', name: 'text' },
  {
    effect: Type.Enum([...effects]),
    target: Type.Enum([...targets]),
    enabled: Type.Boolean(),
    shadow: Type.Boolean(),
  },
)
export type RuleListQuery = Static<typeof RuleListQuery>

const Tokens = Type.Optional(Type.Integer({ minimum: 0, maximum: maxRunTokens }))

const attemptedRun = Type.Object({
  model: Model,
  provider: Type.Optional(Provider),
  operation: Type.Optional(OperationName),
  action: Type.Optional(Action),
  workflow_id: Type.Optional(dimensionFields.workflow_id),
  deployment_id: Type.Optional(dimensionFields.deployment_id),
  department_id: Type.Optional(dimensionFields.department_id),
  customer_id: Type.Optional(dimensionFields.customer_id),
  user_id: Type.Optional(dimensionFields.user_id),
  input_tokens: Tokens,
  max_output_tokens: Tokens,
  estimated_cost_usd: Type.Optional(Usd),
  has_input: Type.Optional(Type.Boolean({ description: 'Whether the input for the model is sent along.' })),
  tags: Type.Optional(Tags),
  metadata: Type.Optional(Metadata),
})

export const EvaluateInput = Type.Object(
  {
    run: attemptedRun,
    key: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(Type.String({ maxLength: 40 })),
          role: Type.Optional(Type.String({ maxLength: 20, examples: ['service'] })),
          scopes: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 50 })),
        },
        { description: 'The key that starts the run; by default your own.' },
      ),
    ),
    chain: Type.Optional(
      Type.Object({
        id: Type.Optional(OwnId),
        depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
        cost_usd: Type.Optional(Usd),
      }),
    ),
    at: Type.Optional({ ...Moment, description: 'The time of the run; by default now.' }),
    rules: Type.Optional(
      Type.Array(RuleInput, {
        maxItems: maxRules,
        description: 'A draft to evaluate instead of the saved rules.',
      }),
    ),
  },
  {
    title: 'EvaluateInput',
    examples: [{ run: { model: 'gpt-5', department_id: 'support', input_tokens: 1_200, max_output_tokens: 500 } }],
  },
)
export type EvaluateInput = Static<typeof EvaluateInput>

const ruleRef = {
  rule_id: Nullable({ ...Id('rule'), description: '`null` for a rule of a draft.' }),
  index: Nullable({ ...Count, description: 'The position of the rule in the draft, from 0.' }),
  name: Type.String(),
}
const Outcome = OneOf(['allow', 'block', 'require_approval', 'error'], {
  description: '`error` means that the deciding rule failed to evaluate.',
  examples: ['block'],
})

export const Evaluation = Type.Object(
  {
    outcome: Outcome,
    decided_by: Nullable(Type.Object({ ...ruleRef, reason: Type.String(), attempted: Type.String() })),
    shadow: Nullable(
      Type.Object({ ...ruleRef, outcome: Outcome }, { description: 'The shadow rule that would have decided first.' }),
    ),
    error_code: Nullable(
      Type.String({ description: 'The error code that the run would be refused with.', examples: ['policy_blocked'] }),
    ),
    rules: Type.Array(
      Type.Object({
        ...ruleRef,
        effect: OneOf(['block', 'require_approval', 'allow']),
        shadow: Type.Boolean(),
        status: OneOf(['matched', 'not_matched', 'failed', 'disabled', 'not_applicable']),
        decided: Type.Boolean({ description: 'Whether this rule decided.' }),
        reached: Type.Boolean({ description: 'Whether the rule was evaluated before another had decided.' }),
        why: Type.String(),
      }),
      { description: 'Every rule, in evaluation order.' },
    ),
    set_version: { ...Count, description: 'The version of the saved rules; 0 for a draft.' },
  },
  { title: 'Evaluation', description: 'The decision, and the result of every rule.' },
)
export type Evaluation = Static<typeof Evaluation>

export const PolicyMatch = Type.Object(
  {
    id: Id('policyMatch'),
    minute: Timestamp,
    rule_id: Id('rule'),
    rule_version: Count,
    outcome: Outcome,
    shadow: Type.Boolean({ description: 'Whether the match was only recorded and refused nothing.' }),
    count: { ...Count, description: 'The number of equal attempts in that minute.' },
    attempt: Type.Record(Type.String(), Type.Unknown(), { description: 'The attempt, as rules saw it.' }),
  },
  { title: 'PolicyMatch' },
)
export type PolicyMatch = Static<typeof PolicyMatch>
export const PolicyMatchList = ListOf(PolicyMatch)
const matchFilters = {
  rule_id: IdFilter(['rule'], 'Only matches of this rule.'),
  outcome: Type.Enum([...effects, 'error']),
  shadow: Type.Boolean(),
}
export const PolicyMatchQuery = ListQuery({ minute: 'time' }, { ...matchFilters, ...windowFilters })
export const DailyMatchQuery = DailyQuery(matchFilters)
export const DailyMatches = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    data: Type.Array(
      Type.Object({
        day: Type.String({ description: 'The UTC day.', examples: ['2026-11-15'] }),
        rule_id: Id('rule'),
        outcome: Outcome,
        shadow: Type.Boolean({ description: 'Whether the match was only recorded and refused nothing.' }),
        count: Count,
      }),
      { description: 'Ordered by day, then by rule. Days without a match of a rule are left out.' },
    ),
  },
  { title: 'DailyMatches', description: 'Matches by day.' },
)
export type PolicyMatchQuery = Static<typeof PolicyMatchQuery>
