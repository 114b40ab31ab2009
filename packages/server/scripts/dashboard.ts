/** The dashboard for Grafana, `deploy/grafana/weir.json`: rows of panels, each a question with its queries. `pnpm generate` writes it. */
interface Question {
  readonly title: string
  readonly unit?: string
  /** Queries, each with the name of its lines. */
  readonly queries: Readonly<Record<string, string>>
}

const decisions = 'svc_http_request_duration_seconds_count{method="POST",route=~"/v1/edge/decision|/v1/runs"}'
const perSecond = (by: string, series: string) => `sum by (${by}) (rate(${series}[$__rate_interval]))`
const quantile = (q: number, name: string) =>
  `histogram_quantile(${q}, sum by (le) (rate(${name}_bucket[$__rate_interval])))`

export const rows: Readonly<Record<string, readonly Question[]>> = {
  Objectives: [
    {
      title: 'Decisions that failed',
      unit: 'percentunit',
      queries: { 'last hour': 'weir:decision_errors:ratio_rate1h', 'last 3 days': 'weir:decision_errors:ratio_rate3d' },
    },
    {
      title: 'Decisions over 0.25 s',
      unit: 'percentunit',
      queries: { 'last hour': 'weir:decision_slow:ratio_rate1h', 'last 3 days': 'weir:decision_slow:ratio_rate3d' },
    },
    {
      title: 'Alerts',
      queries: { '{{alertname}}': 'count by (alertname) (ALERTS{alertname=~"Weir.*",alertstate="firing"})' },
    },
  ],
  Decisions: [
    {
      title: 'Decisions by outcome',
      unit: 'ops',
      queries: { '{{outcome}}': perSecond('outcome', 'svc_decisions_total') },
    },
    {
      title: 'Refusals by kind of limit',
      unit: 'ops',
      queries: { '{{kind}}': perSecond('kind', 'svc_refusals_total') },
    },
    { title: 'Answers by status', unit: 'ops', queries: { '{{status}}': perSecond('status', decisions) } },
    {
      title: 'Where a decision spends its time, p99',
      unit: 's',
      queries: {
        wait: quantile(0.99, 'svc_lane_wait_seconds'),
        read: quantile(0.99, 'svc_lane_read_seconds'),
        commit: quantile(0.99, 'svc_lane_commit_seconds'),
      },
    },
    { title: 'Requests per transaction', queries: { median: quantile(0.5, 'svc_lane_batch_size') } },
    {
      title: 'Failed transactions',
      unit: 'ops',
      queries: { '{{reason}}': perSecond('reason', 'svc_lane_failures_total') },
    },
  ],
  Ledger: [
    { title: 'Drift in nano-dollars', queries: { drift: 'max(abs(svc_ledger_drift_nano_usd))' } },
    {
      title: 'Cost above its hold, and after its lease',
      unit: 'currencyUSD',
      queries: {
        above: 'sum(rate(svc_ledger_overrun_nano_usd_total[$__rate_interval])) / 1e9',
        late: 'sum(rate(svc_ledger_late_nano_usd_total[$__rate_interval])) / 1e9',
      },
    },
    { title: 'Days of tables ahead', unit: 'd', queries: { days: 'min(svc_partitions_days_ahead)' } },
  ],
  Webhooks: [
    {
      title: 'Attempts by outcome',
      unit: 'ops',
      queries: { '{{outcome}}': perSecond('outcome', 'svc_webhook_attempts_total') },
    },
    { title: 'From event to delivery, p99', unit: 's', queries: { lag: quantile(0.99, 'svc_webhook_lag_seconds') } },
    { title: 'Age of the oldest event', unit: 's', queries: { oldest: 'max(svc_webhook_oldest_event_seconds)' } },
  ],
  Gateway: [
    {
      title: 'Calls by provider',
      unit: 'ops',
      queries: { '{{provider}}': perSecond('provider', 'weir_gateway_requests_total') },
    },
    { title: 'Refusals', unit: 'ops', queries: { '{{code}}': perSecond('code', 'weir_gateway_refusals_total') } },
    {
      title: 'Settlements that wait',
      queries: { '{{instance}}': 'sum by (instance) (weir_gateway_settlements_waiting)' },
    },
  ],
  Processes: [
    { title: 'Requests in progress', queries: { '{{instance}}': 'sum by (instance) (svc_http_requests_in_flight)' } },
    {
      title: 'Event loop lag, p99',
      unit: 's',
      queries: { '{{instance}}': 'max by (instance) (nodejs_eventloop_lag_p99_seconds)' },
    },
    {
      title: 'Memory',
      unit: 'bytes',
      queries: { '{{instance}}': 'max by (instance) (process_resident_memory_bytes)' },
    },
  ],
}

const width = 8
const height = 8

/** Renders the dashboard: nothing in it depends on the time or the machine. */
export function dashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const [title, questions] of Object.entries(rows)) {
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 } })
    y += 1
    questions.forEach((question, index) => {
      const gridPos = { x: (index % 3) * width, y: y + Math.floor(index / 3) * height, w: width, h: height }
      panels.push(panelOf(question, panels.length + 1, gridPos))
    })
    y += Math.ceil(questions.length / 3) * height
  }
  const board = {
    uid: 'weir',
    title: 'Weir',
    tags: ['weir'],
    editable: true,
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels,
  }
  return `${JSON.stringify(board, undefined, 2)}\n`
}

const panelOf = ({ title, unit = 'short', queries }: Question, id: number, gridPos: object) => ({
  id,
  type: 'timeseries',
  title,
  gridPos,
  datasource: { type: 'prometheus', uid: '${datasource}' },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
    refId: String.fromCharCode(65 + index),
    expr,
    legendFormat,
  })),
})
