import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Column,
  type Content,
  counted,
  countGauge,
  countText,
  type Figure,
  facts,
  figures,
  freeOf,
  gauge,
  html,
  linkButton,
  type Markup,
  money,
  moneyText,
  nothing,
  percentOf,
  percentText,
  section,
  sumUsd,
  table,
} from '../components/components.ts'
import { type ConsolePage, type Part, part, shown, type Visit } from '../frame/frame.ts'
import { freezeAction, freezesOf, frozenNote, stateOf } from '../limit-parts/limit-parts.ts'
import { limitsHead, limitsPath } from './limit-tabs.ts'
import { believedText } from './trust-text.ts'

type Cap = Schemas['SpendCapOrNotSet']
type Quota = Schemas['Quota']
type Plan = Schemas['PlanOrNotSet']

/** Limits of the organization as a whole: spend cap, prepaid balance, plan, and how far callers are believed. */
export async function organizationPage(visit: Visit): Promise<ConsolePage> {
  const { api, may, org } = visit
  const [cap, quota, topUps, plan, trust, freezes] = await Promise.all([
    part(api.get('/v1/orgs/{id}/spend-cap')),
    part(api.get('/v1/orgs/{id}/quota')),
    part(api.get('/v1/orgs/{id}/quota/top-ups', { query: { limit: 10 } })),
    part(api.get('/v1/orgs/{id}/plan')),
    part(api.get('/v1/orgs/{id}/trust')),
    freezesOf(visit),
  ])
  const frozen = freezes.get(org.id)
  const mayChange = may('limits:write', 'admin')
  const capFreeze = freezes.get(cap.value?.id ?? '')
  return {
    title: 'Other limits',
    here: limitsPath,
    body: html`${limitsHead(
      visit,
      '',
      answer(cap.value, quota.value, frozen !== undefined),
      mayChange && !frozen
        ? linkButton(`${limitsPath}/freeze`, 'Freeze everything', { kind: 'danger', iconName: 'lock' })
        : nothing,
    )}${frozen ? frozenNote(visit, frozen, { name: 'the whole organization', path: limitsPath, from: limitsPath }) : nothing}${
      capFreeze
        ? frozenNote(visit, capFreeze, {
            name: 'the daily spend cap',
            path: `${limitsPath}/${capFreeze.target_id}`,
            from: limitsPath,
          })
        : nothing
    }${strip(visit, cap.value, quota.value, plan.value)}${section(
      'Daily spend cap',
      shown(cap, visit, (value) => capFacts(visit, value)),
      mayChange ? capActions(visit, cap, capFreeze !== undefined) : nothing,
    )}${section(
      'Prepaid',
      shown(quota, visit, (value) => quotaPart(visit, value, topUps)),
    )}${section(
      'Plan',
      shown(plan, visit, (value) => planFacts(visit, value)),
    )}${section(
      'How far callers are believed',
      shown(trust, visit, (value) => facts(believedText(value))),
    )}`,
  }
}

function answer(cap: Cap | undefined, quota: Quota | undefined, isFrozen: boolean): Content {
  if (isFrozen) return 'Everything is frozen: every new call is refused.'
  const parts: Content[] = []
  if (cap?.cap_usd != null && cap.spent_usd !== null)
    parts.push(html`${money(cap.spent_usd)} of ${moneyText(cap.cap_usd, 'whole')} spent today.`)
  else parts.push('No cap on a day’s spend.')
  if (quota?.prepaid && quota.remaining_usd !== null) parts.push(html` ${money(quota.remaining_usd)} prepaid is left.`)
  return html`${parts}`
}

function strip({ times }: Visit, cap: Cap | undefined, quota: Quota | undefined, plan: Plan | undefined): Content {
  const list: Figure[] = []
  if (cap?.cap_usd != null && cap.resets_at !== null) {
    const amounts = amountsOf(cap)
    const { spent_usd: spent, held_usd: held } = amounts
    const limit = cap.cap_usd
    list.push({
      label: 'Today',
      aside: html`starts again ${times.time(cap.resets_at)}`,
      big: money(sumUsd(spent, held), 'cents'),
      small: `of ${moneyText(limit, 'whole')}`,
      gauge: gauge({ spent, held, limit, thresholds: [80], tone: stateOf(amounts, 'cap').tone }),
      foot: html`${money(spent)} spent + ${money(held)} held + ${money(freeOf({ spent, held, limit }))} free = ${money(limit)}`,
    })
  }
  if (quota?.prepaid && quota.limit_usd !== null) {
    const { spent_usd: spent, held_usd: held, limit_usd: limit } = quota
    list.push({
      label: 'Prepaid',
      aside: `${percentText(percentOf(sumUsd(spent, held), limit))} used`,
      big: money(freeOf({ spent, held, limit }), 'cents'),
      small: 'left',
      gauge: gauge({ spent, held, limit, tone: stateOf(quota).tone }),
      foot: html`${money(spent)} spent + ${money(held)} held of ${money(limit)}`,
    })
  }
  for (const [name, most, used] of [
    ['run', plan?.runs_per_month, plan?.runs],
    ['token', plan?.tokens_per_month, plan?.tokens],
  ] as const)
    if (most != null && used != null)
      list.push({
        label: `Plan: ${name}s`,
        aside: 'this month',
        big: countText(used.used + used.held),
        small: `of ${countText(most)}`,
        gauge: countGauge(used.used + used.held, most, name, used.exhausted_at === null ? '' : 'stop'),
        foot: `${counted(used.refused_count, 'call')} refused`,
      })
  return list.length === 0 ? nothing : figures(list)
}

