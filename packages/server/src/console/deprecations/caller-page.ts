import {
  type DeprecatedDelivery,
  type Deprecation,
  deprecations,
  findDeprecatedRoute,
  surfaceOf,
} from '../../contract/deprecations/deprecations.ts'
import type { Schemas } from '../api/api.ts'
import {
  blank,
  type Column,
  type Content,
  code,
  counted,
  countText,
  curl,
  facts,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
  shortId,
  table,
} from '../components/components.ts'
import { type ConsolePage, type Part, pager, part, shown, type Visit } from '../frame/frame.ts'
import { type DeprecationEntry, noneText, path, untilText, withCode } from './surfaces.ts'

type Calls = Schemas['DeprecatedCalls']
type Webhook = Schemas['Subscription']

const maxRows = 200

/** Parts of the page as they were read; those that the reader may not see are undefined. */
interface Found {
  readonly routes: readonly DeprecationEntry[]
  readonly calls: Part<Schemas['DeprecatedCallsList']> | undefined
  readonly webhooks: Part<Schemas['SubscriptionList']> | undefined
  readonly members: ReadonlyMap<string, string>
}

async function read({ api, may, query }: Visit): Promise<Found> {
  const [routes, calls, webhooks] = await Promise.all([
    api.get('/v1/meta/deprecations'),
    may('keys:read', 'admin')
      ? part(
          api.get('/v1/orgs/{id}/deprecated-calls', { query: { limit: maxRows, cursor: query.get('cursor') ?? '' } }),
        )
      : undefined,
    may('webhooks:read', 'admin') ? part(api.get('/v1/orgs/{id}/webhooks', { query: { limit: maxRows } })) : undefined,
  ])
  const isMember = ({ caller_id }: Calls) => caller_id.startsWith('mbr_')
  const members =
    calls?.value?.data.some(isMember) === true && may('members:read', 'admin')
      ? await part(api.get('/v1/orgs/{id}/members', { query: { limit: maxRows } }))
      : undefined
  return {
    routes,
    calls,
    webhooks,
    members: new Map(members?.value?.data.map(({ id, name, email }) => [id, name === '' ? email : name])),
  }
}

const isOldSigned = ({ signing_version }: Webhook) => signing_version === 1
const isOf =
  ({ method, route }: DeprecationEntry) =>
  (calls: Calls) =>
    calls.method === method && calls.route === route

/** The page of everything that is deprecated, with what takes its place and who of the organization still uses it. */
export async function callerPage(visit: Visit): Promise<ConsolePage> {
  const found = await read(visit)
  const delivery = deprecations.find((entry): entry is DeprecatedDelivery => entry.kind === 'delivery')
  const callsOf = (route: DeprecationEntry) => found.calls?.value?.data.filter(isOf(route)) ?? []
  const ordered = found.routes.toSorted(
    (a, b) =>
      Math.sign(callsOf(b).length) - Math.sign(callsOf(a).length) || Date.parse(a.sunset) - Date.parse(b.sunset),
  )
  return {
    title: 'Deprecations',
    here: path,
    body: html`${pageHead('Deprecations', summaryOf(found))}${
      found.routes.length === 0 && delivery === undefined
        ? blank('Nothing is deprecated', noneText)
        : html`${usedNote(found)}${ordered.map((route) => routeSection(visit, found, route))}${delivery === undefined ? nothing : deliverySection(visit, found, delivery)}${pager(visit.address, found.calls?.value?.next_cursor)}`
    }`,
  }
}

/** The sentence under the title: who must do something. */
function summaryOf({ routes, calls, webhooks }: Found): string {
  if (calls === undefined && webhooks === undefined)
    return `${counted(routes.length, 'route is', 'routes are')} deprecated.`
  const callers = new Set(calls?.value?.data.map(({ caller_id }) => caller_id)).size
  const signed = webhooks?.value?.data.filter(isOldSigned).length ?? 0
  const parts = [
    ...(callers === 0 ? [] : [`${counted(callers, 'caller')} of deprecated routes`]),
    ...(signed === 0 ? [] : [`${counted(signed, 'webhook')} signed with the old scheme`]),
  ]
  if (parts.length > 0) return `${parts.join(', ')}.`
  return calls?.value && webhooks?.value
    ? 'Nobody here uses anything that is deprecated.'
    : `${counted(routes.length, 'route is', 'routes are')} deprecated.`
}

const usedNote = ({ calls }: Found): Content =>
  calls === undefined
    ? note(
        '',
        html`Who still calls them is shown to those who may see keys. Every answer of such a route has the headers <code>Deprecation</code> and <code>Sunset</code>.`,
      )
    : nothing

const aboutSurface = (
  { times }: Visit,
  { since, sunset, advice, instead }: { since: string; sunset: string; advice: Content; instead?: Content | undefined },
): Markup =>
  facts([
    ...(instead === undefined ? [] : [['Use instead', instead] as const]),
    ...(advice === nothing ? [] : [['How to move', advice] as const]),
    ['Deprecated since', times.time(since)],
    ['Served until', untilText(times, sunset)],
  ])

