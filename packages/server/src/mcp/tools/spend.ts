import { type Static, Type } from 'typebox'
import type { Schemas } from '../../console/api/api.ts'
import { readPages } from '../../console/series/series.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { Closed, DataOrNull, Money, Name, Rows, Time, Whole, Word, window, windowQuery } from '../fields.ts'
import { phrase, time, usd, word } from '../phrases.ts'
import { defineTool, type ToolContext } from '../tool.ts'

const Sums = Closed({
  runs: Whole('Runs that have ended.'),
  failed_runs: Whole('Those of them that failed.'),
  input_tokens: Whole('Input tokens, cached ones included.'),
  output_tokens: Whole('Output tokens.'),
  cost_usd: Money('What they cost.'),
})
type Sums = Static<typeof Sums>

type Summed = Pick<Schemas['UsageRow'], keyof Sums>

const sumsOf = ({ runs, failed_runs, input_tokens, output_tokens, cost_usd }: Summed): Sums => ({
  runs,
  failed_runs,
  input_tokens,
  output_tokens,
  cost_usd,
})

const sign = { plus: 1, minus: -1 } as const
const combined = (a: Sums, how: keyof typeof sign, b: Sums): Sums => {
  const factor = sign[how]
  return {
    runs: a.runs + factor * b.runs,
    failed_runs: a.failed_runs + factor * b.failed_runs,
    input_tokens: a.input_tokens + factor * b.input_tokens,
    output_tokens: a.output_tokens + factor * b.output_tokens,
    cost_usd: formatUsd(parseUsd(a.cost_usd) + BigInt(factor) * parseUsd(b.cost_usd)),
  }
}
const none: Sums = { runs: 0, failed_runs: 0, input_tokens: 0, output_tokens: 0, cost_usd: '0' }

const filters = {
  ...window,
  model: Name('Only runs of this model.'),
  provider: Name('Only runs of this provider.'),
  workflow_id: Name('Only runs of this workflow.'),
  deployment_id: Name('Only runs of this deployment.'),
  department_id: Name('Only runs of this team.'),
  whose: Type.Optional(
    Type.Union([Type.Literal('organization'), Type.Literal('mine')], {
      description:
        'mine: only what your own key, or its user, has used, for which no scope is needed. By default the organization if your key has the scope usage:read.',
    }),
  ),
}
const Asked = Closed(filters)
type Asked = Static<typeof Asked>

const seesAll = ({ me }: ToolContext, whose: Asked['whose'] | undefined) =>
  whose === undefined ? me.kind === 'support' || me.scopes.includes('usage:read') : whose === 'organization'

const usualDays = 30

/** Returns the window that was asked for, with its ends: by default the last days, today included. */
function wholeWindow(from: string | undefined, to: string | undefined, now: Date): { from?: string; to: string } {
  const tomorrow = Math.floor(now.getTime() / dayMs) * dayMs + dayMs
  const end = to ?? timestamp(new Date(tomorrow))
  const endMs = Date.parse(end)
  // An end that is no time is for the API to refuse.
  if (from !== undefined || Number.isNaN(endMs)) return { ...windowQuery({ from, to }), to: end }
  return { from: timestamp(new Date(endMs - usualDays * dayMs)), to: end }
}

type UsagePage = {
  readonly limit: number
  readonly cursor?: string
  readonly from?: string
  readonly group_by?: string
}

/** Reads a page of the usage that was asked for: of the organization, or of the caller. */
function readUsage(
  context: ToolContext,
  { whose, from, to, ...only }: Asked,
  shape: UsagePage & { readonly granularity: 'day' | 'month' },
): Promise<Schemas['Usage']> {
  const query = { ...wholeWindow(from, to, context.now), ...only, ...shape }
  return seesAll(context, whose)
    ? context.api.get('/v1/orgs/{id}/usage', { query })
    : context.api.get('/v1/me/usage', { query })
}

const mostDays = 31

const Day = Closed({
  period_start: Time('Where the day begins.'),
  period_end: Time('Where it ends.'),
  cost_usd: Money('Its cost.'),
  runs: Whole('Its runs.'),
})

