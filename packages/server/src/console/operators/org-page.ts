import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  countText,
  facts,
  html,
  linkButton,
  type Markup,
  money,
  note,
  nothing,
  pageHead,
  section,
  sumUsd,
  table,
} from '../components/components.ts'
import { type ConsolePage, messageIn, part, shown, type Visit } from '../frame/frame.ts'
import { orgBadge, orgsPath } from './org-list.ts'
import { rateLines, unavailableText } from './rate-lines.ts'

type Org = Schemas['Org']

const done: Readonly<Record<string, string>> = {
  suspended: 'Its keys and sessions are refused from now on.',
  resumed: 'Its keys work again.',
  saved: 'Saved. It binds the next request.',
  topped: 'The amount can be spent now.',
  reset: 'Every address may call again.',
}

/** Returns the organization that the path names. */
export const readOrg = ({ api, params }: Visit): Promise<Org> =>
  api.get('/v1/admin/orgs/{org_id}', { path: { org_id: params['org_id'] ?? '' } })

/** One organization, as those who run the installation see it: state, plan, prepaid amounts, rates. */
export async function orgPage(visit: Visit): Promise<ConsolePage> {
  const { api, times, may, query } = visit
  const path = { org_id: visit.params['org_id'] ?? '' }
  const [org, plan, topUps, rates] = await Promise.all([
    readOrg(visit),
    part(api.get('/v1/admin/orgs/{org_id}/plan', { path })),
    part(
      api.get('/v1/admin/orgs/{org_id}/quota/top-ups', { path, query: { limit: 20, sort: '-created_at' } as never }),
    ),
    part(api.get('/v1/admin/orgs/{org_id}/rate-limits', { path })),
  ])
  const own = `${orgsPath}/${org.id}`
  const mayChange = may('admin:write', 'operator')
  const change = (what: string, text: string, of: string) =>
    mayChange ? linkButton(`${own}/${what}`, text, { kind: 'sm', of }) : nothing
  const isSuspended = org.status === 'suspended'
  const message = messageIn(done, query)
  return {
    title: org.name,
    here: orgsPath,
    body: html`${pageHead(
      isSuspended ? html`${org.name} ${orgBadge(org)}` : org.name,
      html`<code>${org.id}</code>, since ${times.time(org.created_at)}`,
      mayChange
        ? linkButton(`/console/support-grants/new?org_id=${org.id}`, 'Support access', { kind: 'primary' })
        : nothing,
      mayChange ? linkButton(`${own}/owner-key`, 'New owner’s key') : nothing,
    )}${message === undefined ? nothing : note('info', message)}${
      isSuspended
        ? note(
            'stop',
            html`<b class="t-stop">Suspended${org.suspended_at === null ? '' : html` since ${times.time(org.suspended_at)}`}.</b> ${org.suspension_reason ?? 'No reason was given.'}`,
            mayChange ? linkButton(`${own}/resume`, 'Resume', { kind: 'sm', of: org.name }) : nothing,
          )
        : nothing
    }${section(
      'Plan',
      shown(plan, visit, (now) => planFacts(now, visit)),
      change('plan', 'Change', 'the plan'),
    )}${section(
      'Prepaid',
      shown(topUps, visit, ({ data }) =>
        data.length === 0
          ? html`<p class="dim gap16">Nothing is prepaid: no prepaid amount limits it.</p>`
          : html`<p class="gap16">${money(sumUsd('0', ...data.map(({ remaining_usd }) => remaining_usd)))} left.</p>${table(
              [
                { name: 'Top-up', cell: ({ name, id }) => name ?? id },
                { name: 'Amount', isNumber: true, label: 'Amount', cell: ({ amount_usd }) => money(amount_usd) },
                { name: 'Spent', isNumber: true, label: 'Spent', cell: ({ spent_usd }) => money(spent_usd) },
                { name: 'Left', isNumber: true, label: 'Left', cell: ({ remaining_usd }) => money(remaining_usd) },
                { name: 'When', label: 'When', cell: ({ created_at }) => times.time(created_at) },
              ],
              data,
              { caption: 'Top-ups' },
            )}`,
      ),
      change('top-up', 'Top up', 'the prepaid amount'),
    )}${section(
      'Rates',
      shown(rates, visit, (limits) =>
        facts([
          [
            'Limits',
            limits.default_rates
              ? 'those of the installation'
              : limits.policies.length === 0
                ? 'none'
                : html`<pre class="mono">${rateLines(limits.policies)}</pre>`,
          ],
          ['Reads a minute', limits.read_rpm === null ? 'no limit' : countText(limits.read_rpm)],
          ['While Redis is away', unavailableText(limits.on_unavailable)],
        ]),
      ),
      change('rates', 'Change', 'the rates'),
    )}${section(
      'Addresses that may call',
      org.ip_allow_list.length === 0
        ? html`<p class="dim gap16">Every address.</p>`
        : html`<p class="chips gap16">${org.ip_allow_list.map((range) => html`<span class="chip">${range}</span>`)}</p>`,
      mayChange && org.ip_allow_list.length > 0
        ? actionButton(visit.formKeys, `${own}/addresses/reset`, 'Let every address in', { kind: 'sm' })
        : nothing,
    )}${mayChange && !isSuspended ? html`<div class="actions gap">${linkButton(`${own}/suspend`, 'Suspend', { kind: 'danger', of: org.name })}</div>` : nothing}`,
  }
}

const planFacts = (plan: Schemas['PlanOrNotSet'], { times }: Visit): Markup => {
  if (plan.id === null) return html`<p class="dim gap16">No plan: neither runs nor tokens are counted against one.</p>`
  const used = (entitlement: Schemas['Entitlement'] | null, limit: number | null) =>
    `${countText(entitlement?.used ?? 0)} of ${limit === null ? 'any number' : countText(limit)}`
  return facts([
    ['Name', plan.name ?? ''],
    ['Runs', used(plan.runs, plan.runs_per_month)],
    ['Tokens', used(plan.tokens, plan.tokens_per_month)],
    ['When used up', plan.overage_policy === 'block' ? 'Stop' : 'Goes on'],
    ['Starts again', plan.period_end === null ? 'never' : times.time(plan.period_end)],
  ])
}

/** Lets every address call for an organization that has locked itself out. */
export async function resetAddresses({ api, params }: Visit): Promise<string> {
  const orgId = params['org_id'] ?? ''
  await api.change('post', '/v1/admin/orgs/{org_id}/ip-allow-list/reset', {
    path: { org_id: orgId },
  })
  return `${orgsPath}/${orgId}?done=reset`
}