/** The command of a replacement, in a part that opens. */
const command = (text: string, of: string): Markup =>
  html`<details class="more gap16"><summary>The command</summary>${code('Terminal', text, `the command in place of ${of}`)}</details>`

const adviceOf = (entry: Deprecation | undefined): Content =>
  entry === undefined ? nothing : withCode(entry.migration)

function routeSection(visit: Visit, { calls, members }: Found, route: DeprecationEntry): Markup {
  const { method, since, sunset, replacement, documentation } = route
  const name = `${method} ${route.route}`
  const advice = adviceOf(findDeprecatedRoute(deprecations, method, route.route))
  return section(
    name,
    html`${aboutSurface(visit, { since, sunset, advice, instead: replacement === undefined ? 'Nothing takes its place' : html`<code>${method} ${replacement}</code>` })}${replacement === undefined ? nothing : command(curlOf(visit, method, replacement), name)}${
      calls === undefined
        ? nothing
        : shown(calls, visit, ({ data }) => callerTable(visit, data.filter(isOf(route)), members, name))
    }`,
    html`<a href="${documentation}">Documentation<span class="hidden"> of ${name}</span></a>`,
  )
}

/** Returns the call of a replacement, with the organization's id in its place and names of variables for what else it takes. */
const curlOf = ({ org }: Visit, method: string, template: string): string =>
  curl(
    method,
    template
      .replace('/v1/orgs/{id}', `/v1/orgs/${org.id}`)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`),
    method === 'GET' ? undefined : {},
  )

const callerTable = (
  { times }: Visit,
  data: readonly Calls[],
  members: ReadonlyMap<string, string>,
  of: string,
): Markup =>
  data.length === 0
    ? html`<p class="dim gap16">Nobody has called it in the last 30 days.</p>`
    : table<Calls>(
        [
          { name: 'Who calls', cell: (calls) => callerCell(calls, members) },
          { name: 'Calls in 30 days', label: 'Calls', isNumber: true, cell: ({ calls }) => countText(calls) },
          { name: 'First', label: 'First', kind: 'nowrap', cell: ({ first_day }) => first_day },
          { name: 'Last', label: 'Last', kind: 'nowrap', cell: ({ last_called_at }) => times.passed(last_called_at) },
        ],
        data,
        { caption: `Who calls ${of}` },
      )

function callerCell({ caller_id: id, name }: Calls, members: ReadonlyMap<string, string>): Markup {
  if (id.startsWith('mbr_'))
    return html`<a class="plain" href="/console/members/${id}">${members.get(id) ?? shortId(id)}</a><span class="sub">member, in a session</span>`
  if (id.startsWith('key_'))
    return html`<a class="plain" href="/console/keys/${id}">${name ?? shortId(id)}</a><span class="sub">${shortId(id)}</span>`
  return html`<a class="plain" href="/console/settings/support">Support access</a><span class="sub">${shortId(id)}</span>`
}

function deliverySection(visit: Visit, { webhooks }: Found, entry: DeprecatedDelivery): Markup {
  const { since, sunset, id } = entry
  const name = surfaceOf(entry).replaceAll('`', '')
  const rotation = '/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate'
  return section(
    name,
    html`${aboutSurface(visit, { since, sunset, advice: adviceOf(entry) })}${command(curlOf(visit, 'POST', rotation), name)}${
      webhooks === undefined
        ? nothing
        : shown(webhooks, visit, ({ data }) => webhookTable(visit, data.filter(isOldSigned)))
    }`,
    html`<a href="/docs/deprecations#${id}">Documentation<span class="hidden"> of ${name}</span></a>`,
  )
}

function webhookTable({ times, may, caller }: Visit, data: readonly Webhook[]): Markup {
  if (data.length === 0) return html`<p class="dim gap16">No webhook is signed in this way.</p>`
  const mayRotate = may('webhooks:write', 'admin') && caller.kind !== 'support'
  const columns: readonly Column<Webhook>[] = [
    {
      name: 'Webhook',
      kind: 'all wrapped',
      cell: ({ id, url, description }) =>
        html`<a class="plain" href="/console/webhooks/${id}">${url}</a>${description === '' ? nothing : html`<span class="sub">${description}</span>`}`,
    },
    {
      name: 'Last delivered',
      label: 'Last delivered',
      kind: 'nowrap',
      cell: ({ health }) => (health.last_success_at === null ? 'never' : times.passed(health.last_success_at)),
    },
    ...(mayRotate
      ? [
          {
            name: 'Actions',
            isAction: true,
            cell: ({ id, url }: Webhook) =>
              linkButton(`/console/webhooks/${id}/rotate`, 'Give it a secret', { kind: 'sm quiet', of: url }),
          },
        ]
      : []),
  ]
  return table(columns, data, { caption: 'Webhooks that are signed with the old scheme' })
}
