import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  counted,
  type FormState,
  freeOf,
  freshForm,
  gauge,
  html,
  linkButton,
  type Markup,
  money,
  moneyText,
  nothing,
  table,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  countIn,
  type FormValues,
  filterForm,
  filtersOf,
  formPage,
  pager,
  pageSize,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import {
  type Frozen,
  freezeAction,
  freezesOf,
  frozenBadge,
  frozenNote,
  kindText,
  limitFields,
  limitValues,
  scheduleBody,
  spentText,
  stateOf,
} from '../limit-parts/limit-parts.ts'
import { limitsHead, limitsPath } from './limit-tabs.ts'

type Default = Schemas['BudgetDefault']
type Used = Schemas['DefaultUsage']
type Kind = 'department' | 'workflow' | 'deployment' | 'user' | 'key'

const path = `${limitsPath}/defaults`
const kinds: readonly Kind[] = ['department', 'workflow', 'deployment', 'user', 'key']
const kindIn = ({ params }: Visit) => ({ scope_kind: (params['scope_kind'] ?? '') as Kind })
const pathOf = (visit: Visit) => `${path}/${encodeURIComponent(kindIn(visit).scope_kind)}`

const amountCell = ({ limit }: { readonly limit: Default | undefined }): Markup => {
  if (limit === undefined) return html`<span class="dim">nothing is limited</span>`
  return limit.limit_usd === null
    ? html`counts without a limit`
    : html`<b>${moneyText(limit.limit_usd, 'whole')}</b> <span class="dim">a ${limit.period}${limit.enforcement === 'alert' ? ', only alerts' : ''}</span>`
}

/** Default budgets: one row for each kind of scope that can have one. */
export async function defaultsPage(visit: Visit): Promise<ConsolePage> {
  const [{ data }, freezes] = await Promise.all([visit.api.get('/v1/orgs/{id}/budget-defaults'), freezesOf(visit)])
  const rows = kinds.map((kind) => ({ kind, limit: data.find(({ scope_kind }) => scope_kind === kind) }))
  return {
    title: 'Default budgets',
    here: limitsPath,
    body: html`${limitsHead(
      visit,
      '/defaults',
      data.length === 0
        ? 'A team without a budget of its own may spend what the organization may.'
        : 'Each one without a budget of its own has a separate budget of this amount.',
    )}${table(
      [
        {
          name: 'Each',
          kind: 'who',
          cell: ({ kind, limit }) =>
            limit
              ? html`<a class="plain" href="${path}/${kind}">Each ${kindText(kind)}</a>`
              : html`<b>Each ${kindText(kind)}</b>`,
        },
        { name: 'Limit', label: 'Limit', cell: amountCell },
        { name: 'State', kind: 'st', cell: ({ limit }) => (limit && freezes.has(limit.id) ? frozenBadge : nothing) },
        {
          name: 'Actions',
          isAction: true,
          cell: ({ kind, limit }) =>
            visit.may('limits:write', 'admin')
              ? linkButton(`${path}/${kind}/edit`, limit ? 'Change' : 'Set', {
                  kind: 'sm quiet',
                  of: `for each ${kindText(kind)}`,
                })
              : nothing,
        },
      ],
      rows,
      { kind: 'budgets', caption: 'Default budgets' },
    )}`,
  }
}

const usageColumns: readonly Column<Used>[] = [
  { name: 'Name', kind: 'who', cell: ({ scope_id }) => html`<code>${scope_id}</code>` },
  {
    name: 'State',
    kind: 'st',
    cell: (used) => {
      const state = stateOf(used)
      return badge(state.text, state.badge, state.icon)
    },
  },
  {
    name: 'Spent and held',
    kind: 'all bar',
    cell: (used) =>
      html`${
        used.limit_usd === null
          ? nothing
          : gauge({ spent: used.spent_usd, held: used.held_usd, limit: used.limit_usd, tone: stateOf(used).tone })
      }<span class="sub">${spentText(used)}. ${used.refused_count === 0 ? nothing : `${counted(used.refused_count, 'call')} refused.`}</span>`,
  },
  {
    name: 'Free',
    isNumber: true,
    label: 'Free',
    cell: ({ limit_usd: limit, spent_usd: spent, held_usd: held }) =>
      limit === null ? nothing : html`<b>${money(freeOf({ spent, held, limit }))}</b>`,
  },
]