const amountsOf = ({ cap_usd, spent_usd, held_usd, exhausted_at }: Cap) => ({
  limit_usd: cap_usd,
  spent_usd: spent_usd ?? '0',
  held_usd: held_usd ?? '0',
  exhausted_at,
})

function capFacts({ times }: Visit, cap: Cap): Markup {
  if (cap.cap_usd === null || cap.period_end === null)
    return html`<p class="dim">No cap is set. A cap stops every call of the day once the organization has spent it, whoever calls.</p>`
  const state = stateOf(amountsOf(cap), 'cap')
  return facts([
    ['State', badge(state.text, state.badge, state.icon)],
    ['Most that a day may cost', money(cap.cap_usd)],
    ['A day begins', html`at midnight, ${cap.timezone ?? 'UTC'}; next ${times.time(cap.period_end)}`],
    [
      'Refused today',
      html`${counted(cap.refused_count ?? 0, 'call')} ${cap.id === null || cap.refused_count === 0 ? nothing : html`(<a href="/console/refusals?limit_id=${cap.id}">see them</a>)`}`,
    ],
    ['Over what was held', money(cap.overrun_usd ?? '0')],
    ['Reported late', money(cap.late_usd ?? '0')],
  ])
}

const capActions = (visit: Visit, { value: cap }: Part<Cap>, isFrozen: boolean): Content => {
  if (!cap) return nothing
  if (cap.id === null) return linkButton(`${limitsPath}/spend-cap`, 'Set a cap', { kind: 'sm primary' })
  return html`${linkButton(`${limitsPath}/spend-cap`, 'Change', { kind: 'sm', of: 'the spend cap' })} ${
    isFrozen
      ? nothing
      : freezeAction(visit, undefined, {
          name: 'the spend cap',
          path: `${limitsPath}/${cap.id}`,
          from: limitsPath,
          kind: 'sm',
        })
  } ${linkButton(`${limitsPath}/spend-cap/delete`, 'Remove', { kind: 'sm danger', of: 'the spend cap' })}`
}

const topUpColumns = ({ times }: Visit): readonly Column<Schemas['TopUp']>[] => [
  { name: 'Top-up', cell: ({ name, id }) => name ?? html`<code>${id}</code>` },
  { name: 'Made', label: 'Made', cell: ({ created_at }) => times.time(created_at) },
  {
    name: 'Used',
    kind: 'all bar',
    cell: ({ spent_usd: spent, held_usd: held, amount_usd: limit }) => gauge({ spent, held, limit }),
  },
  { name: 'Left', isNumber: true, label: 'Left', cell: ({ remaining_usd }) => money(remaining_usd, 'cents') },
  { name: 'Amount', isNumber: true, label: 'of', cell: ({ amount_usd }) => money(amount_usd, 'cents') },
]

function quotaPart(visit: Visit, quota: Quota, topUps: Part<Schemas['TopUpList']>): Content {
  if (!quota.prepaid)
    return html`<p class="dim">Nothing is prepaid, so nothing is stopped by it. Whoever runs the installation records top-ups.</p>`
  return shown(topUps, visit, ({ data }) => table(topUpColumns(visit), data, { caption: 'Top-ups, newest first' }))
}

function planFacts({ times }: Visit, plan: Plan): Markup {
  if (plan.id === null || plan.period_end === null)
    return html`<p class="dim">No plan is set, so runs and tokens are not counted against one. Whoever runs the installation sets it.</p>`
  const most = (count: number | null, noun: string) => (count === null ? `any number of ${noun}` : countText(count))
  return facts([
    ['Plan', plan.name ?? ''],
    ['Runs a month', most(plan.runs_per_month, 'runs')],
    ['Tokens a month', most(plan.tokens_per_month, 'tokens')],
    [
      'When it is used up',
      plan.overage_policy === 'block' ? 'Stop: new runs are refused' : 'Runs go on and are counted',
    ],
    ['Starts again', times.time(plan.period_end)],
  ])
}
