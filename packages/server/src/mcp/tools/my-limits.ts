import { Type } from 'typebox'
import { Amount, Closed, Data, DataOrNull, TimeOrNull, Whole, Word } from '../fields.ts'
import { amount, type Plain, phrase, time, word } from '../phrases.ts'
import { defineTool } from '../tool.ts'

const shownLimits = 50

const Limit = Closed({
  limit_id: Word('The id of the limit; request_more_budget takes that of a budget.'),
  kind: Word('budget, customer, concurrency, spend_cap or plan.'),
  scope_kind: Word('What it is a limit on.'),
  scope_id: DataOrNull('Which one of them.'),
  unit: Word('usd, runs, tokens or concurrent_runs.'),
  limit: Amount('The limit; null where it only counts.'),
  spent: Amount('What is spent of it.'),
  held: Amount('What running calls hold of it.'),
  remaining: Amount('What is left.'),
  enforcement: Word('block refuses, alert only counts.'),
  resets_at: TimeOrNull('When its next period begins.'),
  frozen_because: DataOrNull('Why somebody has frozen it; null if nobody has.'),
})

type LimitRow = {
  readonly kind: string
  readonly scope_kind: string
  readonly scope_id: string | null
  readonly spent: string | number
  readonly held: string | number
  readonly limit: string | number | null
  readonly remaining: string | number | null
  readonly unit: string
  readonly resets_at: string | null
  readonly frozen_because: string | null
}

function lineOf(row: LimitRow): Plain {
  const until = row.resets_at === null ? phrase`` : phrase`, until ${time(row.resets_at)}`
  const unit = row.unit === 'usd' ? phrase`` : phrase` ${word(row.unit)}`
  const frozen = row.frozen_because === null ? phrase`` : phrase` Frozen, because: ${row.frozen_because}`
  const of = row.scope_kind === 'org' ? phrase`the organization` : phrase`${word(row.scope_kind)} ${row.scope_id}`
  return phrase`- ${word(row.kind)} of ${of}: ${amount(row.remaining)}${unit} left of ${amount(row.limit)} (${amount(row.spent)} spent, ${amount(row.held)} held)${until}.${frozen}`
}

export const myLimits = defineTool({
  name: 'my_limits',
  title: 'My limits',
  description:
    'Shows who you are to Weir and every limit on your key: what is left, when it starts afresh, whether it is frozen. Ask before an expensive piece of work.',
  input: Closed({}),
  output: Closed({
    caller: Closed({
      id: Word('Your key.'),
      role: Word('Its role.'),
      scopes: Type.Array(Word('A scope.')),
      expires_at: TimeOrNull('When it ends.'),
    }),
    pins: Type.Array(
      Closed({ dimension: Word('What it is pinned to.'), value: Data('The only value that it may use.') }),
    ),
    frozen_because: DataOrNull('Why you are frozen; null if you are not.'),
    reads_per_minute: Type.Union([Type.Integer(), Type.Null()]),
    limits: Type.Array(Limit),
    limits_not_shown: Whole('How many more limits there are.'),
  }),
  answer: async ({ api, me }) => {
    const { frozen, data } = await api.get('/v1/me/limits')
    const limits = data.slice(0, shownLimits).map(({ id, frozen: own, ...row }) => ({
      limit_id: id,
      kind: row.kind,
      scope_kind: row.scope_kind,
      scope_id: row.scope_id,
      unit: row.unit,
      limit: row.limit,
      spent: row.spent,
      held: row.held,
      remaining: row.remaining,
      enforcement: row.enforcement,
      resets_at: row.resets_at,
      frozen_because: own?.reason ?? null,
    }))
    return {
      data: {
        caller: { id: me.id, role: me.role, scopes: me.scopes, expires_at: me.expires_at },
        pins: Object.entries(me.pins).map(([dimension, value]) => ({ dimension, value })),
        frozen_because: frozen?.reason ?? null,
        reads_per_minute: me.limits.reads_per_minute,
        limits,
        limits_not_shown: data.length - limits.length,
      },
      lines: [
        phrase`You are ${word(me.id)} with the role ${word(me.role)}. ${data.length} limits bind you.`,
        ...(frozen ? [phrase`You are frozen, because: ${frozen.reason}. No call of yours is admitted.`] : []),
        ...limits.map(lineOf),
      ],
    }
  },
})
