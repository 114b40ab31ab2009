import { blank, type Column, counted, html, note, pageHead, table } from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'
import { type DeprecationEntry, noneText, untilText } from './surfaces.ts'

const columnsOf = ({ times }: Visit): readonly Column<DeprecationEntry>[] => [
  {
    name: 'Route',
    kind: 'wrapped',
    cell: ({ method, route, documentation }) =>
      html`<a class="plain" href="${documentation}"><code>${method} ${route}</code></a>`,
  },
  {
    name: 'Use instead',
    kind: 'all wrapped',
    cell: ({ replacement }) => (replacement === undefined ? 'nothing' : html`<code>${replacement}</code>`),
  },
  { name: 'Since', label: 'Since', kind: 'nowrap', cell: ({ since }) => times.time(since) },
  { name: 'Served until', label: 'Served until', kind: 'nowrap', cell: ({ sunset }) => untilText(times, sunset) },
]

/** The list of deprecated routes for those who run the installation. */
export async function operatorList(visit: Visit): Promise<ConsolePage> {
  const data = await visit.api.get('/v1/meta/deprecations')
  return {
    title: 'Deprecations',
    here: '/console/nodes',
    body: html`${pageHead('Deprecations', `${counted(data.length, 'route is', 'routes are')} deprecated.`)}${
      data.length === 0
        ? blank('Nothing is deprecated', noneText)
        : html`${note('', html`Every answer of such a route has the headers <code>Deprecation</code> and <code>Sunset</code>. Calls of all organizations together are in the metric <code>svc_deprecated_route_calls_total</code>; which of its keys make them, each organization sees on this page.`)}${table(columnsOf(visit), data, { caption: 'Deprecated routes' })}`
    }`,
  }
}
