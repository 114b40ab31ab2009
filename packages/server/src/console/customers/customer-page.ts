import type { Schemas } from '../api/api.ts'
import {
  type BadgeKind,
  badge,
  blank,
  type Column,
  type Content,
  facts,
  figures,
  freeOf,
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
  sumUsd,
  table,
} from '../components/components.ts'
import { type ConsolePage, messageIn, pager, pageSize, part, shown, type Visit } from '../frame/frame.ts'
import { freezeAction, freezesOf, frozenBadge, frozenNote, stateOf } from '../limit-parts/limit-parts.ts'
import { customerPath, customersPath } from './customer-list.ts'

type Limit = Schemas['CustomerLimitOrNotSet']
type Pack = Schemas['CreditPack']

const messages: Readonly<Record<string, string>> = {
  set: 'The limit binds from the next call on.',
  removed: 'The limit is removed. The default of customers binds, if there is one.',
  created: 'The credit pack is in force from the next call on.',
  voided: 'The credit pack is void. Nothing more is drawn from it.',
  frozen: 'Frozen. Every new call of this customer is refused from now on.',
  thawed: 'Thawed. The limit decides again.',
}

/** Returns the customer that the path names. */
export const customerIn = ({ params }: Visit) => ({ customer_id: params['customer_id'] ?? '' })

