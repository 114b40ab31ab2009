import type { Schemas } from '../api/api.ts'
import {
  blank,
  type Column,
  countText,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  table,
} from '../components/components.ts'
import { type ConsolePage, filtersOf, pager, pageSize, type Visit } from '../frame/frame.ts'
import { daysText, exact, providerText } from './reconciliation-words.ts'

export const reconciliationsPath = '/console/reconciliations'

const columnsOf = ({ times }: Visit): readonly Column<Schemas['ReconciliationSummary']>[] => [
  {
    name: 'Bill',
    kind: 'name',
    cell: (one) => html`<a href="${reconciliationsPath}/${one.id}">${providerText(one.provider)}, ${daysText(one)}</a>`,
  },
  { name: 'Billed', isNumber: true, label: 'Billed', cell: ({ billed_usd: usd }) => exact(usd) },
  { name: 'Booked', isNumber: true, label: 'Booked', cell: ({ booked_usd: usd }) => exact(usd) },
  { name: 'Difference', isNumber: true, label: 'Difference', cell: ({ difference_usd: usd }) => exact(usd, true) },
  {
    name: 'Differences',
    isNumber: true,
    label: 'Differences',
    cell: ({ difference_count: count }) => (count === 0 ? 'none' : html`<b>${countText(count)}</b>`),
  },
  { name: 'Compared', label: 'Compared', cell: ({ created_at: at }) => times.time(at) },
]

/** Bills that were compared, the newest first. */
export async function reconciliationList(visit: Visit): Promise<ConsolePage> {
  const { api, query, may, address } = visit
  const { data, next_cursor: next } = await api.get('/v1/orgs/{id}/reconciliations', {
    query: { limit: pageSize, ...filtersOf(query, ['cursor']) },
  })
  const add = may('usage:write', 'admin')
    ? linkButton(`${reconciliationsPath}/new`, 'Compare a bill', { kind: 'primary', iconName: 'plus' })
    : nothing
  return {
    title: 'Bills of providers',
    here: reconciliationsPath,
    body: html`${pageHead('Bills of providers', 'What providers ask, compared with what was booked.', add)}${
      data.length === 0
        ? blank(
            'No bill has been compared',
            'Export costs and usage from OpenAI or Anthropic, and see by day and model where they differ from your runs.',
            add,
          )
        : html`${data.some(({ difference_count: count }) => count > 0) ? nothing : note('', 'No difference in any of these.')}${table(columnsOf(visit), data, { caption: 'Bills that were compared' })}`
    }${pager(address, next)}`,
  }
}
