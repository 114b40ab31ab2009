import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { windowFaults, windowFilters } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Count, Id, Nullable, OneOf, OwnId, Timestamp, Usd } from '../contract/wire.ts'
import { scheduleFaults, scheduleInput } from '../ledger/ledger.ts'
import { RuleInput } from '../policies/policies.ts'

const maxRules = 1_000
const scopeKinds = ['org', 'department', 'workflow', 'deployment', 'customer'] as const

const draftLimit = Type.Object({
  scope_kind: Type.Enum([...scopeKinds], { examples: ['department'] }),
  scope_id: Type.Optional(
    Type.String({
      ...OwnId,
      description:
        'Your id of the department, workflow, deployment or customer; not with `org`. Without one, `customer` is every customer, each for itself.',
      examples: ['support'],
    }),
  ),
  limit_usd: Usd,
  ...scheduleInput,
})
export type DraftLimit = Static<typeof draftLimit>

const input = Type.Object(
  {
    from: Type.Optional({
      ...windowFilters.from,
      description: 'Since when runs have started; by default 30 days ago.',
    }),
    to: Type.Optional({ ...windowFilters.to, description: 'Until when; at most 90 days later. By default now.' }),
    rules: Type.Optional(
      Type.Array(RuleInput, {
        maxItems: maxRules,
        description:
          'A draft, tested instead of the rules that are set. Where several have one priority, in this order.',
      }),
    ),
    limit: Type.Optional({
      ...draftLimit,
      description: 'A draft of a budget or of a customer’s limit, tested instead of rules.',
    }),
  },
  { examples: [{ limit: { scope_kind: 'department', scope_id: 'support', limit_usd: '500', period: 'month' } }] },
)
export type BacktestInput = Static<typeof input>
export const BacktestInput = withCheck(input, (body: BacktestInput) => [
  ...windowFaults(body).map((fault) =>
    fault.code === 'invalid_filter' ? { ...fault, code: 'invalid_format' as const } : fault,
  ),
  ...(body.limit ? limitFaults(body.limit) : []),
  ...(body.limit && body.rules
    ? [{ field: 'limit', code: 'invalid_value' as const, message: 'Test either rules or a limit.' }]
    : []),
])

function limitFaults(limit: DraftLimit): FieldFault[] {
  const { scope_kind, scope_id } = limit
  const faults = scheduleFaults(limit).map((fault) => ({ ...fault, field: `limit.${fault.field}` }))
  if (scope_kind === 'org' && scope_id !== undefined)
    faults.push({ field: 'limit.scope_id', code: 'invalid_value', message: 'The organization has no scope_id.' })
  if (scope_kind !== 'org' && scope_kind !== 'customer' && scope_id === undefined)
    faults.push({ field: 'limit.scope_id', code: 'required', message: 'This field is required.' })
  return faults
}

/** Sums have no bound like single amounts have. */
const Sum = (description: string) =>
  Type.String({ description: `${description} US dollars as a decimal string.`, examples: ['1204.000000371'] })

const tally = {
  refused: { ...Count, description: 'Runs that would have been refused.' },
  failed: { ...Count, description: 'Runs on which the rule that was to decide fails.' },
  saved_usd: Sum('What the refused ones cost.'),
}

const Ranked = (fields: Record<string, Parameters<typeof Type.Optional>[0]>, of: string) =>
  Type.Object({
    data: Type.Array(Type.Object({ ...fields, ...tally }), { description: `By ${of}, the largest savings first.` }),
    other: Type.Object({ ...tally }, { description: 'All others together.' }),
    is_exact: Type.Boolean({
      description:
        'false where there were more than can be told apart: one that belongs above may be among the others.',
    }),
  })

const ruleRef = {
  rule_id: Nullable({ ...Id('rule'), description: 'null for a rule of a draft, and for a limit.' }),
  index: Nullable({ ...Count, description: 'Of a draft: which of its rules.' }),
  rule_name: Nullable(Type.String()),
}
const Outcome = OneOf(['allow', 'block', 'require_approval', 'over_limit', 'error'], {
  description: '`error`: the rule that was to decide fails.',
  examples: ['block'],
})

