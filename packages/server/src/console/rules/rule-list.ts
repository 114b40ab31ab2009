import type { Schemas } from '../api/api.ts'
import {
  blank,
  type Column,
  code,
  counted,
  countText,
  curl,
  html,
  linkButton,
  type Markup,
  nothing,
  pageHead,
  sparkline,
  table,
} from '../components/components.ts'
import { type ConsolePage, pager, part, shown, type Visit } from '../frame/frame.ts'
import { daysUntil, effectBadge, rulesPath, type ShownRule, shownDays, stateMark, stateOf } from './rule-words.ts'

const listSize = 200

/** Matches of each rule by day, as the sparklines show them. */
type DailyCounts = (ruleId: string) => readonly number[]

function dailyCounts({ data }: Schemas['DailyMatches'], days: readonly string[]): DailyCounts {
  const counts = new Map<string, number>()
  for (const { day, rule_id, count } of data) {
    const key = `${rule_id} ${day}`
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  return (ruleId) => days.map((day) => counts.get(`${ruleId} ${day}`) ?? 0)
}

/** The list of rules in the order in which they are asked. */
export async function ruleList(visit: Visit): Promise<ConsolePage> {
  const { api, address, query, may, times } = visit
  const days = daysUntil(times.now)
  const [{ data, next_cursor }, daily] = await Promise.all([
    api.get('/v1/orgs/{id}/policies', {
      query: { sort: 'priority', limit: listSize, cursor: query.get('cursor') ?? '' },
    }),
    part(api.get('/v1/orgs/{id}/policies/matches/daily', { query: { from: days[0] ?? '' } })),
  ])
  const counts = daily.value === undefined ? undefined : dailyCounts(daily.value, days)
  const mayChange = may('policies:write', 'admin')
  return {
    title: 'Rules',
    here: rulesPath,
    body: html`${pageHead(
      'Rules',
      data.length === 0
        ? 'No rule is asked before a run.'
        : `${summary(data)} Asked from top to bottom before every run; the first that matches decides.`,
      linkButton(`${rulesPath}/try`, 'Try a run'),
      mayChange ? linkButton(`${rulesPath}/new`, 'New rule', { kind: 'primary', iconName: 'plus' }) : nothing,
    )}${
      data.length === 0
        ? emptyList(visit)
        : html`${table(columnsOf(visit, counts), data, { caption: 'Rules in the order in which they are asked', rowKind: (rule) => (rule.enabled ? undefined : 'dim') })}${pager(address, next_cursor)}<p class="hint">A rule in shadow is recorded and refuses nothing. Days are those of UTC.</p>`
    }${counts === undefined ? shown(daily, visit, () => nothing) : nothing}`,
  }
}

function summary(rules: readonly ShownRule[]): string {
  const count = (state: string) => rules.filter((rule) => stateOf(rule) === state).length
  const others = [
    count('shadow') > 0 ? `${count('shadow')} in shadow` : '',
    count('off') > 0 ? `${count('off')} off` : '',
  ].filter(Boolean)
  return `${counted(count('on'), 'rule')} on${others.length === 0 ? '' : `, ${others.join(', ')}`}.`
}

const matchBars = (counts: readonly number[]): Markup => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return sparkline(counts, `${counted(total, 'match', 'matches')} in ${counts.length} days`)
}

const columnsOf = ({ may }: Visit, counts: DailyCounts | undefined): readonly Column<ShownRule>[] => [
  {
    name: 'Rule',
    kind: 'all',
    cell: ({ id, name, expression }) =>
      html`<a class="plain" href="${rulesPath}/${id}">${name}</a><span class="sub mono expr">${expression}</span>`,
  },
  { name: 'Order', isNumber: true, kind: 'dim', label: 'Order', cell: ({ priority }) => priority },
  { name: 'Effect', cell: ({ effect }) => effectBadge(effect) },
  { name: 'State', cell: stateMark },
  {
    name: `Matches, ${shownDays} days`,
    kind: 'gone',
    cell: ({ id }) => (counts === undefined ? nothing : matchBars(counts(id))),
  },
  {
    name: 'Today',
    isNumber: true,
    label: 'Today',
    cell: ({ id }) => (counts === undefined ? nothing : countText(counts(id).at(-1) ?? 0)),
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, name }) =>
      may('policies:write', 'admin')
        ? linkButton(`${rulesPath}/${id}`, 'Edit', { kind: 'sm quiet', of: name })
        : linkButton(`${rulesPath}/${id}`, 'See', { kind: 'sm quiet', of: name }),
  },
]

const emptyList = ({ org, may }: Visit): Markup =>
  html`${blank(
    'No rule yet',
    'A rule blocks runs, asks for approval or lets them pass, by model, team, action, cost or time. Begin in shadow: it is recorded and refuses nothing.',
    may('policies:write', 'admin') ? linkButton(`${rulesPath}/new`, 'New rule', { kind: 'sm' }) : nothing,
  )}${code(
    'Terminal',
    curl('POST', `/v1/orgs/${org.id}/policies`, {
      name: 'No frontier models at night',
      effect: 'block',
      target: 'model',
      priority: 100,
      expression: 'run.model.startsWith("gpt-5") && time.hour >= 20',
      reason: 'Frontier models are for working hours.',
      shadow: true,
    }),
    'the command for a rule',
  )}`
