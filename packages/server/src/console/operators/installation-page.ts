import { figures, html, linkButton, nothing, pageHead, section } from '../components/components.ts'
import { type ConsolePage, part, shown, type Visit } from '../frame/frame.ts'
import { orgsPath, orgTable } from './org-list.ts'

/** The first page of those who run the installation: what is stopped, who is inside an organization, which processes live. */
export async function installationPage(visit: Visit): Promise<ConsolePage> {
  const { api, times, may } = visit
  const [newest, suspended, grants, nodes] = await Promise.all([
    part(api.get('/v1/admin/orgs', { query: { sort: '-created_at', limit: 10 } as never })),
    part(api.get('/v1/admin/orgs', { query: { status: 'suspended', limit: 50 } as never })),
    part(api.get('/v1/admin/support-grants', { query: { status: 'active', limit: 50 } as never })),
    part(api.get('/v1/admin/nodes')),
  ])
  const live = nodes.value?.data.filter(({ status }) => status === 'live') ?? []
  const atLeast = (list: { data: readonly unknown[]; next_cursor: string | null } | undefined) =>
    list === undefined ? '?' : `${list.data.length}${list.next_cursor === null ? '' : '+'}`
  return {
    title: 'Installation',
    here: '/console',
    body: html`${pageHead(
      'Installation',
      html`${times.day(times.now)}, ${times.short(times.now)} in UTC`,
      may('admin:write', 'operator')
        ? linkButton(`${orgsPath}/new`, 'New organization', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${figures([
      {
        label: 'Suspended',
        big: atLeast(suspended.value),
        small: 'organizations',
        foot: html`<a href="${orgsPath}?status=suspended">See them</a>`,
      },
      {
        label: 'Support access',
        big: atLeast(grants.value),
        small: 'active',
        foot: html`<a href="/console/support-grants?status=active">Who is inside</a>`,
      },
      {
        label: 'Processes',
        big: nodes.value === undefined ? '?' : String(live.length),
        small: 'live',
        foot: html`<a href="/console/nodes">${live.filter(({ role }) => role === 'api').length} api, ${live.filter(({ role }) => role === 'worker').length} worker</a>`,
      },
    ])}${section(
      'Newest organizations',
      shown(newest, visit, ({ data }) =>
        data.length === 0 ? html`<p class="dim gap16">none yet</p>` : orgTable(visit, data),
      ),
      linkButton(orgsPath, 'All organizations', { kind: 'sm' }),
    )}`,
  }
}