const Agreement = Type.Object(
  {
    set_version: Count,
    compared: { ...Count, description: 'Runs and recorded refusals of which exactly these rules were asked.' },
    differing: { ...Count, description: 'Of those, the ones on which the rules now say something else: 0.' },
    examples: Type.Array(
      Type.Object({
        run_id: Nullable(Id('run')),
        match_id: Nullable({ ...Id('policyMatch'), description: 'The recorded refusal.' }),
        recorded: Type.Object({ outcome: Outcome, rule_id: Nullable(Id('rule')) }),
        found: Type.Object({ outcome: Outcome, rule_id: Nullable(Id('rule')) }),
      }),
    ),
  },
  { description: 'Whether the live rules say again what they said then.' },
)

export const Backtest = Type.Object({
  window: Type.Object({ from: Timestamp, to: Timestamp }),
  tested: Type.Object({
    kind: OneOf(['live', 'rules', 'limit']),
    set_version: Nullable({ ...Count, description: 'Of the live rules.' }),
    rules: Nullable({ ...Count, description: 'How many rules.' }),
    limit: Nullable(
      Type.Object({
        scope_kind: Type.String(),
        scope_id: Nullable(Type.String()),
        limit_usd: Usd,
        period: Type.String(),
        timezone: Type.String(),
        anchor: Nullable(Type.String()),
      }),
    ),
  }),
  runs: Type.Object({
    considered: { ...Count, description: 'Runs that started in the window and have ended.' },
    cost_usd: Sum('What all of them cost.'),
    ...tally,
    blocked: Count,
    approval_required: Count,
    over_limit: Count,
    approved: {
      ...Count,
      description: 'Runs for which the live rules require an approval, and that had one: not refused.',
    },
    without_admission: {
      ...Count,
      description: 'Runs of which no rules were asked: judged by what is recorded of them.',
    },
    uncounted: {
      ...Count,
      description: 'Runs of customers beyond the 20,000 that are told apart in a period: not judged.',
    },
  }),
  by_team: Ranked({ department_id: Nullable(Type.String()) }, 'department'),
  by_model: Ranked({ model: Type.String() }, 'model'),
  by_rule: Ranked(ruleRef, 'rule'),
  recorded_refusals: Nullable(
    Type.Object(
      {
        considered: { ...Count, description: 'Attempts that rules refused in the window.' },
        allowed: { ...Count, description: 'Of those, what the tested rules let through.' },
        refused: Count,
        failed: Count,
      },
      { description: 'null for a limit.' },
    ),
  ),
  examples: Type.Array(
    Type.Object({
      run_id: Id('run'),
      model: Type.String(),
      department_id: Nullable(Type.String()),
      outcome: Outcome,
      ...ruleRef,
      cost_usd: Usd,
    }),
    { description: 'The most expensive runs that would not have been admitted.' },
  ),
  agreement: Nullable(Agreement),
})
export type BacktestView = Static<typeof Backtest>
export type AgreementView = Static<typeof Agreement>

/** As one answer, or with `Accept: application/x-ndjson` as lines, of which the last is that answer. */
export const BacktestAnswer = Type.Unsafe<BacktestView | Readable>({
  description: 'What would have been refused.',
  content: {
    'application/json': { schema: Backtest },
    'application/x-ndjson': {
      schema: Type.String({
        description:
          'A line of `type` `progress` at once and then every half second, with `considered`, `total_estimate` and `fraction`; then one of `type` `result` with the fields of the JSON answer, or of `type` `error` with `error` as in the envelope.',
        examples: [
          '{"type":"progress","considered":5000,"total_estimate":20000,"fraction":0.25}\n{"type":"result",…}\n',
        ],
      }),
    },
  },
})
