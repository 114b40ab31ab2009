import type { Schemas } from '../api/api.ts'
import { badge, blank, type Column, type Content, html, pageHead, table } from '../components/components.ts'
import { type ConsolePage, filterForm, filtersOf, pager, pageSize, type Visit } from '../frame/frame.ts'
import { effectBadge, rulesPath } from './rule-words.ts'

type Match = Schemas['PolicyMatch']

const said = ({ attempt }: Match, name: string): string => (typeof attempt[name] === 'string' ? attempt[name] : '')

const columnsOf = ({ times }: Visit): readonly Column<Match>[] => [
  {
    name: 'Who',
    cell: (match) => said(match, 'workflow_id') || said(match, 'department_id') || said(match, 'key_id').slice(0, 14),
  },
  { name: 'When', label: 'When', cell: ({ minute }) => times.passed(minute) },
  { name: 'Model', label: 'Model', cell: (match) => html`<code>${said(match, 'model')}</code>` },
  {
    name: 'Outcome',
    cell: ({ outcome, shadow }) => (shadow ? badge('In shadow', 'line') : effectBadge(outcome)),
  },
  { name: 'Times', isNumber: true, label: 'Times', cell: ({ count }) => count },
]

/** Matches of a rule: equal attempts of a minute are one row. */
export const matchTable = (visit: Visit, matches: readonly Match[]): Content =>
  matches.length === 0
    ? html`<p class="dim gap16">No run has matched yet.</p>`
    : table(columnsOf(visit), matches, { kind: 'dense still', caption: 'Matches' })

const filterNames = ['shadow', 'outcome', 'from', 'to'] as const

/** All matches of a rule. */
export async function matchList(visit: Visit): Promise<ConsolePage> {
  const { api, params, query, address } = visit
  const ruleId = params['rule_id'] ?? ''
  const filters = filtersOf(query, filterNames)
  const [rule, { data, next_cursor }] = await Promise.all([
    api.get('/v1/orgs/{id}/policies/{rule_id}', { path: { rule_id: ruleId } }),
    api.get('/v1/orgs/{id}/policies/matches', {
      query: {
        ...filters,
        rule_id: ruleId,
        sort: '-minute',
        limit: pageSize,
        cursor: query.get('cursor') ?? '',
      } as never,
    }),
  ])
  return {
    title: `Matches of ${rule.name}`,
    here: rulesPath,
    body: html`${pageHead(html`Matches of “${rule.name}”`, html`Equal attempts of a minute are one row. <a href="${rulesPath}/${rule.id}">To the rule</a>`)}${filterForm(
      address,
      [
        {
          name: 'shadow',
          label: 'State',
          choices: [
            ['true', 'In shadow'],
            ['false', 'On'],
          ],
        },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'Until', type: 'date' },
      ],
    )}${data.length === 0 ? blank('No match', 'No run has matched the rule in this time.') : table(columnsOf(visit), data, { caption: 'Matches' })}${pager(address, next_cursor)}`,
  }
}
