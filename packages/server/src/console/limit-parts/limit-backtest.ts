import type { Schemas } from '../api/api.ts'
import {
  type Content,
  counted,
  countText,
  html,
  type Markup,
  money,
  note,
  nothing,
  percentOf,
  section,
  shareBar,
} from '../components/components.ts'
import { type FormValues, part, shown, type Visit } from '../frame/frame.ts'
import { scheduleBody } from './limit-fields.ts'

type Backtest = Schemas['Backtest']

/** Kinds of coverage for which the API can test a limit on past runs. */
const testedKinds = ['org', 'department', 'workflow', 'deployment'] as const

/** Coverage of a limit that is to be tested. */
export interface TestedCoverage {
  readonly scope_kind: string
  readonly scope_id: string | null
  readonly and_scope_kind?: string | null
}

const testedKind = ({ scope_kind, and_scope_kind }: TestedCoverage) =>
  and_scope_kind == null ? testedKinds.find((kind) => kind === scope_kind) : undefined

/** Button of a form that tests its limit on past runs; nothing where the API cannot, or the caller may not. */
export const limitTestButton = ({ may }: Visit, coverage: TestedCoverage | undefined, action: string): Content =>
  may('policies:read', 'member') && (coverage === undefined || testedKind(coverage) !== undefined)
    ? html`<div class="all actions"><button class="btn" type="submit" formaction="${action}">Test on the runs of 30 days</button></div>`
    : nothing

/** Tests the limit of a form on the runs of the last 30 days, and returns the report. Nothing is changed. */
export async function limitTestReport(visit: Visit, coverage: TestedCoverage, values: FormValues): Promise<Content> {
  const kind = testedKind(coverage)
  const { limit_usd, period, timezone } = scheduleBody(values)
  if (kind === undefined) return note('', 'A limit on this cannot be tested on past runs.')
  const tested = await part(
    visit.api.ask('/v1/orgs/{id}/policies/backtest', {
      body: {
        limit: {
          scope_kind: kind,
          limit_usd: limit_usd ?? '',
          period,
          ...(timezone !== undefined && { timezone }),
          ...(kind !== 'org' && { scope_id: coverage.scope_id ?? '' }),
        },
      },
    }),
  )
  // A refusal is about the form or its sender; a test that cannot run now is said in its place.
  if (tested.fault !== undefined && tested.fault.status < 429) throw tested.fault
  return section(
    'Had this limit held for 30 days',
    shown(tested, visit, (found) => limitReport(visit, found)),
  )
}

const limitReport = ({ times }: Visit, { runs, window, by_team }: Backtest): Markup =>
  html`<div class="stack gap16"><p class="lead">It would have refused <b>${countText(runs.over_limit)}</b> of ${counted(runs.considered, 'run')}${runs.over_limit === 0 ? '.' : html`, which cost <b>${money(runs.saved_usd)}</b>.`}</p><p class="small dim">${times.long(window.from)} to ${times.long(window.to)}. The limit is counted alone, from the beginning of that time.</p>${runs.over_limit === 0 ? nothing : whoWouldNotice(by_team)}</div>`

/** Teams whose runs a draft would have refused, the dearest first. */
export const whoWouldNotice = ({ data }: Backtest['by_team']): Markup =>
  html`<h3>Who would notice</h3><ul class="bars">${data.map(
    (team) =>
      html`<li><span>${team.department_id ?? 'no team'} <span class="dim">${counted(team.refused, 'run')}</span></span><span>${money(team.saved_usd)}</span>${shareBar(percentOf(team.saved_usd, data[0]?.saved_usd ?? '0'))}</li>`,
  )}</ul>`
