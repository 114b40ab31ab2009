import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { windowFaults, windowFilters } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, Id, Nullable, OneOf, OwnId, Timestamp, Usd } from '../../contract/wire.ts'
import { RuleInput } from '../../governance/policies/policies.ts'
import { scheduleFaults, scheduleInput } from '../../money/ledger/ledger.ts'

const maxRules = 1_000
const scopeKinds = ['org', 'department', 'workflow', 'deployment', 'customer'] as const

const draftLimit = Type.Object({
  scope_kind: Type.Enum([...scopeKinds], { examples: ['department'] }),
  scope_id: Type.Optional(
    Type.String({
      ...OwnId,
      description:
        'Your ID of the department, workflow, deployment or customer; not allowed with `org`. Without it, `customer` applies to every customer individually.',
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
      description: 'The start of the window; by default 30 days ago.',
    }),
    to: Type.Optional({
      ...windowFilters.to,
      description: 'The end of the window, at most 90 days after the start; by default now.',
    }),
    rules: Type.Optional(
      Type.Array(RuleInput, {
        maxItems: maxRules,
        description: 'A draft to test instead of the saved rules. Rules of equal priority are evaluated in this order.',
      }),
    ),
    limit: Type.Optional({
      ...draftLimit,
      description: 'A draft of a budget or of a customer limit, tested instead of rules.',
    }),
  },
  {
    title: 'BacktestInput',
    examples: [{ limit: { scope_kind: 'department', scope_id: 'support', limit_usd: '500', period: 'month' } }],
  },
)
export type BacktestInput = Static<typeof input>
export const BacktestInput = withCheck(input, (body: BacktestInput) => [
  ...windowFaults(body).map((fault) =>
    fault.code === 'invalid_filter' ? { ...fault, code: 'invalid_format' as const } : fault,
  ),
  ...(body.limit ? limitFaults(body.limit) : []),
  ...(body.limit && body.rules
    ? [{ field: 'limit', code: 'invalid_value' as const, message: 'Give either rules or a limit, not both.' }]
    : []),
])

function limitFaults(limit: DraftLimit): FieldFault[] {
  const { scope_kind, scope_id } = limit
  const faults = scheduleFaults(limit).map((fault) => ({ ...fault, field: `limit.${fault.field}` }))
  if (scope_kind === 'org' && scope_id !== undefined)
    faults.push({ field: 'limit.scope_id', code: 'invalid_value', message: 'This must be left out for the scope org.' })
  if (scope_kind !== 'org' && scope_kind !== 'customer' && scope_id === undefined)
    faults.push({ field: 'limit.scope_id', code: 'required', message: 'This field is required.' })
  return faults
}

/** The schema of a sum, which has no upper bound as single amounts have. */
const Sum = (description: string) =>
  Type.String({ description: `${description} US dollars as a decimal string.`, examples: ['1204.000000371'] })

const tally = {
  refused: { ...Count, description: 'Runs that would have been refused.' },
  failed: { ...Count, description: 'Runs for which the deciding rule fails to evaluate.' },
  saved_usd: Sum('The cost of the refused runs.'),
}

const Ranked = (fields: Record<string, Parameters<typeof Type.Optional>[0]>, of: string) =>
  Type.Object({
    data: Type.Array(Type.Object({ ...fields, ...tally }), { description: `By ${of}, the largest savings first.` }),
    other: Type.Object({ ...tally }, { title: 'BacktestTally', description: 'The sum of all others.' }),
    is_exact: Type.Boolean({
      description:
        '`false` when there were too many to count individually: an entry that belongs in `data` may be among the others.',
    }),
  })

const ruleRef = {
  rule_id: Nullable({ ...Id('rule'), description: '`null` for a rule of a draft, and for a limit.' }),
  index: Nullable({ ...Count, description: 'The position of the rule in the draft, from 0.' }),
  rule_name: Nullable(Type.String()),
}
const Outcome = OneOf(['allow', 'block', 'require_approval', 'over_limit', 'error'], {
  description: '`error` means that the deciding rule fails to evaluate.',
  examples: ['block'],
})

const Agreement = Type.Object(
  {
    set_version: Count,
    compared: { ...Count, description: 'Runs and recorded refusals that exactly these rules decided.' },
    differing: { ...Count, description: 'Those on which the rules now decide differently; 0 is expected.' },
    examples: Type.Array(
      Type.Object({
        run_id: Nullable(Id('run')),
        match_id: Nullable({ ...Id('policyMatch'), description: 'The recorded refusal.' }),
        recorded: Type.Object({ outcome: Outcome, rule_id: Nullable(Id('rule')) }),
        found: Type.Object({ outcome: Outcome, rule_id: Nullable(Id('rule')) }),
      }),
    ),
  },
  { title: 'Agreement', description: 'A comparison of the live rules’ decisions now with their recorded decisions.' },
)

export const Backtest = Type.Object(
  {
    window: Type.Object({ from: Timestamp, to: Timestamp }),
    tested: Type.Object({
      kind: OneOf(['live', 'rules', 'limit']),
      set_version: Nullable({ ...Count, description: 'The version of the live rules.' }),
      rules: Nullable({ ...Count, description: 'The number of rules.' }),
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
      cost_usd: Sum('The cost of all these runs.'),
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
        description: 'Runs that no rules were evaluated for when they started; they are judged by their stored fields.',
      },
      uncounted: {
        ...Count,
        description: 'Runs of customers beyond the first 20,000 of a period, which are not judged.',
      },
    }),
    by_team: Ranked({ department_id: Nullable(Type.String()) }, 'department'),
    by_model: Ranked({ model: Type.String() }, 'model'),
    by_rule: Ranked(ruleRef, 'rule'),
    recorded_refusals: Nullable(
      Type.Object(
        {
          considered: { ...Count, description: 'Attempts that rules refused in the window.' },
          allowed: { ...Count, description: 'Those that the tested rules would allow.' },
          refused: Count,
          failed: Count,
        },
        { description: 'The attempts that rules refused in the window; `null` when a limit is tested.' },
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
  },
  { title: 'Backtest' },
)
export type BacktestView = Static<typeof Backtest>
export type AgreementView = Static<typeof Agreement>

/** The response: one JSON document, or with `Accept: application/x-ndjson` lines, of which the last holds that document. */
export const BacktestAnswer = Type.Unsafe<BacktestView | Readable>({
  description: 'The result of the back-test.',
  content: {
    'application/json': { schema: Backtest },
    'application/x-ndjson': {
      schema: Type.String({
        description:
          'A line of `type` `progress` immediately and then every half second, with `considered`, `total_estimate` and `fraction`; finally a line of `type` `result` with the fields of the JSON response, or of `type` `error` with `error` as in the error envelope.',
        examples: [
          '{"type":"progress","considered":5000,"total_estimate":20000,"fraction":0.25}\n{"type":"result",…}\n',
        ],
      }),
    },
  },
})