/** One customer: the limit with what is spent of it, and credit packs. */
export async function customerPage(visit: Visit): Promise<ConsolePage> {
  const { api, query, may, address } = visit
  const customer = customerIn(visit).customer_id
  const [limit, packs, standard, freezes] = await Promise.all([
    api.get('/v1/orgs/{id}/customers/{customer_id}/limit', { path: customerIn(visit) }),
    part(
      api.get('/v1/orgs/{id}/customers/{customer_id}/credit-packs', {
        path: customerIn(visit),
        query: { limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
      }),
    ),
    part(api.get('/v1/orgs/{id}/customer-limit-default')),
    freezesOf(visit),
  ])
  const mayChange = may('limits:write', 'admin')
  const path = customerPath(customer)
  const freeze = freezes.get(limit.id ?? '')
  const places = { name: customer, path: `/console/limits/${limit.id ?? ''}`, from: path }
  const message = messageIn(messages, query)
  return {
    title: customer,
    here: customersPath,
    body: html`${pageHead(
      html`${customer} ${freeze ? frozenBadge : stateBadge(limit)}`,
      html`A customer, by your own id. <a href="/console/runs?customer_id=${encodeURIComponent(customer)}">Runs</a>, <a href="/console/refusals?customer_id=${encodeURIComponent(customer)}">refusals</a>`,
      mayChange
        ? html`${linkButton(`${path}/limit`, limit.id === null ? 'Set a limit' : 'Change limit', { kind: 'primary' })}${linkButton(`${path}/packs/new`, 'New credit pack')}`
        : nothing,
    )}${message === undefined ? nothing : note('info', message)}${freeze ? frozenNote(visit, freeze, places) : nothing}${limitPart(visit, limit, standard.value)}${section(
      'Credit packs',
      shown(packs, visit, ({ data, next_cursor }) =>
        data.length === 0
          ? blank(
              'Nothing is prepaid',
              'A customer with credit packs spends no more than they hold. One without is bound by the limit alone.',
            )
          : html`${table(packColumns(visit), data, { kind: 'budgets', caption: 'Credit packs' })}${pager(address, next_cursor)}`,
      ),
    )}${
      mayChange && limit.id !== null
        ? html`<div class="actions gap">${freeze ? nothing : freezeAction(visit, undefined, places)}${linkButton(`${path}/limit/delete`, 'Remove limit', { kind: 'danger' })}</div>`
        : nothing
    }`,
  }
}

const amountsOf = ({ limit_usd, spent_usd, held_usd, exhausted_at, thresholds }: Limit) => ({
  limit_usd,
  spent_usd: spent_usd ?? '0',
  held_usd: held_usd ?? '0',
  exhausted_at,
  thresholds: thresholds ?? [],
})

const stateBadge = (limit: Limit): Content => {
  if (limit.id === null) return nothing
  const state = stateOf(amountsOf(limit), 'limit')
  return badge(state.text, state.badge, state.icon)
}

function limitPart({ times }: Visit, limit: Limit, standard: Schemas['CustomerDefaultOrNotSet'] | undefined): Markup {
  if (limit.id === null || limit.period_end === null)
    return html`<p class="gap">No limit of its own. ${
      standard?.limit_usd == null || standard.period === null
        ? 'The organization’s other limits bind it.'
        : html`The default binds it: <b>${moneyText(standard.limit_usd, 'whole')}</b> a ${standard.period}.`
    }</p>`
  const amounts = amountsOf(limit)
  const { limit_usd: most, spent_usd: spent, held_usd: held, thresholds } = amounts
  return html`${
    most === null
      ? figures([{ label: 'Spent', big: money(spent, 'cents'), small: 'no limit' }])
      : figures([
          {
            label: 'Spent and held',
            aside: html`starts again ${times.time(limit.period_end)}`,
            big: money(sumUsd(spent, held), 'cents'),
            small: `of ${moneyText(most, 'whole')} a ${limit.period ?? ''}`,
            gauge: gauge({ spent, held, limit: most, thresholds, tone: stateOf(amounts).tone }),
            foot: html`${money(spent)} spent + ${money(held)} held + ${money(freeOf({ spent, held, limit: most }))} free = ${money(most)}`,
          },
          {
            label: 'Refused',
            big: limit.refused_count ?? 0,
            small: limit.refused_count === 1 ? 'call' : 'calls',
            foot:
              limit.exhausted_at === null
                ? 'Not used up in this period'
                : html`Used up since ${times.time(limit.exhausted_at)}`,
          },
        ])
  }${section(
    'About this limit',
    facts([
      ['Id', html`<code>${limit.id}</code>`],
      ['Alerts at', thresholds.length === 0 ? 'none' : thresholds.map((percent) => `${percent}%`).join(', ')],
      ['Over what was held', money(limit.overrun_usd ?? '0')],
      ['Reported late', money(limit.late_usd ?? '0')],
    ]),
  )}`
}

const packStates: Readonly<Record<string, readonly [string, BadgeKind]>> = {
  active: ['In force', ''],
  exhausted: ['Used up', 'warn'],
  depleted: ['Used up', 'warn'],
  expired: ['Expired', 'line'],
  voided: ['Void', 'line'],
}

const packColumns = (visit: Visit): readonly Column<Pack>[] => [
  {
    name: 'Pack',
    kind: 'who',
    cell: ({ name, id }) => html`<b>${name ?? 'Credit pack'}</b> <span class="path"><code>${id}</code></span>`,
  },
  {
    name: 'State',
    kind: 'st',
    cell: ({ status }) => {
      const [text, kind] = packStates[status] ?? [status, '']
      return badge(text, kind)
    },
  },
  {
    name: 'Used',
    kind: 'all bar',
    cell: ({ spent_usd: spent, held_usd: held, amount_usd: limit, expires_at, priority }) =>
      html`${gauge({ spent, held, limit })}<span class="sub">Drawn at priority ${priority}. ${expires_at === null ? 'Never expires.' : html`Expires ${visit.times.time(expires_at)}.`}</span>`,
  },
  { name: 'Left', isNumber: true, label: 'Left', cell: ({ remaining_usd }) => html`<b>${money(remaining_usd)}</b>` },
  { name: 'Amount', isNumber: true, label: 'of', cell: ({ amount_usd }) => moneyText(amount_usd, 'whole') },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, customer_id, voided_at, status, name }) =>
      visit.may('limits:write', 'admin') && voided_at === null && status !== 'expired'
        ? linkButton(`${customerPath(customer_id)}/packs/${id}/void`, 'Void', { kind: 'sm quiet', of: name ?? id })
        : nothing,
  },
]