/** One default budget: how much each scope under it has used. */
export async function defaultPage(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may, times } = visit
  const { scope_kind } = kindIn(visit)
  const [limit, used, freezes] = await Promise.all([
    api.get('/v1/orgs/{id}/budget-defaults/{scope_kind}', { path: { scope_kind } }),
    api.get('/v1/orgs/{id}/budget-defaults/{scope_kind}/usage', {
      path: { scope_kind },
      query: { ...filtersOf(query, ['scope_id']), limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
    }),
    freezesOf(visit),
  ])
  const name = `default of each ${kindText(scope_kind)}`
  const freeze: Frozen | undefined = freezes.get(limit.id ?? '')
  const places = { name, path: `${limitsPath}/${limit.id ?? ''}`, from: pathOf(visit) }
  return {
    title: `Default budget of each ${kindText(scope_kind)}`,
    here: limitsPath,
    body: html`${limitsHead(
      visit,
      '/defaults',
      limit.limit_usd === null || limit.period === null
        ? `Each ${kindText(scope_kind)} without a budget of its own is counted without a limit.`
        : html`Each ${kindText(scope_kind)} without a budget of its own: <b>${moneyText(limit.limit_usd, 'whole')}</b> a ${limit.period}, ${limit.timezone ?? times.zone}.`,
      may('limits:write', 'admin') && limit.id !== null
        ? html`${linkButton(`${pathOf(visit)}/edit`, 'Change', { kind: 'primary' })}${freeze ? nothing : freezeAction(visit, undefined, places)}${linkButton(`${pathOf(visit)}/delete`, 'Remove', { kind: 'danger' })}`
        : nothing,
    )}${freeze ? frozenNote(visit, freeze, places) : nothing}${filterForm(address, [{ name: 'scope_id', label: 'Name', type: 'search' }])}${
      used.data.length === 0
        ? blank('Nobody has spent under it yet', 'Each name appears here with its first call in the period.')
        : table(usageColumns, used.data, { kind: 'budgets', caption: 'Used under the default' })
    }${pager(address, used.next_cursor)}`,
  }
}

const show = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Default budget of each ${kindText(kindIn(visit).scope_kind)}`,
    sub: 'Each one without a budget of its own gets a separate budget of this amount, new names too.',
    here: limitsPath,
    action: `${pathOf(visit)}/edit`,
    body: html`${limitFields(state, { hasEnforcement: true })}${textField(state, {
      name: 'max_new_per_day',
      label: 'New names a day',
      hint: 'Names beyond this many share one budget, so that made-up names do not each get their own.',
    })}`,
    submit: 'Set the default',
    cancel: path,
  })

const defaultNewNames = '1000'

export async function editDefaultPage(visit: Visit): Promise<ConsolePage> {
  const { id, period, timezone, thresholds, enforcement, limit_usd, max_new_per_day, next_schedule } =
    await visit.api.get('/v1/orgs/{id}/budget-defaults/{scope_kind}', { path: kindIn(visit) })
  const isSet = id !== null && period !== null && timezone !== null && thresholds !== null && enforcement !== null
  return show(
    visit,
    freshForm(
      isSet
        ? {
            ...limitValues({ limit_usd, period, timezone, thresholds, enforcement, next_schedule }),
            max_new_per_day: String(max_new_per_day ?? defaultNewNames),
          }
        : {
            limit_usd: '',
            period: 'month',
            timezone: visit.org.timezone,
            enforcement: 'block',
            thresholds: '80',
            max_new_per_day: defaultNewNames,
          },
    ),
  )
}

export async function changeDefault(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const newNames = countIn(values['max_new_per_day'])
  try {
    await visit.api.change('put', '/v1/orgs/{id}/budget-defaults/{scope_kind}', {
      path: kindIn(visit),
      body: {
        ...scheduleBody(values),
        enforcement: values['enforcement'] === 'alert' ? 'alert' : 'block',
        ...(newNames !== null && { max_new_per_day: newNames }),
      },
    })
    return `${pathOf(visit)}?done=set`
  } catch (error) {
    return show(visit, refusedForm(error, values))
  }
}

export const removeDefaultPage = async (visit: Visit): Promise<ConsolePage> =>
  questionPage(visit, {
    title: `Remove the default budget of each ${kindText(kindIn(visit).scope_kind)}?`,
    here: limitsPath,
    body: html`<p>Those without a budget of their own are then bound only by the limits above them. A default that is set again begins at zero.</p>`,
    action: `${pathOf(visit)}/delete`,
    submit: 'Remove the default',
    cancel: pathOf(visit),
  })

export async function removeDefault(visit: Visit): Promise<string> {
  await visit.api.change('delete', '/v1/orgs/{id}/budget-defaults/{scope_kind}', {
    path: kindIn(visit),
  })
  return `${path}?done=removed`
}
