import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Column,
  counted,
  facts,
  html,
  pageHead,
  section,
  shortId,
  table,
} from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'

type Node = Schemas['Node']

const path = '/console/nodes'

const columnsOf = ({ times }: Visit): readonly Column<Node>[] => [
  { name: 'Process', cell: ({ id }) => shortId(id) },
  { name: 'Role', label: 'Role', cell: ({ role }) => role },
  { name: 'Version', label: 'Version', cell: ({ version }) => version },
  {
    name: 'State',
    kind: 'stt',
    cell: ({ status }) => (status === 'live' ? html`<span class="dim">Live</span>` : badge('Gone', 'warn', 'warn')),
  },
  { name: 'Started', label: 'Started', cell: ({ started_at }) => times.passed(started_at) },
  { name: 'Lease until', label: 'Lease until', cell: ({ lease_until }) => times.time(lease_until) },
]

/** Processes of the installation, and where the health of the ledger is checked. */
export async function nodeList(visit: Visit): Promise<ConsolePage> {
  const { api } = visit
  const { data } = await api.get('/v1/admin/nodes')
  const live = data.filter(({ status }) => status === 'live')
  const count = (role: string) => live.filter((node) => node.role === role).length
  const versions = new Set(live.map(({ version }) => version))
  return {
    title: 'Nodes and ledger',
    here: path,
    body: html`${pageHead(
      'Nodes and ledger',
      `${count('api')} api, ${counted(count('worker'), 'worker')}, ${versions.size === 1 ? 'all of one version' : `${versions.size} versions`}.`,
    )}${section('Processes', table(columnsOf(visit), data, { caption: 'Processes' }))}${section(
      'Records',
      facts([
        [
          'Ledger',
          html`<code>weir verify</code> compares balances, holds and the journal of every organization; run it on a machine of the installation.`,
        ],
        ['Metrics', html`<a href="/docs/operating">Which metrics to watch</a>`],
        ['Deprecated routes', html`<a href="/console/deprecations">What is deprecated</a>`],
      ]),
    )}`,
  }
}