export const spendSummary = defineTool({
  name: 'spend_summary',
  title: 'Spend summary',
  description:
    'What runs cost in a window of at most 90 days (the last 30 by default): exact totals, and the cost of each day. Filters narrow it to a model, workflow, team or deployment.',
  input: Asked,
  output: Closed({
    whose: Word('organization or mine.'),
    from: Time('Where the window begins.'),
    to: Time('Where it ends.'),
    totals: Sums,
    days: Type.Array(Day, { description: `The latest ${mostDays} days with usage, newest first; totals count all.` }),
    days_not_shown: Type.Boolean({ description: 'Whether there are earlier ones.' }),
  }),
  answer: async (context, asked) => {
    const shape = { granularity: 'day', sort: '-period_start', limit: mostDays } as const
    const usage = await readUsage(context, asked, shape)
    const totals = sumsOf(usage.totals)
    const days = usage.data.map(({ period_start, period_end, cost_usd, runs }) => ({
      period_start,
      period_end,
      cost_usd,
      runs,
    }))
    const whose = seesAll(context, asked.whose) ? 'organization' : 'mine'
    return {
      data: { whose, from: usage.from, to: usage.to, totals, days, days_not_shown: usage.next_cursor !== null },
      lines: [
        phrase`${whose === 'mine' ? phrase`You have` : phrase`The organization has`} spent ${usd(totals.cost_usd)} on ${totals.runs} runs (${totals.failed_runs} failed) from ${time(usage.from)} until ${time(usage.to)}: ${totals.input_tokens} tokens in, ${totals.output_tokens} out.`,
        ...days.map((day) => phrase`- ${time(day.period_start)}: ${usd(day.cost_usd)} for ${day.runs} runs`),
      ],
    }
  },
})

const dimensions = ['model', 'provider', 'workflow_id', 'deployment_id', 'department_id', 'key_id', 'user_id'] as const
type SpenderDimension = (typeof dimensions)[number]

/** Most pages of usage that are read for one answer: 5,000 rows. */
const mostPages = 25
const usualSpenders = 10
const mostSpenders = 25

const Spender = Closed({ name: DataOrNull('Its name; null for runs that had none.'), ...Sums.properties })

function groupsOf(rows: readonly Schemas['UsageRow'][], by: SpenderDimension): { name: string | null; sums: Sums }[] {
  const groups = new Map<string | null, Sums>()
  for (const row of rows) {
    const name = row[by] ?? null
    groups.set(name, combined(groups.get(name) ?? none, 'plus', sumsOf(row)))
  }
  const cost = ({ sums }: { sums: Sums }) => parseUsd(sums.cost_usd)
  return Array.from(groups, ([name, sums]) => ({ name, sums })).toSorted((a, b) => {
    if (cost(a) !== cost(b)) return cost(b) > cost(a) ? 1 : -1
    return (a.name ?? '') < (b.name ?? '') ? -1 : 1
  })
}

export const topSpenders = defineTool({
  name: 'top_spenders',
  title: 'Top spenders',
  description:
    'Who or what spends most in a window of at most 90 days (the last 30 by default): models, workflows, teams, keys, users or deployments, largest first. Whatever is not listed is summed as `others`, so the amounts always add up to the total.',
  input: Closed({
    by: Type.Union(
      dimensions.map((name) => Type.Literal(name)),
      { description: 'What to compare; department_id is the team.' },
    ),
    ...filters,
    limit: Rows(mostSpenders, usualSpenders),
  }),
  output: Closed({
    by: Word('What was compared.'),
    whose: Word('organization or mine.'),
    from: Time('Where the window begins.'),
    to: Time('Where it ends.'),
    spenders: Type.Array(Spender),
    others: Sums,
    totals: Sums,
    is_ranking_complete: Type.Boolean({ description: 'false if there were too many to read all; sums are complete.' }),
  }),
  answer: async (context, { by, limit = usualSpenders, ...asked }) => {
    let shown: Schemas['Usage'] | undefined
    const { rows, isWhole } = await readPages(async (page) => {
      const usage = await readUsage(context, { ...asked, ...page }, { ...page, granularity: 'month', group_by: by })
      shown ??= usage
      return usage
    }, mostPages)
    const totals = shown ? sumsOf(shown.totals) : none
    const spenders = groupsOf(rows, by).slice(0, limit)
    const others = spenders.reduce((left, { sums }) => combined(left, 'minus', sums), totals)
    const [from, to] = [shown?.from ?? '', shown?.to ?? '']
    return {
      data: {
        by,
        whose: seesAll(context, asked.whose) ? 'organization' : 'mine',
        from,
        to,
        spenders: spenders.map(({ name, sums }) => ({ name, ...sums })),
        others,
        totals,
        is_ranking_complete: isWhole,
      },
      lines: [
        phrase`Spend by ${word(by)} from ${time(from)} until ${time(to)}: ${usd(totals.cost_usd)} on ${totals.runs} runs in all.`,
        ...spenders.map(({ name, sums }) => phrase`- ${name}: ${usd(sums.cost_usd)} on ${sums.runs} runs`),
        phrase`All others: ${usd(others.cost_usd)} on ${others.runs} runs.`,
        ...(isWhole ? [] : [phrase`There were too many names to read them all: a larger one may be among the others.`]),
      ],
    }
  },
})
