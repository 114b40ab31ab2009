import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  type Content,
  code,
  counted,
  curl,
  gauge,
  html,
  linkButton,
  type Markup,
  money,
  moneyText,
  note,
  nothing,
  pageHead,
  section,
  table,
} from '../components/components.ts'
import {
  type ConsolePage,
  filterForm,
  filtersOf,
  messageIn,
  pager,
  pageSize,
  part,
  shown,
  type Visit,
} from '../frame/frame.ts'
import {
  amountColumns,
  type Frozen,
  freezesOf,
  frozenBadge,
  isStopped,
  spentText,
  stateOf,
} from '../limit-parts/limit-parts.ts'

type Limit = Schemas['CustomerLimit']

/** Path of the pages of customers. */
export const customersPath = '/console/customers'

/** Returns the address of one customer's page. */
export const customerPath = (customer: string) => `${customersPath}/${encodeURIComponent(customer)}`

const columnsOf = (visit: Visit, freezes: ReadonlyMap<string, Frozen>): readonly Column<Limit>[] => [
  {
    name: 'Customer',
    kind: 'who',
    cell: ({ customer_id }) => html`<a class="plain" href="${customerPath(customer_id)}">${customer_id}</a>`,
  },
  {
    name: 'State',
    kind: 'st',
    cell: (limit) => {
      const state = stateOf(limit, 'limit')
      return freezes.has(limit.id) ? frozenBadge : badge(state.text, state.badge, state.icon)
    },
  },
  {
    name: 'Spent and held',
    kind: 'all bar',
    cell: (limit) =>
      html`${limitGauge(limit)}<span class="sub">${spentText(limit)}. ${limit.refused_count === 0 ? nothing : `${counted(limit.refused_count, 'call')} refused.`}</span>`,
  },
  ...amountColumns,
  {
    name: 'Actions',
    isAction: true,
    cell: (limit) =>
      visit.may('limits:write', 'admin')
        ? linkButton(`${customerPath(limit.customer_id)}/limit`, isStopped(limit) ? 'Raise limit' : 'Change', {
            kind: isStopped(limit) ? 'sm primary' : 'sm quiet',
            of: limit.customer_id,
          })
        : nothing,
  },
]

const limitGauge = (limit: Limit): Content =>
  limit.limit_usd === null
    ? nothing
    : gauge({
        spent: limit.spent_usd,
        held: limit.held_usd,
        limit: limit.limit_usd,
        thresholds: limit.thresholds,
        tone: stateOf(limit).tone,
      })

const messages: Readonly<Record<string, string>> = {
  set: 'The default binds from the next call on.',
  removed: 'The default is removed.',
}

/** The list of customers with a limit of their own, and the default of all others. */
export async function customerList(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const filters = filtersOf(query, ['customer_id', 'period'])
  const [{ data, next_cursor }, standard, freezes] = await Promise.all([
    api.get('/v1/orgs/{id}/customer-limits', {
      query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
    }),
    part(api.get('/v1/orgs/{id}/customer-limit-default')),
    freezesOf(visit),
  ])
  const isEmpty = data.length === 0 && Object.keys(filters).length === 0 && !query.has('cursor')
  const message = messageIn(messages, query)
  const stopped = data.filter(isStopped).length
  return {
    title: 'Customers',
    here: customersPath,
    body: html`${pageHead(
      'Customers',
      isEmpty
        ? 'No customer has a limit of their own.'
        : `${counted(data.length, 'customer')} with a limit of their own${next_cursor === null ? '' : ' on this page'}. ${stopped === 0 ? 'None is stopped.' : `${stopped} stopped.`}`,
    )}${message === undefined ? nothing : note('info', message)}${filterForm(address, [
      { name: 'customer_id', label: 'Customer id', type: 'search' },
    ])}${
      isEmpty
        ? emptyList(visit)
        : data.length === 0
          ? noMatch(visit, filters.customer_id ?? '')
          : table(columnsOf(visit, freezes), data, { kind: 'budgets', caption: 'Limits of customers' })
    }${pager(address, next_cursor)}${section(
      'Every other customer',
      shown(standard, visit, (value) => defaultPart(visit, value)),
      may('limits:write', 'admin')
        ? html`${linkButton('/console/customer-default', standard.value?.id == null ? 'Set a default' : 'Change', { kind: 'sm', of: 'the default of customers' })} ${standard.value?.id == null ? nothing : linkButton('/console/customer-default/delete', 'Remove', { kind: 'sm danger', of: 'the default of customers' })}`
        : nothing,
    )}`,
  }
}

const noMatch = (_visit: Visit, customer: string): Markup =>
  blank(
    'No limit of its own',
    customer === ''
      ? 'Remove a filter to see more.'
      : html`<code>${customer}</code> has no limit of its own. Its page shows what it has prepaid, and sets a limit.`,
    customer === ''
      ? linkButton(customersPath, 'All customers', { kind: 'sm' })
      : linkButton(customerPath(customer), `Open ${customer}`, { kind: 'sm' }),
  )

const emptyList = ({ org }: Visit): Markup =>
  html`${blank('No customer has a limit yet', 'A limit stops one of your customers without stopping the others. Customers need not be registered: a call names its customer_id.')}${code('Terminal', curl('PUT', `/v1/orgs/${org.id}/customers/acme/limit`, { limit_usd: '20', period: 'day', thresholds: [80] }), 'the command for the limit of a customer')}`

/** The default of customers without a limit of their own, and what new customers share of it. */
function defaultPart({ times }: Visit, value: Schemas['CustomerDefaultOrNotSet']): Content {
  if (value.id === null || value.period === null || value.period_end === null)
    return html`<p class="dim">No default is set: a customer without a limit of their own may spend what the organization may.</p>`
  return html`<p>${value.limit_usd === null ? 'Counted without a limit' : html`<b>${moneyText(value.limit_usd, 'whole')}</b> a ${value.period} for each`}, starts again ${times.time(value.period_end)} (${value.timezone ?? 'UTC'}). Beyond ${value.max_new_customers_per_day ?? 0} new customers a day, further new ones share one such limit; ${money(value.spent_usd ?? '0')} of it is spent.</p>`
}
