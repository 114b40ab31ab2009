import { type Static, Type } from 'typebox'
import { Closed, Data, DataOrNull, Money, Time, Whole, Word, window, windowQuery } from '../fields.ts'
import { phrase, time, usd } from '../phrases.ts'
import { defineTool } from '../tool.ts'

const shownRows = 10

const Refused = Closed({
  name: DataOrNull('The team or model; null for runs that named none.'),
  refused: Whole('Its runs that would have been refused.'),
  saved_usd: Money('What they did cost.'),
})

const RuleDraft = Closed(
  {
    expression: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'In CEL, such as run.model.startsWith("gpt-5").',
    }),
    effect: Type.Optional(
      Type.Union([Type.Literal('block'), Type.Literal('require_approval')], { description: 'block by default.' }),
    ),
    target: Type.Optional(
      Type.Union([Type.Literal('model'), Type.Literal('action')], { description: 'model by default.' }),
    ),
  },
  'A draft of one rule.',
)

const LimitDraft = Closed(
  {
    scope_kind: Type.Union(
      (['org', 'department', 'workflow', 'deployment', 'customer'] as const).map((kind) => Type.Literal(kind)),
    ),
    scope_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    limit_usd: Type.String({
      pattern: '^[0-9]{1,10}(\\.[0-9]{1,9})?$',
      maxLength: 20,
      description: 'Such as 500 or 0.50.',
    }),
    period: Type.Union((['day', 'week', 'month', 'quarter', 'year'] as const).map((period) => Type.Literal(period))),
  },
  'A draft of a limit.',
)

const asRule = ({ expression, effect = 'block', target = 'model' }: Static<typeof RuleDraft>) => ({
  name: 'Draft',
  effect,
  target,
  priority: 0,
  expression,
  reason: 'A draft.',
})

export const backtestRule = defineTool({
  name: 'backtest_rule',
  title: 'Back-test a rule or a limit',
  description:
    'Replays the runs of a window of at most 90 days (the last 30 by default) against a draft of one rule or of one limit, and says how many it would have refused and what that would have saved. Nothing is changed. With neither draft it tests the live rules.',
  input: Closed({ ...window, rule: Type.Optional(RuleDraft), limit: Type.Optional(LimitDraft) }),
  output: Closed({
    from: Time('Where the window begins.'),
    to: Time('Where it ends.'),
    tested: Word('What was tested.'),
    runs: Whole('Runs in the window.'),
    cost_usd: Money('What they cost.'),
    refused: Whole('Those that would have been refused.'),
    failed: Whole('Those on which the rule failed.'),
    saved_usd: Money('What the refused ones cost.'),
    by_team: Type.Array(Refused),
    by_model: Type.Array(Refused),
    examples: Type.Array(Closed({ run_id: Word('A run.'), model: Data('Its model.'), cost_usd: Money('Its cost.') })),
  }),
  answer: async ({ api }, { from, to, rule, limit }) => {
    const found = await api.ask('/v1/orgs/{id}/policies/backtest', {
      body: {
        ...windowQuery({ from, to }),
        ...(rule && { rules: [asRule(rule)] }),
        ...(limit && { limit }),
      },
    })
    const { runs, window: tested } = found
    const teams = found.by_team.data.slice(0, shownRows)
    const models = found.by_model.data.slice(0, shownRows)
    return {
      data: {
        from: tested.from,
        to: tested.to,
        tested: found.tested.kind,
        runs: runs.considered,
        cost_usd: runs.cost_usd,
        refused: runs.refused,
        failed: runs.failed,
        saved_usd: runs.saved_usd,
        by_team: teams.map(({ department_id: name, refused, saved_usd }) => ({ name, refused, saved_usd })),
        by_model: models.map(({ model: name, refused, saved_usd }) => ({ name, refused, saved_usd })),
        examples: found.examples
          .slice(0, shownRows)
          .map(({ run_id, model, cost_usd }) => ({ run_id, model, cost_usd })),
      },
      lines: [
        phrase`Of ${runs.considered} runs that cost ${usd(runs.cost_usd)} from ${time(tested.from)} until ${time(tested.to)}, ${runs.refused} would have been refused, which would have saved ${usd(runs.saved_usd)}. On ${runs.failed} it would have failed.`,
        ...teams.map(
          ({ department_id, refused, saved_usd }) =>
            phrase`- team ${department_id}: ${refused} refused, ${usd(saved_usd)}`,
        ),
        ...models.map(
          ({ model, refused, saved_usd }) => phrase`- model ${model}: ${refused} refused, ${usd(saved_usd)}`,
        ),
      ],
    }
  },
})
